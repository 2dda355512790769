import { diagnose } from '../doctor/diagnose.js';
import { servicesOfApp } from '../service/app-services.js';
import { readTraceText } from '../trace/read-trace.js';
import { predictPoolSizes } from './predict-recent-load.js';

// A web worker, so that the page stays responsive. It receives { id, trace }, the text of a trace, and answers with its
// diagnosis; or { id, load, pool }, load as RecentArrivals, pool as the body of GET /pool, and answers with a prediction.
addEventListener('message', async ({ data: { id, trace, load, pool } }) => {
  const startedAtMs = performance.now();
  const answer =
    trace === undefined
      ? { prediction: await predictPoolSizes(load, servicesOfApp(pool)) }
      : { diagnosis: diagnose(await readTraceText(trace)) };
  postMessage({ id, ...answer, tookMs: performance.now() - startedAtMs });
});
