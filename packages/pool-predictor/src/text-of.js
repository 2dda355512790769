/**
 * A value as text, also where String() would throw, such as for `{ toString: 1 }`.
 *
 * @param {unknown} value plain JSON
 * @returns {string} a string as it is, everything else as JSON
 */
export function textOf(value) {
  return typeof value === 'string' ? value : String(JSON.stringify(value));
}
