import express from 'express';
import { secure } from 'mongodb-pool-page';

/** An Express app that says nothing about itself, and whose answers all have the security headers, errors too. */
export function createExpress() {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.use((req, res, next) => {
    secure(res);
    next();
  });
  return app;
}

/** @param {import('pino').Logger} log @returns {import('express').RequestHandler} */
export function logRequests(log) {
  return (req, res, next) => {
    const arrivedAt = performance.now();
    res.once('close', () => {
      const ms = Math.round(performance.now() - arrivedAt);
      log.debug(
        { method: req.method, path: req.path, status: res.statusCode, ms, aborted: !res.writableFinished },
        'request',
      );
    });
    next();
  };
}
