import { createExpress, logRequests } from './http/create-express.js';
import { answerErrors, problemOf, sendProblem } from './http/problem.js';
import { RequestDeadline } from './http/request-deadline.js';
import { createControlRoutes } from './routes/control-routes.js';
import { answerLive, createReadyRoute } from './routes/health-routes.js';
import { createFastRoute, createSlowRoute } from './routes/query-routes.js';

/**
 * Assembles the Express app. The caller listens.
 *
 * The order of the middleware matters:
 * 1. The request log sees every request from its arrival.
 * 2. `follow` ends a request at its deadline, measures it, and gives it `res.locals.signal`. The concurrency limit
 * comes last there, so that refused requests are measured too.
 * 3. The 404 answer comes after all routes.
 * 4. The error handler comes last.
 *
 * @param {import('./routes/app-context.js').AppContext} context
 */
export function createApp(context) {
  const app = createExpress();
  if (context.log.isLevelEnabled('debug')) app.use(logRequests(context.log));

  /** @param {string} route @returns {import('express').RequestHandler} */
  const follow = (route) => (req, res, next) => {
    const deadline = new RequestDeadline(res, context.requestTimeoutMs);
    const { signal } = deadline;
    res.locals.signal = signal;
    context.requests.run(req, res, { route, signal }, () => {
      deadline.enter(context.requestLimit);
      next();
    });
  };
  app.get('/slow', follow('/slow'), createSlowRoute(context));
  app.get('/fast', follow('/fast'), createFastRoute(context));
  app.get('/livez', answerLive);
  app.get('/readyz', createReadyRoute(context));
  app.use('/control', createControlRoutes(context));
  app.use((req, res, next) => {
    if (!context.live.handle(req, res)) next();
  });
  app.use((req, res) => sendProblem(res, problemOf(404)));
  app.use(answerErrors(context.log));
  return app;
}
