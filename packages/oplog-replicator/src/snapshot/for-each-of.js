/**
 * @template T
 * @param {T[]} items
 * @param {number} atOnce
 * @param {(item: T) => Promise<void>} use
 * @returns {Promise<void>} rejects with the first error, once nothing runs any more; then some items are left
 */
export async function forEachOf(items, atOnce, use) {
  const left = [...items];
  const work = async () => {
    for (let item = left.shift(); item !== undefined; item = left.shift()) {
      try {
        await use(item);
      } catch (error) {
        left.length = 0;
        throw error;
      }
    }
  };
  const all = Array.from({ length: atOnce }, work);
  await Promise.allSettled(all);
  await Promise.all(all);
}
