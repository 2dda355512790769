/**
 * Runs `use` for all items, for several at the same time.
 * @template T
 * @param {T[]} items
 * @param {number} concurrency
 * @param {(item: T) => Promise<void>} use
 * @returns {Promise<void>} rejects with the first error, once nothing is running; some items are left then
 */
export async function forEachConcurrently(items, concurrency, use) {
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
  const all = Array.from({ length: concurrency }, work);
  await Promise.allSettled(all);
  await Promise.all(all);
}
