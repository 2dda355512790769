import { readPool } from '../live/pool-feed.js';
import { sampleServiceTimes } from 'mongodb-pool-monitor';
import { clientError } from '../http/problem.js';

/**
 * `GET /pool`: the pool in figures, who is in it and who waits; `slowPool` is that of /slow where it has its own,
 * `requests` and, where there is a cap, `slowLimit` say how many are under way.
 * @param {Pick<import('./parts.js').Parts, 'database' | 'load' | 'requestLimit' | 'slowLimit' | 'checkouts' | 'controls'>} parts
 * @returns {import('express').RequestHandler}
 */
export function createPoolRoute({ database, load, requestLimit, slowLimit, checkouts, controls }) {
  return (req, res) => {
    const { slowPool, ...pool } = readPool(database, load);
    const cap = slowLimit.snapshot();
    res.json({
      ...pool,
      serverVersion: database.version,
      controls: controls.enabled,
      needsToken: controls.token !== undefined,
      services: sampleServiceTimes(checkouts.list()),
      requests: requestLimit.snapshot(),
      ...readLifetime(database.main),
      ...(slowPool && { slowPool: { ...slowPool, ...readLifetime(database.slow) } }),
      ...(cap.max < Infinity && { slowLimit: cap }),
    });
  };
}

/**
 * Since the current client took over; /metrics counts from the app's start.
 * @param {import('../mongo/shared-client.js').SharedClient} shared
 */
function readLifetime({ current: { monitor } }) {
  const {
    wait, use, connect, checkedOut, operationsFailed, checkOutFailed, created, closed, cleared,
  } = monitor.snapshot().totals;
  return { wait, use, connect, checkedOut, operationsFailed, checkOutFailed, created, closed, cleared };
}

/**
 * `GET /pool/checkouts?after=ID`: the record of the last minutes' checkouts, those after an id where one is given; what
 * the next question is to come after, and how many the record has forgotten in between.
 * @param {Pick<import('./parts.js').Parts, 'checkouts'>} parts
 * @returns {import('express').RequestHandler}
 */
export function createCheckoutsRoute({ checkouts }) {
  return (req, res) => {
    const { after: text = '0' } = req.query;
    const after = typeof text === 'string' && /^\d{1,15}$/.test(text) ? Number(text) : NaN;
    if (Number.isNaN(after)) throw clientError(400, 'after must be the id of a checkout, a whole number');
    res.json({
      checkouts: checkouts.list({ after }), lastId: checkouts.lastId, forgotten: checkouts.countForgotten(after),
    });
  };
}
