import { servicesOfApp } from '../service/app-services.js';
import { predictPoolSizes } from './predict-recent-load.js';

// A web worker, so that the page stays responsive during a prediction.
// Receives { load, pool }: load as RecentArrivals, pool as the body of GET /pool.
addEventListener('message', async ({ data: { load, pool } }) => {
  const startedAtMs = performance.now();
  const prediction = await predictPoolSizes(load, servicesOfApp(pool));
  postMessage({ prediction, tookMs: performance.now() - startedAtMs });
});
