import { CAUSED_BY_QUERIES } from '../doctor/causes.js';
import { diagnose } from '../doctor/diagnose.js';
import { openRecording } from '../predict/recording.js';
import { judgeTrust } from '../predict/trust.js';
import { predictWhatIf } from '../predict/what-if.js';
import { readTraceText } from '../reading/read-trace.js';
import { simulateHere } from '../runs/simulation-runs.js';
import { findSpeedups } from './speedups.js';

/** @import { RecordedTrace } from '../reading/recorded-trace.js' */
/** @import { Speedups } from './speedups.js' */

/** What can be asked about a trace: why its requests waited, other pool sizes, and faster queries. */
const ANSWERS = { diagnosis: diagnose, whatIf: predictWhatIf, speedups: rankQueries };

/** @type {RecordedTrace} */
let recorded;

// A web worker, so that the page stays responsive. It receives { id, trace, wanted }: the text of a trace, or none for
// the same one again, and the name of an answer. It answers with { id, tookMs } and, under its name, that answer.
addEventListener('message', async ({ data: { id, trace, wanted } }) => {
  const startedAtMs = performance.now();
  if (trace !== undefined) recorded = await readTraceText(trace);
  const answer = await ANSWERS[/** @type {keyof typeof ANSWERS} */ (wanted)](recorded);
  postMessage({ id, [wanted]: answer, tookMs: performance.now() - startedAtMs });
});

/**
 * @param {RecordedTrace} trace
 * @returns {Promise<Speedups | null>} null where queries are not why requests waited, or see findSpeedups
 */
async function rankQueries(trace) {
  const { cause, isProblem } = diagnose(trace).verdict;
  if (!isProblem || !CAUSED_BY_QUERIES.includes(cause)) return null;
  const recording = openRecording([trace]);
  const { load, overhead } = recording;
  return findSpeedups({
    recording,
    trust: judgeTrust(recording, null),
    simulateRuns: simulateHere({ load, services: load.services, overhead }),
  });
}
