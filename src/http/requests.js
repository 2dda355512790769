import onHeaders from 'on-headers';

/** @typedef {import('../universal/feed-shapes.js').EndedRequest} EndedRequest */

/**
 * The HTTP requests that use the pool. Gives each an id that its checkouts carry, tells the client in Server-Timing
 * where the time went, and notifies listeners when a request ends.
 *
 * @param {import('mongodb-pool-monitor').Checkouts} checkouts
 */
export function createRequests(checkouts) {
  /** @type {Set<(request: EndedRequest) => void>} */
  const listeners = new Set();
  let lastId = 0;

  return {
    /** @param {string} route @returns {import('express').RequestHandler} */
    follow: (route) => (req, res, next) => {
      const arrivedAtMs = performance.now();
      const context = checkouts.createContext({ route, requestId: `r${++lastId}`, signal: res.locals.signal });
      onHeaders(res, () => {
        if (res.statusCode >= 500) checkouts.fail(context);
        res.setHeader('Server-Timing', [
          `pool;dur=${context.waitMs.toFixed(1)}`, `db;dur=${context.useMs.toFixed(1)}`,
          `total;dur=${(performance.now() - arrivedAtMs).toFixed(1)}`,
        ].join(', '));
      });
      res.once('close', () => {
        const { requestId, waitMs, behind } = context;
        const status = res.writableFinished ? res.statusCode : 0;
        const ended = { requestId, method: req.method, route, status, totalMs: performance.now() - arrivedAtMs, waitMs, behind };
        for (const listener of listeners) listener(ended);
      });
      checkouts.runInRequest(context, next);
    },
    /** @param {(request: EndedRequest) => void} listener */
    onEnd(listener) {
      listeners.add(listener);
    },
  };
}
