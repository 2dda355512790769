/** There is as much work of a kind as there may be at once; the message says how much. */
export class ConcurrencyLimitError extends Error {
  name = 'ConcurrencyLimitError';
}

/**
 * Let so much work be done at once and refuse the next. A place is taken until the work is over.
 *
 * @param {number} [max] no cap unless told
 */
export function createConcurrencyLimit(max = Infinity) {
  let running = 0;
  let refused = 0;
  return {
    /** `refused` counts from the start. */
    snapshot: () => ({ max, running, refused }),
    /**
     * @template T
     * @param {() => Promise<T>} work
     * @returns {Promise<T>}
     * @throws {ConcurrencyLimitError} at once, without having begun
     */
    async run(work) {
      if (running >= max) {
        refused += 1;
        throw new ConcurrencyLimitError(`${running} are at work, and no more than ${max} may be`);
      }
      running += 1;
      try {
        return await work();
      } finally {
        running -= 1;
      }
    },
  };
}
