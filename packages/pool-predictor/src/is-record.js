/** @param {unknown} value @returns {value is Record<string, any>} whether it is an object, not a list */
export function isRecord(value) {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
