import { COMMON } from '../assumptions/common-assumptions.js';
import { PREDICTION } from '../assumptions/prediction-assumptions.js';
import { createRuns, simulateHere } from '../runs/simulation-runs.js';
import { meansByRoute, sliceTrace, summariseTrace } from '../trace/trace.js';
import { RECORDED_SEED, createTraceLoad } from '../load/trace-load.js';

/** @import { Load } from '../load/load.js' */
/** @import { PoolOptions } from '../simulator/create-pool.js' */
/** @import { SimulationResult } from '../simulator/simulate.js' */
/** @import { FollowUps } from '../trace/follow-ups.js' */
/** @import { Trace } from '../trace/trace.js' */

/** Each route needs 20 more runs. */
const MAX_ROUTES = 9;

/**
 * @typedef {object} CheckedFigure
 * @property {'meanWait' | 'p95'} kind
 * @property {string | null} route null for all routes
 * @property {number} recordedMs
 * @property {number} lowMs the smallest and the largest value of all runs
 * @property {number} highMs
 * @property {boolean} isInBand close to it, too: within a time that nobody notices
 *
 * @typedef {object} TraceCheck whether one recording predicts another
 * @property {'holds' | 'fails' | 'notChecked'} status notChecked: it has fewer than 20 requests of every route
 * @property {number} poolSize that the other one was recorded with
 * @property {CheckedFigure[]} figures that were compared
 * @property {number} rateRatio requests per second in the other one, by those in this one
 * @property {Record<string, number>} useRatios the same for the mean use of each route
 */

/**
 * Predicts another trace from one, in each reading of it, and compares them. It assumes that the load does not change.
 *
 * The band of each of m figures is that from the smallest to the largest of 20 m - 1 runs. Each holds the recorded
 * value with probability 1 - 0.1 / m, so all do with 0.9 or more: https://en.wikipedia.org/wiki/Bonferroni_correction.
 *
 * @param {Trace} trace
 * @param {{ pool: PoolOptions, other: Trace, separateRoutes?: string[], followUps: FollowUps, widening: number,
 *   firstSeed?: number }} options pool: that the other one was recorded with; widening: of its band, see createWidening
 * @returns {Promise<TraceCheck>}
 */
export async function checkTrace(trace, { pool, other, separateRoutes, followUps, widening, firstSeed = 1 }) {
  const [lastMs, otherLastMs] = [trace, other].map(
    ({ checkOutStartedMs }) => checkOutStartedMs[checkOutStartedMs.length - 1],
  );
  const untilMs = Math.min(lastMs, otherLastMs);
  const future = sliceTrace(other, 0, untilMs);
  const [before, recorded] = [trace, future].map(summariseTrace);
  const routes = Object.keys(recorded.routes)
    .filter((route) => Math.min(recorded.routes[route].count, before.routes[route]?.count ?? 0) >= COMMON.minRequests)
    .toSorted((a, b) => recorded.routes[b].count - recorded.routes[a].count)
    .slice(0, MAX_ROUTES);
  const [usesBefore, usesAfter] = [trace, future].map((part) => meansByRoute(part, part.useMs));
  const facts = {
    poolSize: pool.maxPoolSize,
    rateRatio: recorded.requests / untilMs / (before.requests / lastMs),
    useRatios: Object.fromEntries(
      routes.map((route) => [route, usesAfter[future.routes.indexOf(route)] / usesBefore[trace.routes.indexOf(route)]]),
    ),
  };
  if (routes.length === 0) return { ...facts, status: 'notChecked', figures: [] };
  /** @type {SimulationResult[]} */
  const results = [];
  /** @type {('likely' | 'fewest')[]} */
  const readings = followUps.fewest ? ['likely', 'fewest'] : ['likely'];
  for (const reading of readings) {
    const load = createTraceLoad(trace, { resample: true, separateRoutes, followUps, reading });
    const runs = createRuns({
      simulateRuns: simulateHere({ load: cut(load, untilMs), services: load.services }),
      seeds: 20 * (routes.length + 1) - 1,
      firstSeed,
    });
    results.push(...(await runs.simulateAll(pool)));
  }
  /**
   * @param {CheckedFigure['kind']} kind
   * @param {string | null} route
   * @param {number} recordedMs
   * @param {number[]} runsMs
   */
  const compare = (kind, route, recordedMs, runsMs) => {
    const known = runsMs.filter((ms) => ms >= 0);
    const [lowMs, highMs] = [Math.min(...known) / (1 + widening), Math.max(...known) * (1 + widening)];
    const isInBand = recordedMs >= lowMs - PREDICTION.noticedMs && recordedMs <= highMs + PREDICTION.noticedMs;
    return { kind, route, recordedMs, lowMs, highMs, isInBand };
  };
  const figures = [
    compare('meanWait', null, recorded.meanWaitMs, results.map(meanWaitOf)),
    ...routes.map((route) => {
      const { p95Ms } = recorded.routes[route];
      return compare(
        'p95',
        route,
        p95Ms,
        results.map(({ routes: all }) => all[route]?.p95Ms),
      );
    }),
  ];
  return { ...facts, status: figures.every(({ isInBand }) => isInBand) ? 'holds' : 'fails', figures };
}

/** @param {Load} load @param {number} lengthMs @returns {Load} never the recorded run itself */
function cut(load, lengthMs) {
  return {
    routes: load.routes,
    server: load.server,
    withOpenings: load.withOpenings,
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
function meanWaitOf({ meanWaiting, durationMs, checkouts }) {
  return (meanWaiting * durationMs) / checkouts;
}
