import { PREDICTION } from '../assumptions/prediction-assumptions.js';
import { COMMON } from '../assumptions/common-assumptions.js';
import { mean, quantile, sum } from '../base/sample-statistics.js';
import { createRuns, simulateHere } from '../runs/simulation-runs.js';
import { groupByRoute, meansByRoute, sliceTrace, summariseTrace } from '../trace/trace.js';
import { RECORDED_SEED, createTraceLoad } from '../load/trace-load.js';
import { listPoolWaits } from '../trace/traced-requests.js';

/** @import { Load } from '../load/load.js' */
/** @import { PoolOptions } from '../simulator/create-pool.js' */
/** @import { SimulationResult } from '../simulator/simulate.js' */
/** @import { FollowUps } from '../trace/follow-ups.js' */
/** @import { Trace } from '../trace/trace.js' */
/** @import { FailedCode, UncheckedCode } from '../base/finding.js' */

/** If there are fewer requests, or waits, the p95 is just the longest one. */
const MIN_COUNT = 20;
/** Fewer waits are enough to replay a short recording, if they are at least so many, and this share of it. */
const MIN_FEW = 5;
const FEW_SHARE = 0.2;
/** Each route needs 20 more runs. */
const MAX_ROUTES = 9;
/** Waits for something else than the pool are too many if they are this share of all waiting ... */
const MAX_OTHER_SHARE = 0.3;
/** ... of this share of the checkouts: rarer ones decide no p99 ... */
const MIN_OTHERS = 0.01;
/** ... and of all the time of the checkouts. */
const MIN_OTHER_TIME = 0.05;
/**
 * More checkouts that got no connection, and can't be replayed, are too many: another pool would serve some of them.
 */
const MAX_UNSERVED_SHARE = 0.05;
/** A replay of the same checkouts may differ by this share of a wait: chance has no part in it ... */
const REPLAY_SHARE = 0.15;
/** ... or of the response with it: such an error changes no figure that is printed. */
const RESPONSE_SHARE = 0.05;

/**
 * @typedef {object} CheckedFigure
 * @property {'meanWait' | 'p95Wait' | 'maxWait' | 'p95'} kind
 * @property {string | null} route null for all routes
 * @property {number} recordedMs
 * @property {number} lowMs the smallest and the largest value of all runs; of the replay, the only one
 * @property {number} highMs
 * @property {'inside' | 'close' | 'outside'} place close: outside by less than 5 % or 1 ms; of a replay,
 *   by less than 15 %, 5 % of the response or 1 ms
 *
 * @typedef {object} TraceWaits
 * @property {number} count checkouts that waited for a connection of a full pool, for longer than 1 ms
 * @property {number} openings checkouts that waited as long while a connection was opened, and not for a full pool
 * @property {number} otherShare of all waiting: neither for a full pool nor while a connection was opened
 *
 * @typedef {object} TraceCheck
 * @property {'waits' | 'trace'} of the waits of the trace itself, which a replay has to explain; or of another trace
 * @property {'holds' | 'fails' | 'notChecked'} status
 * @property {UncheckedCode | FailedCode | null} reason why it was not checked, or why it fails
 * @property {number} poolSize that the checked trace was recorded with; NaN where it is unknown
 * @property {CheckedFigure[]} figures that were compared
 * @property {TraceWaits} waits of the trace
 * @property {number} rateRatio requests per second in the other trace, by those in this one; 1 for the trace itself
 * @property {Record<string, number>} useRatios the same for the mean use of each route
 */

/**
 * Checks whether a trace can be predicted. It fails where the recorded waits are due to something that the simulation
 * does not know, or where another trace is not what this one predicts. Where nothing could have failed, nothing was
 * checked: with a pool in which nobody waited, every model of the pool is right.
 *
 * @param {Trace} trace
 * @param {object} options
 * @param {PoolOptions} [options.pool] that the checked trace was recorded with; default: unknown
 * @param {Trace} [options.other] is predicted from the trace, as if the load were the same; default: the waits of the
 *   trace are explained by a replay
 * @param {string[]} [options.separateRoutes] see createTraceLoad
 * @param {FollowUps} [options.followUps] of the trace; default: found in it, which takes most of the time
 * @param {number} [options.firstSeed] default 1
 * @returns {Promise<TraceCheck>}
 */
