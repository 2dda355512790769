import { createScenarioLoad, poolOfApp, predict, renameRoutes, shareServer } from 'mongodb-pool-predictor';
import { WORKERS } from '../../src/load-tests/artillery.js';
import { mean } from '../base/statistics.js';
import { mergeFigures } from '../harness/merge-figures.js';
import { traceOf } from '../harness/summarise-checkouts.js';
import { useMsOf } from '../harness/warm-up.js';
import { hasSucceeded, isServed } from './measured-requests.js';
import { replayRequests } from './replayed-load.js';
import { matchRoutes } from '../predictions/route-patterns.js';

/** @import { AppPool, Load, RequestLine, Service, Workload } from 'mongodb-pool-predictor' */
/** @import { Trace } from 'mongodb-pool-predictor/node' */
/** @import { SeenCheckout } from '../harness/monitor-reader.js' */
/** @import { JoinedRequest } from './measured-requests.js' */
/** @import { SweepFigures } from './sweep-figures.js' */

/**
 * What was seen of one measurement.
 *
 * @typedef {object} SweepRecording
 * @property {number} poolSize
 * @property {JoinedRequest[]} requests
 * @property {SeenCheckout[]} checkouts
 * @property {AppPool} settings of the app's pool
 */

/** @typedef {Workload & { requests: RequestLine[] }} SweepScenario */

/** A load that was measured, for a simulation. @typedef {{ load: Load, services: Record<string, Service> }} MeasuredLoad */

/** Predictions from more measurements do not get better. */
const MAX_PREDICTIONS = 5;
const RUNS = 19;

/**
 * Predicts the load at a size from each measurement at another size: its requests, with the times of their queries. The figures
 * are medians, as those of measurements are, so that a measurement that was disturbed does not count.
 *
 * @param {number} poolSize
 * @param {SweepRecording[]} recordings at any sizes; those at this size are left out
 * @param {SweepScenario | undefined} workload undefined: the requests arrive as they did
 * @returns {Promise<Partial<SweepFigures>>} empty with nothing to predict it from
 */
export async function predictSize(poolSize, recordings, workload) {
  const others = recordings
    .filter((recording) => recording.poolSize !== poolSize && recording.checkouts.some(isServed))
    .toSorted((a, b) => b.poolSize - a.poolSize);
  const predictions = [];
  for (const recording of others.slice(0, MAX_PREDICTIONS)) {
    const { variants } = await predict({
      ...createMeasuredLoad(recording, others, workload),
      poolSizes: [poolSize],
      seeds: RUNS,
      poolOf: (size) => poolOfApp({ ...recording.settings, poolSize: size }),
    });
    predictions.push(variants[0].predicted);
  }
  return predictions.length > 0 ? mergeFigures(predictions, new Set()) : {};
}

/**
 * The measurement whose queries took neither long nor short.
 *
 * @param {SweepRecording[]} recordings
 * @returns {SweepRecording | undefined} undefined if none has queries
 */
export function pickTypical(recordings) {
  const meanUseMs = (/** @type {SweepRecording} */ { checkouts }) => mean(checkouts.filter(isServed).map(useMsOf));
  const sorted = recordings
    .filter(({ checkouts }) => checkouts.some(isServed))
    .toSorted((a, b) => meanUseMs(a) - meanUseMs(b));
  return sorted[(sorted.length - 1) >> 1];
}

/**
 * @param {SweepRecording} recording with checkouts
 * @param {SweepRecording[]} others that show more of the server: whether queries slow each other down
 * @param {SweepScenario | undefined} workload
 * @returns {MeasuredLoad}
 */
export function createMeasuredLoad(recording, others, workload) {
  const all = [recording, ...others.filter((other) => other !== recording)];
  const trace = shareServer(all.map(traceOfQueries), {
    pool: poolOfApp({ ...recording.settings, poolSize: recording.poolSize }),
  });
  const alone = new Map(listServed(recording).map((checkout, index) => [checkout, trace.sharing?.aloneMs[index]]));
  const aloneMs = (/** @type {SeenCheckout} */ checkout) => alone.get(checkout) ?? useMsOf(checkout);
  const { requests } = recording;
  const routes = [...new Set(requests.map(({ route }) => route))];
  /** @type {Record<string, Service>} */
  const services = Object.fromEntries(
    routes.map((route) => {
      const good = requests.filter((request) => request.route === route && hasSucceeded(request));
      return [
        route,
        good.length === 0
          ? { kind: 'none' }
          : {
              kind: 'requests',
              requests: good.map((request) => ({
                queriesMs: inTurn(request.checkouts).map((turn) => turn.map(aloneMs)),
                restMs: request.restMs,
              })),
              workShare: shareOfWork(
                good.flatMap((request) => request.checkouts),
                trace,
                aloneMs,
              ),
            },
      ];
    }),
  );
  const server = trace.sharing && { cores: trace.sharing.cores, sliceMs: trace.sharing.sliceMs };
  if (!workload) {
    const replays = all.map((each) => replayRequests(each.requests, each.poolSize));
    // Where a closed loop shows, it was one at all sizes.
    const { load } = replays.find(({ callers }) => callers > 0) ?? replays[0];
    return { load: { ...load, server }, services };
  }
  const names = matchRoutes(workload.requests, routes);
  const scenarios = workload.scenarios.map((scenario) => ({ ...scenario, steps: renameRoutes(scenario.steps, names) }));
  const load = createScenarioLoad({ ...workload, scenarios }, { workers: WORKERS, server });
  // The app was not seen to answer these.
  for (const route of load.routes) services[route] ??= { kind: 'none' };
  return { load, services };
}

/** @param {SweepRecording} recording @returns {SeenCheckout[]} in order of their starts */
function listServed({ checkouts }) {
  return checkouts.filter(isServed).toSorted((a, b) => a.checkOutStartedAtMs - b.checkOutStartedAtMs);
}

/** Queries of one kind are alike, also where a route makes several. @param {SeenCheckout} checkout */
function nameQuery({ route, operation }) {
  return `${route} ${operation}`;
}

/** @param {SweepRecording} recording @returns {Trace} */
function traceOfQueries(recording) {
  return traceOf(listServed(recording), { maxPoolSize: recording.poolSize, nameOf: nameQuery });
}

/**
 * The queries of a request, one after another. Those that overlap are in one list.
 *
 * @param {SeenCheckout[]} checkouts in order of their starts
 * @returns {SeenCheckout[][]}
 */
function inTurn(checkouts) {
  /** @type {SeenCheckout[][]} */
  const turns = [];
  let untilMs = -Infinity;
  for (const checkout of checkouts.filter(isServed)) {
    if (checkout.checkOutStartedAtMs >= untilMs) turns.push([checkout]);
    else turns[turns.length - 1].push(checkout);
    untilMs = Math.max(untilMs, Number(checkout.checkedInAtMs));
  }
  return turns;
}

/** @param {SeenCheckout[]} checkouts @param {Trace} trace @param {(checkout: SeenCheckout) => number} aloneMs */
function shareOfWork(checkouts, { sharing }, aloneMs) {
  let [all, work] = [0, 0];
  for (const checkout of checkouts.filter(isServed)) {
    const ms = aloneMs(checkout);
    all += ms;
    work += ms * (sharing?.workShares[nameQuery(checkout)] ?? 0);
  }
  return all > 0 ? work / all : 0;
}
