import { traceText } from 'test-support/trace-text.js';
import { createRandom } from '../../src/simulator/random.js';
import { simulate } from '../../src/simulator/simulate.js';
import { createTraceLoad } from '../../src/load/trace-load.js';
import { pickPool } from '../../src/trace/pick-pool.js';
import { readTraceText } from '../../src/reading/read-trace.js';
import { summariseTrace } from '../../src/trace/trace.js';
import { GAPS, TIMES, callers, run, toTrace, visitors } from './traces.js';

/** @import { SimulatedRequest } from '../../src/simulator/tally.js' */
/** @import { Random } from '../../src/simulator/random.js' */

/**
 * Arrivals of each kind of load.
 * @type {Record<string, (load: RandomLoad) => import('../../src/simulator/arrivals.js').Arrival[]>}
 */
export const KINDS = {
  'on their own': ({ count, seed, random, gapMs, meanMs }) =>
    visitors({ count, gap: gapsOf(random, gapMs), service: timesOf(random, meanMs), seed }),
  'slow and fast ones': ({ count, seed, random, gapMs, meanMs }) => {
    const slow = visitors({
      count: count / 10,
      gap: gapsOf(random, 12 * gapMs),
      service: timesOf(random, 10 * meanMs),
      seed,
    });
    const fast = visitors({
      count: Math.floor(slow[slow.length - 1].atMs / (6 * gapMs)),
      gap: gapsOf(random, 6 * gapMs),
      service: timesOf(random, meanMs),
      route: '/fast',
      seed,
    });
    return [...slow, ...fast];
  },
  'callers that wait': ({ count, seed, random, poolSize, meanMs }) =>
    callers({
      count: 2 * poolSize + 1,
      untilMs: (count / poolSize) * meanMs,
      service: timesOf(random, meanMs),
      think: TIMES.exponential(0.7 * meanMs),
      seed,
    }),
};

/**
 * @typedef {{ count: number, seed: number, random: Random, poolSize: number, meanMs: number, gapMs: number }}
 *   RandomLoad
 */

/**
 * Records a random load, writes it as other tools would, and replays it.
 *
 * @param {string} kind
 * @param {{ seed: number, count: number, stepMs: number }} options stepMs: what all times are rounded to
 */
export async function compareRounded(kind, { seed, count, stepMs }) {
  const random = createRandom(seed, kind);
  const poolSize = 1 + Math.floor(10 * random.uniform());
  const meanMs = 15 * 12 ** random.uniform();
  const gapMs = meanMs / poolSize / (0.6 + 0.35 * random.uniform());
  const arrivals = KINDS[kind]({ count, seed, random, poolSize, meanMs, gapMs });
  const records = run(arrivals, poolSize).sort((a, b) => a.arrivedAtMs - b.arrivedAtMs || a.waitMs - b.waitMs);
  const recorded = summariseTrace(toTrace(records, poolSize, (ms) => ms));
  const { trace } = pickPool(await readTraceText(writeRounded(records, poolSize, stepMs)));
  const load = createTraceLoad(trace);
  const replayed = simulate({
    arrivals: load.arrivals(1, 1),
    services: load.services,
    pool: { maxPoolSize: poolSize },
  });
  const routes = Object.keys(recorded.routes);
  const waitedMs = routes.reduce(
    (sum, route) => sum + replayed.routes[route].count * replayed.routes[route].wait.meanMs,
    0,
  );
  return {
    resolutionMs: trace.resolutionMs,
    meanWaitMs: recorded.meanWaitMs,
    waitRatio: waitedMs / replayed.requests / recorded.meanWaitMs,
    p95Ratios: routes.map((route) => replayed.routes[route].p95Ms / recorded.routes[route].p95Ms),
  };
}

/**
 * A trace that does not say its resolution.
 * @param {SimulatedRequest[]} records
 * @param {number} poolSize
 * @param {number} stepMs
 */
function writeRounded(records, poolSize, stepMs) {
  const round = (/** @type {number} */ ms) => Number((Math.round(ms / stepMs) * stepMs).toFixed(3));
  const checkouts = records
    .toSorted((a, b) => a.finishedAtMs - b.finishedAtMs)
    .map(({ arrivedAtMs, waitMs, finishedAtMs, route }) => ({
      atMs: round(arrivedAtMs),
      waitMs: round(waitMs),
      useMs: round(finishedAtMs - arrivedAtMs - waitMs),
      route,
    }));
  return traceText({ poolSize, checkouts });
}

/** @param {Random} random @param {number} meanMs */
function gapsOf(random, meanMs) {
  const name = pick(random, ['poisson', 'waves', 'bursts']);
  return (/** @type {Random} */ each) => GAPS[name](meanMs, each);
}

/** @param {Random} random @param {number} meanMs */
function timesOf(random, meanMs) {
  return TIMES[pick(random, ['exponential', 'lognormal', 'steady'])](meanMs);
}

/** @template T @param {Random} random @param {T[]} values */
function pick(random, values) {
  return values[Math.floor(values.length * random.uniform())];
}