export async function checkTrace(trace, { pool, other, separateRoutes, followUps, firstSeed = 1 }) {
  const poolWaitsMs = listPoolWaits(trace);
  const facts = {
    of: other ? /** @type {const} */ ('trace') : /** @type {const} */ ('waits'),
    poolSize: pool?.maxPoolSize ?? NaN,
    figures: [],
    waits: describeWaits(trace, poolWaitsMs),
    rateRatio: 1,
    useRatios: {},
  };
  if (isOther(trace, facts.waits, poolWaitsMs)) return { ...facts, status: 'fails', reason: 'otherWaits' };
  if (!other && Number(trace.unservedShare) > MAX_UNSERVED_SHARE)
    return { ...facts, status: 'fails', reason: 'unserved' };
  if (!pool) {
    const { maxPoolSize } = (other ?? trace).header;
    return { ...facts, status: 'notChecked', reason: maxPoolSize === 0 ? 'unlimitedPool' : 'unknownSize' };
  }
  const compared = other
    ? await predictOther(trace, { pool, other, separateRoutes, followUps, firstSeed })
    : { figures: await replayWaits(trace, poolWaitsMs, { pool, separateRoutes, followUps }) };
  if (compared.figures.some(({ place }) => place === 'outside'))
    return { ...facts, ...compared, status: 'fails', reason: 'figures' };
  // Openings of connections may have been checked all the same.
  const reason = other ? findFewRequests(compared) : findFewWaits(trace, facts.waits);
  return { ...facts, ...compared, status: reason ? 'notChecked' : 'holds', reason };
}

/** @param {Pick<TraceCheck, 'figures'>} compared with another trace */
function findFewRequests({ figures }) {
  return figures.length === 0 ? 'fewRequests' : null;
}

/** @param {Trace} trace @param {TraceWaits} waits */
function findFewWaits(trace, { count }) {
  if (count >= needOf(trace)) return null;
  return count === 0 ? 'nobodyWaited' : 'fewWaits';
}

/** How many waits a replay has to explain. @param {Trace} trace */
function needOf({ waitMs }) {
  return Math.min(MIN_COUNT, Math.max(MIN_FEW, FEW_SHARE * waitMs.length));
}

/** @param {Trace} trace @param {number[]} poolWaitsMs @returns {TraceWaits} */
function describeWaits({ waitMs, openingMs, isBehind }, poolWaitsMs) {
  let [count, openings, allMs, poolMs] = [0, 0, 0, 0];
  for (let row = 0; row < waitMs.length; row++) {
    if (waitMs[row] <= COMMON.waitedMs) continue;
    allMs += waitMs[row];
    poolMs += poolWaitsMs[row];
    const isFull = !isBehind || (isBehind[row] && waitMs[row] - Number(openingMs?.[row]) > COMMON.waitedMs);
    if (isFull) count++;
    else if (poolWaitsMs[row] > 0) openings++;
  }
  return { count, openings, otherShare: allMs > 0 ? 1 - poolMs / allMs : 0 };
}

/**
 * Whether something else than the pool made the requests wait.
 * @param {Trace} trace @param {TraceWaits} waits @param {number[]} poolWaitsMs
 */
function isOther({ waitMs, useMs }, { otherShare }, poolWaitsMs) {
  const othersMs = Array.from(waitMs, (ms, row) => ms - poolWaitsMs[row]).filter((ms) => ms > COMMON.waitedMs);
  const allMs = sum(Array.from(waitMs, (ms, row) => ms + useMs[row]));
  return (
    otherShare >= MAX_OTHER_SHARE &&
    othersMs.length >= MIN_OTHERS * waitMs.length &&
    sum(othersMs) >= MIN_OTHER_TIME * allMs
  );
}

/**
 * Replays the trace with the pool that it was recorded with, and compares the waits that it explains.
 *
 * @param {Trace} trace
 * @param {number[]} poolWaitsMs
 * @param {{ pool: PoolOptions, separateRoutes?: string[], followUps?: FollowUps }} options
 * @returns {Promise<CheckedFigure[]>} none if there are too few
 */
