import { diagnose } from '../doctor/diagnose.js';
import { readTraceText } from '../reading/read-trace.js';
import { predictWhatIf } from './what-if.js';

/** @import { RecordedTrace } from '../reading/recorded-trace.js' */

/** @type {RecordedTrace} */
let recorded;

// A web worker, so that the page stays responsive. It receives { id, trace, isNew }, the text of a trace, or none for
// the same one again, and answers with its diagnosis and, if it is new, with what pools of other sizes would have done.
addEventListener('message', async ({ data: { id, trace, isNew } }) => {
  const startedAtMs = performance.now();
  if (trace !== undefined) recorded = await readTraceText(trace);
  const whatIf = isNew ? await predictWhatIf(recorded) : null;
  postMessage({ id, diagnosis: diagnose(recorded), whatIf, tookMs: performance.now() - startedAtMs });
});
