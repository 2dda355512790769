const LEAST = 40;
/** Of what is no terminal, such as a file. */
const DEFAULT = 80;

/**
 * @param {{ columns?: number }} stream
 * @returns {number} columns that a table may take there
 */
export function widthOf({ columns = DEFAULT }) {
  return Math.max(LEAST, columns);
}
