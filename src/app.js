import express from 'express';
import { problemOf, sendProblem, toProblem } from './problem.js';
import { createFastRoute } from './routes/fast.js';
import { createLiveRoute, createReadyRoute } from './routes/health.js';
import { createPoolRoute } from './routes/pool.js';
import { createSlowRoute } from './routes/slow.js';

/**
 * @typedef {object} Parts what the app is made of
 * @property {import('mongodb').MongoClient} client the one shared client
 * @property {import('mongodb').Collection<import('./mongo/data.js').Customer>} customers
 * @property {(ms: number) => Promise<void>} runSlowQuery
 * @property {number} slowMs
 * @property {() => boolean} isReady whether MongoDB can be reached now
 * @property {string} serverVersion of MongoDB
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
  app.use(logRequests(parts.log));

  app.get('/slow', createSlowRoute(parts));
  app.get('/fast', createFastRoute(parts));
  app.get('/pool', createPoolRoute(parts));
  app.get('/livez', createLiveRoute());
  app.get('/readyz', createReadyRoute(parts));

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

/**
 * @param {import('pino').Logger} log
 * @returns {import('express').ErrorRequestHandler}
 */
function answerErrors(log) {
  return (error, req, res, next) => {
    const problem = toProblem(error);
    log[problem.status === 500 ? 'error' : 'warn']({ err: error, path: req.path }, problem.title);
    if (res.headersSent) next(error);
    else sendProblem(res, problem);
  };
}
