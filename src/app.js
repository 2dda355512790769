import express from 'express';
import { limitRequests } from './http/concurrency-limit.js';
import { logRequests } from './http/log-requests.js';
import { answerErrors, problemOf, sendProblem } from './http/problem.js';
import { createRequestDeadline } from './http/request-deadline.js';
import { securityHeaders } from './http/security-headers.js';
import { createControlRoutes } from './routes/control-routes.js';
import { createFastRoute } from './routes/fast-route.js';
import { createLiveRoute, createReadyRoute } from './routes/health-routes.js';
import { createSlowRoute } from './routes/slow-route.js';

/**
 * Assembles the Express app. The caller listens.
 *
 * The order of the middleware matters:
 * 1. Security headers come first, so that every answer has them, errors too.
 * 2. The request log sees every request from its arrival.
 * 3. The request deadline creates `res.locals.signal`.
 * 4. `follow` gives that signal to the request's checkouts, and measures the request.
 * 5. The concurrency limit comes after it, so that refused requests are measured too.
 * 6. The 404 answer comes after all routes.
 * 7. The error handler comes last.
 *
 * @param {import('./routes/parts.js').Parts} parts
 */
export function createApp(parts) {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.use(securityHeaders, logRequests(parts.log));

  const deadline = createRequestDeadline(parts.requestTimeoutMs);
  const limit = limitRequests(parts.requestLimit);
  /** @param {string} route @returns {import('express').RequestHandler} */
  const follow = (route) => (req, res, next) => parts.requests.run(req, res, { route, signal: res.locals.signal }, next);
  app.get('/slow', deadline, follow('/slow'), limit, createSlowRoute(parts));
  app.get('/fast', deadline, follow('/fast'), limit, createFastRoute(parts));
  app.get('/livez', createLiveRoute());
  app.get('/readyz', createReadyRoute(parts));
  app.use('/control', createControlRoutes(parts));
  app.use((req, res, next) => {
    if (!parts.live.handle(req, res)) next();
  });
  app.use((req, res) => sendProblem(res, problemOf(404)));
  app.use(answerErrors(parts.log));
  return app;
}
