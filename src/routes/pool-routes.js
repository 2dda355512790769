import { sampleServiceTimes } from 'mongodb-pool-monitor';
import { clientError, sendProblem } from '../http/problem.js';
import { readPool } from '../live/pool-feed.js';
import { HAS_PREDICTOR } from './page-routes.js';

/**
 * `GET /pool`: the gauges, who holds connections, and who waits. `slowPool` is the pool of /slow, if it has its own.
 * `requests` and, if a limit is set, `slowLimit` count running requests. `features` says what is installed. A prediction
 * needs `services`, `overhead` and `settings`.
 * @param {Pick<import('./parts.js').Parts, 'database' | 'load' | 'requests' | 'requestTimeoutMs' | 'requestLimit' |
 *   'slowLimit' | 'checkouts' | 'controls' | 'loadTests'>} parts
 * @returns {import('express').RequestHandler}
 */
export function createPoolRoute({
  database, load, requests, requestTimeoutMs, requestLimit, slowLimit, checkouts, controls, loadTests,
}) {
  return (req, res) => {
    const { slowPool, ...pool } = readPool(database, load);
    const limit = slowLimit.snapshot();
    res.json({
      ...pool,
      serverVersion: database.version,
      controls: controls.enabled,
      needsToken: controls.token !== undefined,
      features: { loadTests: loadTests.missing === null, predictions: HAS_PREDICTOR },
      services: sampleServiceTimes(checkouts.list()),
      overhead: requests.sampleOverhead(),
      settings: { ...readSettings(database, limit.max), requestTimeoutMs },
      requests: requestLimit.snapshot(),
      ...readLifetime(database.main),
      ...(slowPool && { slowPool: { ...slowPool, ...readLifetime(database.slow) } }),
      ...(limit.max < Infinity && { slowLimit: limit }),
    });
  };
}

/**
 * The settings that decide how long requests wait, under the names of src/settings-table.js.
 * @param {import('../mongo/database.js').Database} database
 * @param {number} slowConcurrency
 */
function readSettings({ main, slow }, slowConcurrency) {
  const { maxPoolSize, minPoolSize, maxConnecting, waitQueueTimeoutMS } = main.current.client.options;
  return {
    poolSize: maxPoolSize,
    minPoolSize,
    maxConnecting,
    waitQueueTimeoutMs: waitQueueTimeoutMS,
    ...(slow !== main && { slowPoolSize: slow.current.client.options.maxPoolSize }),
    ...(slowConcurrency < Infinity && { slowConcurrency }),
  };
}

/**
 * Counts since the current client replaced the one before. /metrics counts since the app's start.
 * @param {import('../mongo/shared-client.js').SharedClient} shared
 */
function readLifetime({ current: { monitor } }) {
  const {
    wait, use, connect, checkedOut, operationsFailed, checkOutFailed, created, closed, cleared,
  } = monitor.snapshot().totals;
  return { wait, use, connect, checkedOut, operationsFailed, checkOutFailed, created, closed, cleared };
}

/**
 * `GET /pool/checkouts?after=ID`: the checkouts of the last minutes that ended after that id, `lastId` for the next
 * request, and how many were forgotten in between.
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

/**
 * `GET /pool/server`: the load of the server behind the pool, read now. It takes no connection from the pool. A value is
 * null where the server does not tell.
 * @param {Pick<import('./parts.js').Parts, 'database'>} parts
 * @returns {import('express').RequestHandler}
 */
export function createServerRoute({ database }) {
  return async (req, res) => {
    const { reachable, reason } = database.status();
    if (reachable) res.json(await database.readServerLoad());
    else sendProblem(res, { status: 503, title: 'MongoDB is unreachable', detail: String(reason) });
  };
}
