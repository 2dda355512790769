import { speedUp } from '../load.js';
import { createLatencyHistogram } from '../simulator/latency-histogram.js';
import { createRandom } from '../simulator/random.js';
import { summarise } from '../simulator/route-stats.js';
import { findTail, redrawTail, resampleTail } from '../simulator/tail.js';
import { findFollowUps } from './follow-ups.js';
import { describeCallers, isCaller, listSessions, playCallers } from './sessions.js';
import { findHandovers } from './handovers.js';

/** @import { Arrival } from '../simulator/arrivals.js' */
/** @import { FollowUps } from './follow-ups.js' */
/** @import { Load } from '../load.js' */
/** @import { Random } from '../simulator/random.js' */
/** @import { CallerFacts, Session } from './sessions.js' */
/** @import { Service } from '../simulator/service-time.js' */
/** @import { Tail } from '../simulator/tail.js' */
/** @import { Trace } from '../formats/trace.js' */

/** How many blocks a trace is cut into: long enough to keep bursts together, enough of them that their variance is known. */
const BLOCKS = 60;
/**
 * What share of them another recording is thought to be made of. Fewer vary more, which makes up for what a bootstrap of a few
 * blocks understates. The share is calibrated, as in W.-Y. Loh, Calibrating confidence coefficients (1987),
 * https://doi.org/10.1080/01621459.1987.10478408: with 0.8, about 89 of 100 figures lie in their 90 % band, with 1 one less.
 */
const DRAWN_SHARE = 0.8;
/** Of the run that is the trace as it was recorded. */
export const RECORDED_SEED = 1;
/** A short trace has fewer blocks, so that they have this many checkouts on average. */
const BLOCK_CHECKOUTS = 5;

/**
 * Makes a load of a trace. A checkout that arrived on its own arrives when it was recorded. One that followed another, because
 * it belongs to the same request or because its caller had waited for the answer, follows it as closely as it did. Each uses
 * its connection as long as it did. Where the queries shared the server's cores (`trace.sharing`), each does the work that it did.
 *
 * @param {Trace} trace
 * @param {object} [options]
 * @param {boolean} [options.resample] false, the default: every run is the trace itself; true: only that with `recordedSeed` is, and each
 *   other one is put together from random blocks of it. This is a circular block bootstrap: D. N. Politis and
 *   J. P. Romano (1992), https://en.wikipedia.org/wiki/Bootstrapping_(statistics)#Block_bootstrap. A caller who is
 *   there most of the time stays, and does random blocks of what it did
 * @param {string[]} [options.separateRoutes] routes that had a pool of their own, default none
 * @param {FollowUps} [options.followUps] default: found in the trace
 * @param {boolean} [options.isUnclear] follow up also where the trace can't tell, default false
 * @returns {TraceLoad}
 */
export function createTraceLoad(trace, {
  resample = false, separateRoutes = [], followUps = findFollowUps(trace), isUnclear = false,
} = {}) {
  const { checkOutStartedMs, routes, routeOf, sharing } = trace;
  const handoversMs = findHandovers(trace, (checkout) => (separateRoutes.includes(routes[routeOf[checkout]]) ? 1 : 0));
  const previous = (isUnclear && followUps.possible) || followUps.likely;
  const sessions = listSessions(trace, handoversMs, previous, followUps.isSameRequest, sharing?.aloneMs);
  const endMs = checkOutStartedMs[checkOutStartedMs.length - 1];
  const callers = sessions.filter((session) => isCaller(session, endMs));
  const visits = sessions.filter((session) => !isCaller(session, endMs));
  const visitedAtMs = visits.map(({ atMs }) => atMs);
  // One gap more than there are between the checkouts: the last one has a gap, too.
  const durationMs = Math.max(1, (endMs * checkOutStartedMs.length) / Math.max(1, checkOutStartedMs.length - 1));
  const servicesMs = Array.from(sharing?.aloneMs ?? trace.useMs);
  const ofRoutes = Object.fromEntries(routes.map((route, index) => (
    [route, servicesMs.filter((_, i) => trace.routeOf[i] === index)])));
  const tails = Object.fromEntries(routes.map((route) => [route, findTail(ofRoutes[route])]));

  /** @param {number} seed @param {number} factor @returns {Iterator<Arrival>} */
  function play(seed, factor) {
    const isRecorded = !resample || seed === RECORDED_SEED;
    const visiting = speedUp(playVisits(visits, isRecorded
      ? [[0, visits.length, 0]]
      : drawBlocks(visitedAtMs, durationMs, Math.round(BLOCKS * factor), createRandom(seed, 'pieces'))), factor);
    const all = callers.length === 0 ? visiting
      : merge(playCallers(callers, { endMs, factor, random: createRandom(seed, 'callers'), isRecorded }), visiting);
    return (isRecorded ? all : redrawTails(all, tails, createRandom(seed, 'tails')))[Symbol.iterator]();
  }

  return {
    source: { kind: 'trace', trace, options: { resample, separateRoutes, followUps, isUnclear } },
    server: sharing,
    routes,
    durationMs,
    services: Object.fromEntries(routes.map((route) => (
      [route, { kind: 'sample', valuesMs: ofRoutes[route], ...(sharing && { workShare: sharing.workShares[route] }) }]))),
    isRandom: () => resample,
    arrivals: (seed, factor) => ({ [Symbol.iterator]: () => play(seed, factor) }),
    recordedSeed: resample ? RECORDED_SEED : undefined,
    callers: describeCallers({ callers, visits, isUnclear: followUps.possible !== null }),
    ...(followUps.possible && !isUnclear && { otherwise: createTraceLoad(trace, { resample, separateRoutes, followUps, isUnclear: true }) }),
  };
}

