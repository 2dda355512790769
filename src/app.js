import express from 'express';
import { limitRequests } from './http/limit-requests.js';
import { createRequestDeadline } from './http/request-deadline.js';
import { answerErrors, problemOf, sendProblem } from './http/problem.js';
import { createControlRoutes } from './routes/control-routes.js';
import { createFastRoute } from './routes/fast-route.js';
import { createLiveRoute, createReadyRoute } from './routes/health-routes.js';
import { createMetricsRoute } from './routes/metrics-route.js';
import { createPageRoutes } from './routes/page-routes.js';
import { createCheckoutsRoute, createPoolRoute } from './routes/pool-routes.js';
import { createSlowRoute } from './routes/slow-route.js';
import { securityHeaders } from './http/security-headers.js';

/**
 * Make the Express app. It never listens: that is the caller's.
 * @param {import('./routes/parts.js').Parts} parts
 */
export function createApp(parts) {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.use(securityHeaders, logRequests(parts.log));

  const giveUp = createRequestDeadline(parts.requestTimeoutMs);
  const bound = limitRequests(parts.requestLimit);
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
