const MIN_COLUMNS = 40;
const FILE_COLUMNS = 80;

/** @param {{ columns?: number }} stream @returns {number} how many columns a table may use there */
export function widthOf({ columns = FILE_COLUMNS }) {
  return Math.max(MIN_COLUMNS, columns);
}