/**
 * @typedef {Load & { services: Record<string, Service>, callers: CallerFacts, otherwise?: TraceLoad }} TraceLoad services: the
 *   times of each route: the recorded uses, or those alone
 *
 * @typedef {[from: number, to: number, shiftMs: number]} Block visits, without `to`; each comes later by shiftMs
 */

/** @param {Session[]} visits @param {Iterable<Block>} blocks @returns {Generator<Arrival, void>} */
function* playVisits(visits, blocks) {
  let lastMs = 0;
  for (const [from, to, shiftMs] of blocks) {
    for (let i = from; i < to; i++) {
      const { atMs, requests } = visits[i];
      // Rounding may put the first arrival of a block slightly before the last one of the previous block.
      lastMs = Math.max(lastMs, atMs + shiftMs);
      const [{ route, serviceMs, handoverMs }] = requests;
      yield requests.length === 1 ? { atMs: lastMs, route, serviceMs, handoverMs } : { atMs: lastMs, requests };
    }
  }
}

/** @param {Iterable<Arrival>} first @param {Iterable<Arrival>} second each in order of time @returns {Generator<Arrival, void>} */
function* merge(first, second) {
  const upcoming = second[Symbol.iterator]();
  let next = upcoming.next().value;
  for (const arrival of first) {
    for (; next && next.atMs < arrival.atMs; next = upcoming.next().value) yield next;
    yield arrival;
  }
  for (; next; next = upcoming.next().value) yield next;
}

/**
 * @param {Iterable<Arrival>} arrivals @param {Record<string, Tail | undefined>} recorded by route @param {Random} random
 * @returns {Generator<Arrival, void>}
 */
function* redrawTails(arrivals, recorded, random) {
  const tails = Object.fromEntries(Object.entries(recorded).map(([route, tail]) => [route, tail && resampleTail(tail, random)]));
  const redraw = (/** @type {number} */ serviceMs, /** @type {string} */ route) => redrawTail(serviceMs, tails[route], random);
  for (const arrival of arrivals) {
    if (arrival.requests) {
      yield { ...arrival, requests: arrival.requests.map((request) => ({ ...request, serviceMs: redraw(request.serviceMs, request.route) })) };
    } else {
      yield { ...arrival, serviceMs: redraw(Number(arrival.serviceMs), String(arrival.route)) };
    }
  }
}

/**
 * Draws blocks twice: first those of which another recording might have been made; then the run, from those. A trace
 * is one random run itself, so its distance from a new run has twice the variance of either. With blocks drawn once, only
 * three of four new runs lie in a 90 % band. R. Beran, Calibrating prediction regions (1990),
 * https://doi.org/10.1080/01621459.1990.10474953.
 *
 * @param {ArrayLike<number>} startedMs
 * @param {number} durationMs
 * @param {number} count of blocks, if the trace has enough checkouts for BLOCKS of them
 * @param {Random} random
 * @returns {Generator<Block, void>}
 */
function* drawBlocks(startedMs, durationMs, count, random) {
  const blocks = Math.min(BLOCKS, Math.ceil(startedMs.length / BLOCK_CHECKOUTS));
  const blockMs = durationMs / blocks;
  const startsMs = Array.from({ length: Math.ceil(DRAWN_SHARE * blocks) }, () => random.uniform() * durationMs);
  for (let block = 0; block < Math.round(count * (blocks / BLOCKS)); block++) {
    const startMs = startsMs[Math.floor(random.uniform() * startsMs.length)];
    const endMs = startMs + blockMs;
    const shiftMs = block * blockMs - startMs;
    yield [indexAt(startedMs, startMs), indexAt(startedMs, endMs), shiftMs];
    // After its end the trace begins again.
    yield [0, indexAt(startedMs, endMs - durationMs), shiftMs + durationMs];
  }
}

/** @param {ArrayLike<number>} ascending @param {number} value @returns {number} index of the first that is not smaller */
function indexAt(ascending, value) {
  let [low, high] = [0, ascending.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (ascending[middle] < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

/**
 * The recorded figures of a trace, in the shape of a prediction. A response time is wait plus use, in ms.
 *
 * @param {Trace} trace
 */
export function summariseTrace({ routes, waitMs, useMs, routeOf }) {
  const times = routes.map(() => ({ response: createLatencyHistogram(), wait: createLatencyHistogram() }));
  let waitedMs = 0;
  let maxMs = 0;
  for (let i = 0; i < waitMs.length; i++) {
    const { response, wait } = times[routeOf[i]];
    wait.record(waitMs[i]);
    response.record(waitMs[i] + useMs[i]);
    waitedMs += waitMs[i];
    maxMs = Math.max(maxMs, waitMs[i] + useMs[i]);
  }
  return {
    requests: waitMs.length,
    failures: 0,
    maxMs,
    meanWaitMs: waitedMs / waitMs.length,
    routes: Object.fromEntries(routes.map((route, index) => {
      const { response, wait } = times[index];
      return [route, { count: response.count(), failures: 0, ...summarise(response), wait: summarise(wait) }];
    })),
  };
}