async function replayWaits(trace, poolWaitsMs, { pool, separateRoutes, followUps }) {
  const count = poolWaitsMs.filter((ms) => ms > COMMON.waitedMs).length;
  if (count < needOf(trace)) return [];
  const isShort = count < MIN_COUNT;
  // Those that wait at the end came after all others, so they delayed none.
  const load = createTraceLoad({ ...trace, waiting: [] }, { separateRoutes, followUps });
  const [result] = await simulateHere({ load, services: load.services })([{ pool, seed: RECORDED_SEED, factor: 1 }]);
  const recorded = summariseTrace(trace);
  const refusedMs = (trace.refused ?? []).map(({ waitMs }) => waitMs);
  const ofRoutes = groupByRoute(trace, poolWaitsMs)
    .map((waitsMs, index) => ({ route: trace.routes[index], waitsMs }))
    .filter(({ waitsMs }) => waitsMs.filter((ms) => ms > COMMON.waitedMs).length >= (isShort ? 1 : MIN_COUNT))
    .toSorted((a, b) => b.waitsMs.length - a.waitsMs.length)
    .slice(0, MAX_ROUTES);
  return [
    place('meanWait', null, mean([...poolWaitsMs, ...refusedMs]), [meanWaitOf(result)], REPLAY_SHARE),
    ...ofRoutes.flatMap(({ route, waitsMs }) => {
      const { meanMs, p95Ms, maxMs } = result.routes[route].wait;
      const { p95Ms: recordedP95Ms, maxMs: recordedMaxMs } = recorded.routes[route];
      return [
        place('meanWait', route, sum(waitsMs) / waitsMs.length, [meanMs], REPLAY_SHARE, recorded.routes[route].meanMs),
        isShort
          ? place('maxWait', route, Math.max(...waitsMs), [maxMs], REPLAY_SHARE, recordedMaxMs)
          : place('p95Wait', route, quantile(waitsMs, 0.95), [p95Ms], REPLAY_SHARE, recordedP95Ms),
      ];
    }),
  ];
}

/**
 * Predicts another trace from one, and compares them. It assumes that the load does not change.
 *
 * The band of each of m figures is that from the smallest to the largest of 20 m - 1 runs. Each holds the recorded
 * value with probability 1 - 0.1 / m, so all do with 0.9 or more: https://en.wikipedia.org/wiki/Bonferroni_correction.
 *
 * @param {Trace} trace
 * @param {{ pool: PoolOptions, other: Trace, separateRoutes?: string[], followUps?: FollowUps, firstSeed: number }}
 *   options
 * @returns {Promise<Pick<TraceCheck, 'figures'> & Partial<Pick<TraceCheck, 'rateRatio' | 'useRatios'>>>} no figures if
 *   there are too few requests
 */
async function predictOther(trace, { pool, other, separateRoutes, followUps, firstSeed }) {
  const [lastMs, otherLastMs] = [trace, other].map(
    ({ checkOutStartedMs }) => checkOutStartedMs[checkOutStartedMs.length - 1],
  );
  const untilMs = Math.min(lastMs, otherLastMs);
  const future = sliceTrace(other, 0, untilMs);
  const [before, recorded] = [trace, future].map(summariseTrace);
  const routes = Object.keys(recorded.routes)
    .filter((route) => Math.min(recorded.routes[route].count, before.routes[route]?.count ?? 0) >= MIN_COUNT)
    .toSorted((a, b) => recorded.routes[b].count - recorded.routes[a].count)
    .slice(0, MAX_ROUTES);
  if (routes.length === 0) return { figures: [] };
  const [usesBefore, usesAfter] = [trace, future].map((part) => meansByRoute(part, part.useMs));
  const load = createTraceLoad(trace, { resample: true, separateRoutes, followUps });
  const results = await createRuns({
    simulateRuns: simulateHere({ load: cut(load, untilMs), services: load.services }),
    seeds: 20 * (routes.length + 1) - 1,
    firstSeed,
  }).simulateAll(pool);
  return {
    figures: [
      place('meanWait', null, recorded.meanWaitMs, results.map(meanWaitOf)),
      ...routes.map((route) =>
        place(
          'p95',
          route,
          recorded.routes[route].p95Ms,
          results.map((result) => result.routes[route]?.p95Ms),
        ),
      ),
    ],
    rateRatio: recorded.requests / untilMs / (before.requests / lastMs),
    useRatios: Object.fromEntries(
      routes.map((route) => [route, usesAfter[future.routes.indexOf(route)] / usesBefore[trace.routes.indexOf(route)]]),
    ),
  };
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

/**
 * @param {CheckedFigure['kind']} kind
 * @param {string | null} route
 * @param {number} recordedMs
 * @param {number[]} predictedMs
 * @param {number} [allowed] share of the recorded time
 * @param {number} [responseMs] that has the wait, default 0: unknown
 * @returns {CheckedFigure}
 */
function place(kind, route, recordedMs, predictedMs, allowed = COMMON.smallShare, responseMs = 0) {
  const values = predictedMs.filter((ms) => ms >= 0);
  const [lowMs, highMs] = [Math.min(...values), Math.max(...values)];
  const offMs = Math.max(lowMs - recordedMs, recordedMs - highMs);
  const isClose = offMs <= Math.max(PREDICTION.equalMs, allowed * recordedMs, RESPONSE_SHARE * responseMs);
  return { kind, route, recordedMs, lowMs, highMs, place: offMs <= 0 ? 'inside' : isClose ? 'close' : 'outside' };
}
