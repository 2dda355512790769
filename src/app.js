import express from 'express';
import { createBound } from './live/bound.js';
import { createGiveUp } from './live/give-up.js';
import { answerErrors, problemOf, sendProblem } from './problem.js';
import { createControlRoutes } from './routes/control.js';
import { createFastRoute } from './routes/fast.js';
import { createLiveRoute, createReadyRoute } from './routes/health.js';
import { createMetricsRoute } from './routes/metrics.js';
import { createPageRoutes } from './routes/page.js';
import { createCheckoutsRoute, createPoolRoute } from './routes/pool.js';
import { createSlowRoute } from './routes/slow.js';
import { securityHeaders } from './security-headers.js';

/**
 * @typedef {object} Parts what the app is made of
 * @property {import('./mongo/database.js').Database} database
 * @property {{ slowMs: number }} load how long a query of /slow takes, as of now
 * @property {ReturnType<typeof import('./pool/cap.js').createCap>} slowCap how many of them may be at work at once
 * @property {import('./pool/checkouts.js').Checkouts} checkouts
 * @property {ReturnType<typeof import('./live/requests.js').createRequests>} requests
 * @property {number} requestTimeoutMs how long each of them may take
 * @property {ReturnType<typeof import('./pool/cap.js').createCap>} requestCap how many may be under way at once
 * @property {ReturnType<typeof import('./pool/metrics.js').createMetrics>} metrics
 * @property {ReturnType<typeof import('./live/streams.js').createStreams>} streams
 * @property {ReturnType<typeof import('./live/traffic.js').createTraffic>} traffic
 * @property {ReturnType<typeof import('./live/load-tests.js').createLoadTests>} loadTests
 * @property {{ enabled: boolean, anyHost: boolean, token?: string }} controls whether the page may change things, under
 *   which names, and what it has to show
 * @property {import('pino').Logger} log
 */

/**
 * Make the Express app. It never listens: that is the caller's.
 * @param {Parts} parts
 */
export function createApp(parts) {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.use(securityHeaders, logRequests(parts.log));

  const giveUp = createGiveUp(parts.requestTimeoutMs);
  const bound = createBound(parts.requestCap);
  app.get('/slow', giveUp, parts.requests.follow('/slow'), bound, createSlowRoute(parts));
  app.get('/fast', giveUp, parts.requests.follow('/fast'), bound, createFastRoute(parts));
  app.get('/livez', createLiveRoute());
  app.get('/readyz', createReadyRoute(parts));
  app.get('/pool', createPoolRoute(parts));
  app.get('/pool/checkouts', createCheckoutsRoute(parts));
  app.get('/pool/events', parts.streams.open);
  app.get('/metrics', createMetricsRoute(parts));
  app.use('/control', createControlRoutes(parts));
  app.use(createPageRoutes());

  app.use((req, res) => sendProblem(res, problemOf(404)));
  app.use(answerErrors(parts.log));
  return app;
}

/**
 * @param {import('pino').Logger} log
 * @returns {import('express').RequestHandler}
 */
function logRequests(log) {
  return (req, res, next) => {
    const arrivedAt = performance.now();
    res.once('close', () => {
      const ms = Math.round(performance.now() - arrivedAt);
      log.debug({ method: req.method, path: req.path, status: res.statusCode, ms, aborted: !res.writableFinished },
        'request');
    });
    next();
  };
}
