// An ordinary minute: 95 customers to 5 administrators (SLOW_MS 500), with pools of 2, 4 and 8. Rules: replayed from the
// arrivals and uses that the app recorded, p50, p95 and p99 of /fast lie within 10 % or 5 ms of what Artillery measured; p95 lies in
// the 90 % band predicted from the YAML file, give or take the 1 % error of Artillery's percentiles. Runs never overlap, because
// Artillery alone needs half a core.
import os from 'node:os';
import { fileURLToPath } from 'node:url';
import { createScenarioLoad, createTraceLoad, predict, quantile, simulate } from 'mongodb-pool-predictor';
import { readScenario } from 'mongodb-pool-predictor/node';
import { startApp } from '../../src/harness/app-process.js';
import { RESOLUTION_MS, runArtillery, spreadSummary, summariseReport } from '../../src/harness/artillery.js';
import { readCheckouts, useMsOf, warmUp } from '../../src/harness/warm-up.js';
import { openMongo } from '../../src/mongo/open.js';
import { compare } from './compare.js';
import { traceOf } from '../../src/harness/trace-of.js';

/** @typedef {import('../../src/harness/artillery.js').FullSummary} FullSummary */

const MINUTE = fileURLToPath(new URL('../../loadtests/users-and-admins.yaml', import.meta.url));
const MINUTE_SLOW_MS = 500;
const MINUTE_POOLS = [2, 4, 8];
/** Warms the app up before each minute, then times lone requests at the minute's own rate. */
const WARM_UP = { rounds: 500, requests: 200, everyMs: 50 };
/**
 * Times unloaded requests with Artillery, because its own pauses add to response times. It sends them as often and for as
 * long as in the minute: it is slower in its first twenty seconds.
 */
const ALONE = { scenario: fileURLToPath(new URL('../../loadtests/fast-only.yaml', import.meta.url)), environment: 'minute' };
const SKETCH_ERROR = 0.01;

/** @type {import('../parts/run-parts.js').Part} */
export const PART = {
  name: 'minutes',
  about: 'an ordinary minute, from its recorded arrivals and from its YAML file (5 minutes a run)',
  async run(context) {
    const rows = await compareMinutes(context);
    return [
      { title: 'An ordinary minute, /fast: measured / predicted, in ms, from the recorded arrivals; allowed 10 % or 5 ms. '
        + 'Last the 90 % band of the p95 predicted from the YAML file', rows },
      { title: 'Runs of the minute within the allowed difference', rows: MINUTE_POOLS.map((pool) => {
        const ofPool = rows.filter((row) => row.pool === pool);
        const share = (/** @type {(row: typeof rows[0]) => boolean} */ is) => `${ofPool.filter(is).length} of ${ofPool.length}`;
        return {
          pool,
          ...Object.fromEntries(/** @type {const} */ (['p50', 'p95', 'p99'])
            .map((figure) => [`${figure} from arrivals`, share((row) => !row[figure].includes('OFF'))])),
          'p95 in the band': share((row) => row['in band']),
        };
      }) },
    ];
  },
};

