/**
 * A value of a file in words, also one that JavaScript itself would make no text of, such as `{ toString: 1 }`.
 *
 * @param {unknown} value a tree of plain JSON
 * @returns {string} text as it is, everything else as JSON
 */
export function textOf(value) {
  return typeof value === 'string' ? value : String(JSON.stringify(value));
}
