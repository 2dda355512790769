/** @param {string} text @returns {any} undefined if it is not JSON */
export function parseJson(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
