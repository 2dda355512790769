import express from 'express';
import { secure } from 'mongodb-pool-monitor/live';

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
