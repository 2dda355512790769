/** @typedef {ReturnType<typeof createConcurrencyLimit>} ConcurrencyLimit */

/** The limit is reached. The message says how much is running. */
export class ConcurrencyLimitError extends Error {
  name = 'ConcurrencyLimitError';
}

/** Runs up to `max` pieces of work at once and refuses more. @param {number} [max] */
export function createConcurrencyLimit(max = Infinity) {
  let running = 0;
  let refused = 0;
  return {
    /** `refused` counts since the start. */
    snapshot: () => ({ max, running, refused }),
    /**
     * @template T
     * @param {() => Promise<T>} work
     * @returns {Promise<T>}
     * @throws {ConcurrencyLimitError} at once, without starting the work
     */
    async run(work) {
      if (running >= max) {
        refused += 1;
        throw new ConcurrencyLimitError(`${running} requests are running, the limit is ${max}`);
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

/**
 * Applies a limit to requests. A request runs until it is answered or its client disconnects.
 * @param {ConcurrencyLimit} limit
 * @returns {import('express').RequestHandler}
 */
export function limitRequests(limit) {
  return (req, res, next) => {
    limit.run(() => new Promise((resolve) => {
      res.once('close', () => resolve(undefined));
      next();
    })).catch(next);
  };
}
