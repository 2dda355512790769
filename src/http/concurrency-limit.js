/** @typedef {ReturnType<typeof createConcurrencyLimit>} ConcurrencyLimit */

/** The limit is reached. The message says how much is running. */
export class ConcurrencyLimitError extends Error {
  name = 'ConcurrencyLimitError';
}

/** Lets up to `max` calls run at once and refuses more. @param {number} [max] */
export function createConcurrencyLimit(max = Infinity) {
  let running = 0;
  let refused = 0;

  /** Counts one more. Call `leave` once when it ends. @throws {ConcurrencyLimitError} at the limit */
  function enter() {
    if (running >= max) {
      refused += 1;
      throw new ConcurrencyLimitError(`${running} requests are running, the limit is ${max}`);
    }
    running += 1;
  }

  function leave() {
    running -= 1;
  }

  return {
    enter,
    leave,
    /** `refused` counts since the start. */
    snapshot: () => ({ max, running, refused }),
    /**
     * @template T
     * @param {() => Promise<T>} work
     * @returns {Promise<T>}
     * @throws {ConcurrencyLimitError} at once, without starting the work
     */
    async run(work) {
      enter();
      try {
        return await work();
      } finally {
        leave();
      }
    },
  };
}
