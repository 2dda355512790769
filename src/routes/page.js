import { fileURLToPath } from 'node:url';
import express from 'express';
import { CHART_JS } from '../report/chart-js.js';

const FOLDER = fileURLToPath(new URL('../dashboard/', import.meta.url));
/** Beside the page's folder here as in its URLs, so that the page's imports of the simulator hold in both. */
const SIMULATOR_FOLDER = fileURLToPath(new URL('../predict/', import.meta.url));

/** What the page may load and send to: this app, and nothing else. */
const CONTENT_SECURITY_POLICY = "default-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'self'";

/** `GET /`: the live page, its parts below `/dashboard/`, the simulator it runs below `/predict/`. */
export function createPageRoutes() {
  const router = express.Router();
  /** @type {import('express').RequestHandler} */
  const secure = (req, res, next) => {
    res.set({ 'Content-Security-Policy': CONTENT_SECURITY_POLICY, 'X-Content-Type-Options': 'nosniff' });
    next();
  };
  router.get('/', secure, (req, res) => res.sendFile('index.html', { root: FOLDER }));
  router.get('/dashboard/chart.js', secure, (req, res) => res.sendFile(CHART_JS));
  router.use('/dashboard', secure, express.static(FOLDER, { index: false }));
  router.use('/predict', secure, express.static(SIMULATOR_FOLDER, { index: false }));
  return router;
}
