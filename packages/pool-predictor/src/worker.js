import { servicesOfApp } from './service/known-services.js';
import { predictPoolSizes } from './predict-recent-load.js';

// A thread of its own: the page's pictures must not stand still while this one counts.
addEventListener('message', ({ data: { load, pool } }) => {
  const startedAtMs = performance.now();
  const prediction = predictPoolSizes(load, servicesOfApp(pool));
  postMessage({ prediction, tookMs: performance.now() - startedAtMs });
});
