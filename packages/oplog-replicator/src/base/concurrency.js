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

/** Memory that workers share for the documents they read and write. Requests are granted in order. */
export class ByteBudget {
  #total;
  #free;
  /** @type {{ bytes: number, grant: () => void }[]} */
  #waiting = [];

  /** @param {number} total bytes */
  constructor(total) {
    this.#total = total;
    this.#free = total;
  }

  /**
   * @template T
   * @param {number} wanted bytes; more than the total counts as the total
   * @param {() => Promise<T>} use
   */
  async spend(wanted, use) {
    const bytes = Math.min(wanted, this.#total);
    const granted = new Promise((resolve) => {
      this.#waiting.push({ bytes, grant: () => resolve(undefined) });
    });
    this.#grant();
    await granted;
    try {
      return await use();
    } finally {
      this.#free += bytes;
      this.#grant();
    }
  }

  #grant() {
    while (this.#waiting.length > 0 && this.#waiting[0].bytes <= this.#free) {
      const [{ bytes, grant }] = this.#waiting.splice(0, 1);
      this.#free -= bytes;
      grant();
    }
  }
}
