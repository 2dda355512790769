/**
 * The values of promises, in the order in which they resolve.
 * @template T
 * @param {Promise<T>[]} promises
 * @returns {Promise<T[]>}
 */
export async function inOrder(promises) {
  /** @type {T[]} */
  const values = [];
  await Promise.all(promises.map(async (promise) => values.push(await promise)));
  return values;
}
