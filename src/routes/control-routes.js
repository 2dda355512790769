import express from 'express';
import { readJsonBody, requireSameOrigin, requireToken } from '../http/request-guards.js';
import { clientError, sendProblem } from '../http/problem.js';

const MAX_CONNECTIONS = 1000;
/** How long the page's controls let a query of /slow take. */
export const MAX_SLOW_MS = 60_000;
const MAX_REQUESTS = 100;
const ROUTES = ['/slow', '/fast'];

/**
 * `POST /control/...`: the page's controls. Bodies and answers are JSON.
 * @param {import('./app-context.js').AppContext} context
 */
export function createControlRoutes({ database, load, loadTests, sendTraffic, controls }) {
  const router = express.Router();
  router.use(requireSameOrigin(controls), requireToken(controls.token), ...readJsonBody('1kb'));

  // The token was checked above.
  router.post('/token', (req, res) => {
    res.json({});
  });

  router.post('/pool-size', async (req, res) => {
    const poolSize = readInteger(req.body, 'poolSize', 1, MAX_CONNECTIONS);
    await database.main.resize(poolSize);
    loadTests.recordLoad();
    res.json({ poolSize });
  });

  router.post('/slow-ms', (req, res) => {
    load.slowMs = readInteger(req.body, 'slowMs', 1, MAX_SLOW_MS);
    loadTests.recordLoad();
    res.json({ slowMs: load.slowMs });
  });

  router.post('/traffic', (req, res) => {
    const { route } = Object(req.body);
    if (!ROUTES.includes(route)) throw clientError(400, `route must be one of ${ROUTES.join(', ')}`);
    const count = readInteger(req.body, 'count', 1, MAX_REQUESTS);
    sendTraffic(route, count);
    res.status(202).json({ route, count });
  });

  router.post('/load-test', async (req, res) => {
    if (loadTests.missing) {
      sendProblem(res, { status: 501, title: 'Load tests are not installed', detail: loadTests.missing });
      return;
    }
    await database.main.settled();
    res.status(202).json(await loadTests.start());
  });
  return router;
}

/** @param {unknown} body @param {string} name @param {number} min @param {number} max @returns {number} */
function readInteger(body, name, min, max) {
  const value = Object(body)[name];
  if (Number.isInteger(value) && value >= min && value <= max) return value;
  throw clientError(400, `${name} must be a whole number from ${min} to ${max}`);
}

/**
 * Requests that the app sends to itself for the page. A browser opens at most six connections per host, so the seventh
 * vehicle would wait in the browser instead of the pool.
 *
 * @param {() => string} ownUrl
 * @param {import('pino').Logger} log
 */
export function createTraffic(ownUrl, log) {
  return (/** @type {string} */ route, /** @type {number} sent at once */ count) => {
    for (let sent = 0; sent < count; sent++) {
      fetch(`${ownUrl()}${route}`)
        .then((response) => response.arrayBuffer())
        .catch((error) => log.warn({ err: error, route }, 'a request of the page failed'));
    }
  };
}
