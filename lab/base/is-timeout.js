/** @param {any} error @returns {boolean} whether an answer took too long: an overloaded app may still answer */
export function isTimeout(error) {
  return Boolean(error) && (error.name === 'TimeoutError' || isTimeout(error.cause));
}
