import { fileURLToPath } from 'node:url';
import express from 'express';
import { CHART_JS } from '../report/chart-js.js';

const FOLDER = fileURLToPath(new URL('../dashboard/', import.meta.url));
/** Beside the page's folder here as in its URLs, so that the page's imports of the simulator hold in both. */
const SIMULATOR_FOLDER = fileURLToPath(new URL('../predict/', import.meta.url));

/** `GET /`: the live page, its parts below `/dashboard/`, the simulator it runs below `/predict/`. */
export function createPageRoutes() {
  const router = express.Router();
  router.get('/', (req, res) => res.sendFile('index.html', { root: FOLDER }));
  router.get('/dashboard/chart.js', (req, res) => res.sendFile(CHART_JS));
  router.use('/dashboard', express.static(FOLDER, { index: false }));
  router.use('/predict', express.static(SIMULATOR_FOLDER, { index: false }));
  return router;
}
