import { sum } from '../base/sample-statistics.js';
import { TOLERANCE_MS, TOLERANCE_SHARE } from './size-comparison.js';
import { createRuns, simulateHere } from '../runs/simulation-runs.js';
import { sliceTrace, meansByRoute, summariseTrace } from '../trace/trace.js';
import { RECORDED_SEED, createTraceLoad } from '../load/trace-load.js';

/** @import { Load } from '../load/load.js' */
/** @import { PoolOptions } from '../simulator/create-pool.js' */
/** @import { SimulationResult } from '../simulator/simulate.js' */
/** @import { Trace } from '../trace/trace.js' */

/** With fewer requests, the p95 is just the slowest one. */
const MIN_REQUESTS = 20;
/** Each route needs 20 more runs. */
const MAX_ROUTES = 9;
/** Prefix for routes of requests before the checked time, which are simulated but not counted. */
const BEFORE = 'before: ';

/**
 * @typedef {object} CheckedFigure
 * @property {'meanWait' | 'p95'} kind
 * @property {string | null} route null for the mean wait, which is that of all routes
 * @property {number} recordedMs
 * @property {number} lowMs the band: the smallest and the largest value of all runs
 * @property {number} highMs
 * @property {'inside' | 'close' | 'outside'} place close: outside by less than 5 % or 1 ms
 *
 * @typedef {object} TraceCheck
 * @property {'half' | 'trace'} of the second half, predicted from the first; or of another trace
 * @property {number} poolSize it was recorded with
 * @property {CheckedFigure[]} figures none where there are fewer than 20 requests of a route
 * @property {boolean | null} holds no figure is outside; if the prediction is right, this is true in 9 of 10 checks.
 *   Null without figures
 * @property {number} rateRatio requests per second in what is predicted, by those in what it is predicted from
 * @property {Record<string, number>} useRatios the same for the mean use of each route
 * @property {number} seeds
 * @property {number} firstSeed
 */

/**
 * Predicts a recording from another one and compares them. This can fail, unlike a replay at the recorded size. It
 * assumes that the load does not change.
 *
 * The band of each of m figures is that from the smallest to the largest of 20 m - 1 runs. Each holds the recorded
 * value with probability 1 - 0.1 / m, so all do with 0.9 or more: https://en.wikipedia.org/wiki/Bonferroni_correction.
 *
 * @param {Trace} trace
 * @param {object} options
 * @param {PoolOptions} options.pool that the predicted part was recorded with
 * @param {Trace} [options.other] default: the second half of the trace is predicted from its first half
 * @param {string[]} [options.separateRoutes] see createTraceLoad
 * @param {number} [options.firstSeed] default 1
 * @returns {Promise<TraceCheck>}
 */
export async function checkTrace(trace, { pool, other, separateRoutes, firstSeed = 1 }) {
  const [lastMs, otherLastMs] = [trace, other ?? trace].map(
    ({ checkOutStartedMs }) => checkOutStartedMs[checkOutStartedMs.length - 1],
  );
  const pastMs = other ? lastMs : lastMs / 2;
  const futureMs = other ? Math.min(pastMs, otherLastMs) : pastMs;
  const past = other ? trace : sliceTrace(trace, 0, pastMs);
  const future = other ? sliceTrace(other, 0, futureMs) : sliceTrace(trace, pastMs, Infinity);
  const [before, recorded] = [past, future].map(summariseTrace);
  const routes = Object.keys(recorded.routes)
    .filter((route) => Math.min(recorded.routes[route].count, before.routes[route]?.count ?? 0) >= MIN_REQUESTS)
    .toSorted((a, b) => recorded.routes[b].count - recorded.routes[a].count)
    .slice(0, MAX_ROUTES);
  const seeds = 20 * (routes.length + 1) - 1;
  const [usesBefore, usesAfter] = [past, future].map((part) => meansByRoute(part, part.useMs));
  const facts = {
    of: other ? /** @type {const} */ ('trace') : /** @type {const} */ ('half'),
    poolSize: pool.maxPoolSize,
    rateRatio: recorded.requests / futureMs / (before.requests / pastMs),
    useRatios: Object.fromEntries(
      routes.map((route) => [route, usesAfter[future.routes.indexOf(route)] / usesBefore[past.routes.indexOf(route)]]),
    ),
    seeds,
    firstSeed,
  };
  if (routes.length === 0) return { ...facts, figures: [], holds: null };

  const pastLoad = createTraceLoad(past, { resample: true, separateRoutes });
  const load = other ? cut(pastLoad, futureMs) : continueLoad(pastLoad, pastMs);
  const services = {
    ...pastLoad.services,
    ...Object.fromEntries(Object.entries(pastLoad.services).map(([route, service]) => [BEFORE + route, service])),
  };
  const simulateRuns = simulateHere({ load, services });
  const results = await createRuns({ simulateRuns, seeds, firstSeed }).simulateAll(pool);
  const figures = [
    place('meanWait', null, recorded.meanWaitMs, results.map(meanWaitOf)),
    ...routes.map((route) =>
      place(
        'p95',
        route,
        recorded.routes[route].p95Ms,
        results.map((result) => result.routes[route]?.p95Ms),
      ),
    ),
  ];
  return { ...facts, figures, holds: figures.every((figure) => figure.place !== 'outside') };
}

