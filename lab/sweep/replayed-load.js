import { createTraceLoad } from 'mongodb-pool-predictor';
import { hasSucceeded, isServed, usedMsOf, waitMsOf } from './measured-requests.js';

/** @import { Load } from 'mongodb-pool-predictor' */
/** @import { JoinedRequest } from './measured-requests.js' */

/** Callers who wait for their answers keep this many of them busy, for this share of the time. */
const BUSY_CALLERS = 0.75;
const BUSY_SHARE = 0.8;
/** A closed loop shows in many rounds of requests. */
const MIN_ROUNDS = 5;

/**
 * A load without a scenario, as it was measured. The requests draw their queries.
 *
 * @param {JoinedRequest[]} measured in order of their arrivals
 * @param {number} poolSize with which it was measured
 * @returns {{ load: Load, callers: number }} callers: of a closed loop; 0 if the requests arrived on their own, as far as one can tell
 */
export function replayRequests(measured, poolSize) {
  const requests = measured.filter((request) => hasSucceeded(request) && request.checkouts.some(isServed));
  const { callers, thinkMs } = findCallers(requests);
  return { callers, load: callers > 0 ? createCallers(requests, callers, thinkMs) : createReplay(requests, poolSize) };
}

/**
 * In a closed loop as many requests are in progress all the time: each caller sends the next one when it has its answer.
 *
 * @param {JoinedRequest[]} requests
 * @returns {{ callers: number, thinkMs: number }} thinkMs: from an answer to the next request, on average
 */
function findCallers(requests) {
  const steps = requests
    .flatMap(({ arrivedAtMs, totalMs }) => [
      [arrivedAtMs, 1],
      [arrivedAtMs + totalMs, -1],
    ])
    .sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  /** @type {number[]} By number of requests in progress. */
  const timesMs = [];
  let count = 0;
  // After the last arrival, callers only leave.
  const endMs = requests.at(-1)?.arrivedAtMs ?? 0;
  for (const [index, [atMs, change]] of steps.entries()) {
    if (atMs >= endMs) break;
    count += change;
    timesMs[count] = (timesMs[count] ?? 0) + steps[index + 1][0] - atMs;
  }
  const callers = timesMs.length - 1;
  let [allMs, busyMs, sum] = [0, 0, 0];
  timesMs.forEach((ms, inProgress) => {
    allMs += ms;
    sum += ms * inProgress;
    if (inProgress >= BUSY_CALLERS * callers) busyMs += ms;
  });
  if (callers < 2 || requests.length < MIN_ROUNDS * callers || busyMs < BUSY_SHARE * allMs)
    return { callers: 0, thinkMs: 0 };
  return { callers, thinkMs: (callers - sum / allMs) * (allMs / requests.length) };
}

/** @param {JoinedRequest[]} requests @param {number} callers @param {number} thinkMs @returns {Load} */
function createCallers(requests, callers, thinkMs) {
  const durationMs = requests[requests.length - 1].arrivedAtMs - requests[0].arrivedAtMs;
  return {
    ...describe(requests),
    durationMs,
    arrivals: (seed, factor) =>
      Array.from({ length: Math.round(callers * factor) }, (_, caller) => ({
        atMs: 0,
        untilMs: durationMs,
        // Each has its share of the requests, in turn.
        requests: requests
          .filter((__, index) => index % callers === caller % callers)
          .map(({ route }) => ({ route, serviceMs: NaN, handoverMs: 0, thinkMs })),
      })),
  };
}

/**
 * The requests arrive as they did, or after the answers that they seem to have waited for.
 *
 * @param {JoinedRequest[]} requests @param {number} poolSize @returns {Load}
 */
function createReplay(requests, poolSize) {
  const routes = describe(requests).routes;
  // To find out who waits for whom, a request is one long checkout.
  const load = createTraceLoad({
    header: { maxPoolSize: poolSize },
    routes,
    checkOutStartedMs: requests.map(({ arrivedAtMs }) => arrivedAtMs - requests[0].arrivedAtMs),
    waitMs: requests.map(waitMsOf),
    useMs: requests.map((request) => Math.max(usedMsOf(request), request.totalMs - waitMsOf(request))),
    routeOf: requests.map(({ route }) => routes.indexOf(route)),
    warnings: [],
  });
  return {
    ...describe(requests),
    durationMs: load.durationMs,
    arrivals: (seed, factor) => ({
      *[Symbol.iterator]() {
        const drawn = { serviceMs: NaN, handoverMs: 0 };
        for (const arrival of load.arrivals(seed, factor)) {
          yield { ...arrival, ...drawn, requests: arrival.requests?.map((request) => ({ ...request, ...drawn })) };
        }
      },
    }),
  };
}

/** @param {JoinedRequest[]} requests */
function describe(requests) {
  return { routes: [...new Set(requests.map(({ route }) => route))], isRandom: () => true };
}