/** @param {import('../parts/run-parts.js').PartContext} context */
async function compareMinutes({ settings, signal, say, runs }) {
  const load = createScenarioLoad(await readScenario(MINUTE));
  const rows = [];
  const mongo = await openMongo(settings, { report: say, signal });
  try {
    for (let run = 1; run <= runs; run++) {
      say(`customers alone, run ${run}`);
      const { overheadMs, takenMs } = await measureAlone(mongo.url, signal);
      for (const poolSize of MINUTE_POOLS) {
        say(`a minute, pool ${poolSize}, run ${run}`);
        const { measured, arrivals, overheadsMs } = await measureMinute(mongo.url, poolSize, signal);
        const { records = [] } = simulate({
          arrivals, overhead: sample(overheadsMs), pool: { maxPoolSize: poolSize }, keepRequests: true,
        });
        const replayedMs = records.filter(({ route }) => route === '/fast')
          .map(({ arrivedAtMs, finishedAtMs }) => finishedAtMs - arrivedAtMs).sort((a, b) => a - b);
        // Of n times in order Artillery takes the one at share * (n - 1), from 0 on and rounded down.
        const replayed = (/** @type {number} */ share) => replayedMs[Math.floor(share * (replayedMs.length - 1))];
        const { variants: [{ predicted }] } = await predict({
          load,
          poolSizes: [poolSize],
          services: { '/fast': sample(takenMs), '/slow': sample(takenMs.map((ms) => ms + MINUTE_SLOW_MS)) },
          overhead: { kind: 'fixed', ms: overheadMs },
          resolutionMs: RESOLUTION_MS,
        });
        const [low, high] = [predicted.low, predicted.high].map((figures) => Number(figures?.routes['/fast'].p95Ms));
        const { p95Ms } = measured;
        rows.push({
          pool: poolSize,
          run,
          p50: compare(measured.p50Ms, replayed(0.5), 0.1),
          p95: compare(p95Ms, replayed(0.95), 0.1),
          p99: compare(measured.p99Ms, replayed(0.99), 0.1),
          'p95 from YAML': `${low.toFixed(1)} to ${high.toFixed(1)}`,
          'in band': p95Ms >= low * (1 - SKETCH_ERROR) && p95Ms <= high * (1 + SKETCH_ERROR),
          'load average': os.loadavg()[0].toFixed(1),
        });
      }
    }
  } finally {
    await mongo.stop();
  }
  return rows;
}

/**
 * Measures the unloaded response time of a customer's request, split into the query and the overhead.
 * @param {string} mongoUrl
 * @param {AbortSignal} signal
 */
function measureAlone(mongoUrl, signal) {
  return withWarmApp(mongoUrl, Math.max(...MINUTE_POOLS), signal, async (url, { lastId }) => {
    const { report } = await runArtillery({ ...ALONE, target: url, signal });
    const { checkouts } = await readCheckouts(url, lastId);
    const summary = /** @type {FullSummary} */ (report.summaries['http.response_time']);
    const aloneMs = spreadSummary(summary, summary.count);
    // All variation counts as the query's: drawn independently, query and overhead would rarely both be slow.
    const restMs = quantile(aloneMs, 0.5) - quantile(checkouts.map(useMsOf), 0.5);
    const overheadMs = Math.max(0, Math.min(...aloneMs, restMs));
    return { overheadMs, takenMs: aloneMs.map((ms) => ms - overheadMs) };
  });
}

/**
 * Runs the minute and turns its recorded checkouts into arrivals for the simulator.
 * @param {string} mongoUrl
 * @param {number} poolSize
 * @param {AbortSignal} signal
 */
function measureMinute(mongoUrl, poolSize, signal) {
  return withWarmApp(mongoUrl, poolSize, signal, async (url, { lastId, overheadsMs }) => {
    const { report } = await runArtillery({ scenario: MINUTE, target: url, signal });
    const { checkouts } = await readCheckouts(url, lastId);
    return {
      measured: summariseReport(report).routes['/fast'], arrivals: createTraceLoad(traceOf(checkouts)).arrivals(1, 1), overheadsMs,
    };
  });
}

/**
 * @template T
 * @param {string} mongoUrl
 * @param {number} poolSize
 * @param {AbortSignal} signal
 * @param {(url: string, warm: import('../../src/harness/warm-up.js').WarmUp) => Promise<T>} measure
 */
async function withWarmApp(mongoUrl, poolSize, signal, measure) {
  const app = await startApp(
    { MONGO_URL: mongoUrl, MONGO_POOLSIZE: String(poolSize), SLOW_MS: String(MINUTE_SLOW_MS) }, { signal });
  try {
    return await measure(app.url, await warmUp(app.url, poolSize, WARM_UP));
  } finally {
    await app.stop();
  }
}

/** @param {number[]} valuesMs */
function sample(valuesMs) {
  return { kind: /** @type {const} */ ('sample'), valuesMs };
}
