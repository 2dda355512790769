/** @param {unknown} value @returns {value is Record<string, any>} whether it is an object, not a list */
export function isRecord(value) {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Turns a value into text, even where String() would throw, such as for `{ toString: 1 }`.
 *
 * @param {unknown} value plain JSON
 * @returns {string} a string unchanged, anything else as JSON
 */
export function textOf(value) {
  return typeof value === 'string' ? value : String(JSON.stringify(value));
}
