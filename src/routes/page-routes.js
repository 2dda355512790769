import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import express from 'express';
import { CHART_JS } from '../report/chart-js.js';

const PAGE = fileURLToPath(new URL('../page/', import.meta.url));
const UNIVERSAL = fileURLToPath(new URL('../universal/', import.meta.url));
const PREDICTOR = findPredictor();
/** Whether the page can predict. */
export const HAS_PREDICTOR = PREDICTOR !== null;

/**
 * `GET /`: the live page. `/page/` and `/universal/` mirror the folders, so that their imports of each other work. The
 * predictor's worker, if that package is installed, is `/pool-predictor/worker.js`.
 */
export function createPageRoutes() {
  const router = express.Router();
  router.get('/', (req, res) => res.sendFile('index.html', { root: PAGE }));
  router.get('/page/chart.js', (req, res) => res.sendFile(CHART_JS));
  router.use('/page', express.static(PAGE, { index: false }));
  router.use('/universal', express.static(UNIVERSAL, { index: false }));
  if (PREDICTOR) router.use('/pool-predictor', express.static(PREDICTOR, { index: false }));
  return router;
}

/** @returns {string | null} the folder of the predictor's files; the app also runs without it */
function findPredictor() {
  try {
    return dirname(createRequire(import.meta.url).resolve('mongodb-pool-predictor/worker'));
  } catch {
    return null;
  }
}
