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
