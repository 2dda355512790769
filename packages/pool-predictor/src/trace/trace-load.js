import { hasten } from '../load.js';
import { createLatencyHistogram } from '../simulator/latency-histogram.js';
import { createRandom } from '../simulator/random.js';
import { summarise } from '../simulator/route-stats.js';
import { findHandovers } from './handovers.js';

/** @import { Arrival } from '../simulator/arrivals.js' */
/** @import { Load } from '../load.js' */
/** @import { Random } from '../simulator/random.js' */
/** @import { Service } from '../simulator/service-time.js' */
/** @import { Trace } from '../node/trace.js' */

/** Pieces that a trace is cut into: long enough to keep what arrives together, many enough to differ. */
const PIECES = 20;

/**
 * The load of a trace: who came when, how long they kept their connection and how long it then took to hand it over,
 * whatever the pool. Nobody's request waits for the answer to another.
 *
 * @param {Trace} trace
 * @param {object} [options]
 * @param {boolean} [options.redraw] the first run is the record itself; each other is put together from pieces of it,
 *   drawn with replacement (a circular block bootstrap: D. N. Politis and J. P. Romano, 1992)
 * @returns {Load & { services: Record<string, Service> }} services: what each route's checkouts took
 */
export function createTraceLoad(trace, { redraw = false } = {}) {
  const { checkOutStartedMs, routes } = trace;
  const handoversMs = findHandovers(trace);
  // The last one's own gap belongs to the time in which they came.
  const durationMs = Math.max(1, (checkOutStartedMs[checkOutStartedMs.length - 1] * checkOutStartedMs.length) / Math.max(1, checkOutStartedMs.length - 1));
  return {
    routes,
    durationMs,
    services: Object.fromEntries(routes.map((route, index) => (
      [route, { kind: 'sample', valuesMs: Array.from(trace.useMs).filter((_, i) => trace.routeOf[i] === index) }]))),
    isDrawn: () => redraw,
    arrivals: (seed, factor) => hasten(play(trace, handoversMs, redraw && seed > 1
      ? drawPieces(checkOutStartedMs, durationMs, Math.round(PIECES * factor), createRandom(seed, 'pieces'))
      : [[0, checkOutStartedMs.length, 0]]), factor),
  };
}

/**
 * A stretch of the trace: the indices of its first checkout and of the one after its last, and by how much later
 * they come.
 *
 * @typedef {[from: number, to: number, shiftMs: number]} Piece
 */

/**
 * @param {Trace} trace
 * @param {ArrayLike<number>} handoversMs
 * @param {Iterable<Piece>} pieces
 * @returns {Generator<Arrival, void>}
 */
function* play({ checkOutStartedMs, useMs, routes, routeOf }, handoversMs, pieces) {
  let lastMs = 0;
  for (const [from, to, shiftMs] of pieces) {
    for (let i = from; i < to; i++) {
      // Rounding may put the first of a piece a hair before the last of the one before.
      lastMs = Math.max(lastMs, checkOutStartedMs[i] + shiftMs);
      yield { atMs: lastMs, route: routes[routeOf[i]], serviceMs: useMs[i], handoverMs: handoversMs[i] };
    }
  }
}

/**
 * @param {ArrayLike<number>} checkOutStartedMs
 * @param {number} durationMs
 * @param {number} count
 * @param {Random} random
 * @returns {Generator<Piece, void>}
 */
function* drawPieces(checkOutStartedMs, durationMs, count, random) {
  const pieceMs = durationMs / PIECES;
  for (let piece = 0; piece < count; piece++) {
    const startMs = random.uniform() * durationMs;
    const endMs = startMs + pieceMs;
    const shiftMs = piece * pieceMs - startMs;
    yield [indexAt(checkOutStartedMs, startMs), indexAt(checkOutStartedMs, endMs), shiftMs];
    // Behind its end the trace begins again.
    yield [0, indexAt(checkOutStartedMs, endMs - durationMs), shiftMs + durationMs];
  }
}

/** @param {ArrayLike<number>} ascending @param {number} value @returns {number} index of the first that is not below */
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
 * What was recorded, in the shape of a prediction: response times are wait and use together.
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