/**
 * Continues the recorded load with more of the same, so that the requests waiting in the middle are known.
 *
 * @param {Load} load
 * @param {number} lengthMs
 * @returns {Load}
 */
function continueLoad(load, lengthMs) {
  const more = cut(load, lengthMs);
  return {
    ...more,
    durationMs: 2 * lengthMs,
    arrivals: (seed, factor) => ({
      *[Symbol.iterator]() {
        for (const arrival of load.arrivals(RECORDED_SEED, factor)) {
          const { route, requests, untilMs } = arrival;
          // Callers who stay enter once, in the middle: they would be there twice.
          if (untilMs !== undefined) continue;
          yield requests
            ? { ...arrival, requests: requests.map((request) => ({ ...request, route: BEFORE + request.route })) }
            : { ...arrival, route: BEFORE + route };
        }
        for (const arrival of more.arrivals(seed, factor)) {
          const { atMs, untilMs } = arrival;
          yield { ...arrival, atMs: atMs + lengthMs, ...(untilMs !== undefined && { untilMs: untilMs + lengthMs }) };
        }
      },
    }),
  };
}

/** @param {Load} load @param {number} lengthMs @returns {Load} never the recorded run itself */
function cut(load, lengthMs) {
  return {
    routes: load.routes,
    server: load.server,
    durationMs: lengthMs,
    isRandom: () => true,
    arrivals: (seed, factor) => ({
      *[Symbol.iterator]() {
        for (const arrival of load.arrivals(RECORDED_SEED + seed, factor)) {
          if (arrival.atMs >= lengthMs) return;
          yield arrival;
        }
      },
    }),
  };
}

/** @param {SimulationResult} result */
function meanWaitOf({ routes }) {
  const counted = Object.keys(routes)
    .filter((route) => !route.startsWith(BEFORE))
    .map((route) => routes[route])
    .filter(({ count, failures }) => count > failures);
  return sum(counted.map(({ count, wait }) => count * wait.meanMs)) / sum(counted.map(({ count }) => count));
}

/**
 * @param {CheckedFigure['kind']} kind
 * @param {string | null} route
 * @param {number} recordedMs
 * @param {number[]} predictedMs
 * @returns {CheckedFigure}
 */
function place(kind, route, recordedMs, predictedMs) {
  const values = predictedMs.filter((ms) => ms >= 0);
  const [lowMs, highMs] = [Math.min(...values), Math.max(...values)];
  const offMs = Math.max(lowMs - recordedMs, recordedMs - highMs);
  const isClose = offMs <= TOLERANCE_MS || offMs <= TOLERANCE_SHARE * recordedMs;
  return { kind, route, recordedMs, lowMs, highMs, place: offMs <= 0 ? 'inside' : isClose ? 'close' : 'outside' };
}
