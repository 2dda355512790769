import { createExpress } from './http/create-express.js';
import { logRequests } from './http/log-requests.js';
import { answerErrors, problemOf, sendProblem } from './http/problem.js';
import { RequestDeadline } from './http/request-deadline.js';
import { createControlRoutes } from './routes/control-routes.js';
import { createFastRoute } from './routes/fast-route.js';
import { createLiveRoute, createReadyRoute } from './routes/health-routes.js';
import { createSlowRoute } from './routes/slow-route.js';

/**
 * Assembles the Express app. The caller listens.
 *
 * The order of the middleware matters:
 * 1. The request log sees every request from its arrival.
 * 2. `follow` ends a request at its deadline, measures it, and gives it `res.locals.signal`. The concurrency limit comes
 *    last there, so that refused requests are measured too.
 * 3. The 404 answer comes after all routes.
 * 4. The error handler comes last.
 *
 * @param {import('./routes/parts.js').Parts} parts
 */
export function createApp(parts) {
  const app = createExpress();
  app.use(logRequests(parts.log));

  /** @param {string} route @returns {import('express').RequestHandler} */
  const follow = (route) => (req, res, next) => {
    const deadline = new RequestDeadline(res, parts.requestTimeoutMs);
    const { signal } = deadline;
    res.locals.signal = signal;
    parts.requests.run(req, res, { route, signal }, () => {
      deadline.enter(parts.requestLimit);
      next();
    });
  };
  app.get('/slow', follow('/slow'), createSlowRoute(parts));
  app.get('/fast', follow('/fast'), createFastRoute(parts));
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
