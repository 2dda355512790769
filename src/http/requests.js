import onHeaders from 'on-headers';

/** @typedef {import('mongodb-pool-monitor/live').EndedRequest} EndedRequest */

/** How many requests the sample of the overhead is taken from. */
const MAX_OVERHEADS = 200;

/**
 * The HTTP requests that use the pool. Gives each an id that its checkouts carry, tells the client in Server-Timing
 * where the time went, and notifies listeners when a request ends.
 *
 * @param {import('mongodb-pool-monitor').Checkouts} checkouts
 */
export function createRequests(checkouts) {
  /** @type {Set<(request: EndedRequest) => void>} */
  const listeners = new Set();
  /** Of the last requests that succeeded, oldest first. @type {number[]} */
  const overheadsMs = [];
  let lastId = 0;

  /** @param {number} ms */
  function keepOverhead(ms) {
    // Checkouts at the same time count twice.
    overheadsMs.push(Math.round(Math.max(0, ms) * 1000) / 1000);
    if (overheadsMs.length > MAX_OVERHEADS) overheadsMs.shift();
  }

  return {
    /** @param {string} route @returns {import('express').RequestHandler} */
    follow: (route) => (req, res, next) => {
      const arrivedAtMs = performance.now();
      checkouts.run({ route, requestId: `r${++lastId}`, signal: res.locals.signal }, (context) => {
        onHeaders(res, () => {
          if (res.statusCode >= 500) checkouts.fail(context);
          res.setHeader('Server-Timing', [
            `pool;dur=${context.waitMs.toFixed(1)}`, `db;dur=${context.useMs.toFixed(1)}`,
            `total;dur=${(performance.now() - arrivedAtMs).toFixed(1)}`,
          ].join(', '));
        });
        res.once('close', () => {
          const { requestId, waitMs, useMs, behind } = context;
          const status = res.writableFinished ? res.statusCode : 0;
          const totalMs = performance.now() - arrivedAtMs;
          const ended = { requestId, method: req.method, route, status, totalMs, waitMs, useMs, behind };
          if (status >= 200 && status < 400) keepOverhead(totalMs - waitMs - useMs);
          for (const listener of listeners) listener(ended);
        });
        next();
      });
    },
    /** @param {(request: EndedRequest) => void} listener */
    onEnd(listener) {
      listeners.add(listener);
    },
    /**
     * What the last responses took in the app beyond waits and uses, in the simulator's format.
     * @returns {{ kind: 'sample', valuesMs: number[] } | undefined} undefined without requests
     */
    sampleOverhead: () => (overheadsMs.length > 0 ? { kind: 'sample', valuesMs: [...overheadsMs] } : undefined),
  };
}
