import { PREDICTION } from '../assumptions/prediction-assumptions.js';
import { countBelow } from '../base/intervals.js';

/** @import { Arrival } from '../simulator/arrivals.js' */
/** @import { Random } from '../simulator/random.js' */
/** @import { Session } from '../trace/sessions.js' */

/**
 * @typedef {[from: number, to: number, shiftMs: number, fromMs: number, toMs: number]} VisitBlock visits, without `to`;
 *   each comes later by shiftMs; fromMs, toMs: the time of the trace that it is
 */

/**
 * Draws blocks twice: first those of which another recording might have been made; then the run, from those. A trace is
 * one random run itself, so its distance from a new run has twice the variance of either. With blocks drawn once, only
 * three of four new runs lie in a 90 % band. R. Beran, Calibrating prediction regions (1990),
 * https://doi.org/10.1080/01621459.1990.10474953.
 *
 * @param {ArrayLike<number>} startedMs
 * @param {number} durationMs
 * @param {number} factor times as many blocks as the trace has
 * @param {Random} random
 * @returns {Generator<VisitBlock, void>}
 */
export function* drawBlocks(startedMs, durationMs, factor, random) {
  const count = Math.round(PREDICTION.blocks * factor);
  const blocks = Math.min(PREDICTION.blocks, Math.ceil(startedMs.length / PREDICTION.blockCheckouts));
  const blockMs = durationMs / blocks;
  const startsMs = Array.from(
    { length: Math.ceil(PREDICTION.drawnShare * blocks) },
    () => random.uniform() * durationMs,
  );
  for (let block = 0; block < Math.round(count * (blocks / PREDICTION.blocks)); block++) {
    const startMs = startsMs[Math.floor(random.uniform() * startsMs.length)];
    const endMs = startMs + blockMs;
    const shiftMs = block * blockMs - startMs;
    yield [countBelow(startedMs, startMs), countBelow(startedMs, endMs), shiftMs, startMs, endMs];
    // After its end the trace begins again.
    const againMs = endMs - durationMs;
    yield [0, countBelow(startedMs, againMs), shiftMs + durationMs, 0, againMs];
  }
}

/**
 * Repeats a whole trace.
 *
 * @param {ArrayLike<number>} startedMs
 * @param {number} durationMs
 * @param {number} factor times as long
 * @returns {VisitBlock[]}
 */
export function repeatWhole(startedMs, durationMs, factor) {
  return Array.from({ length: Math.ceil(factor) }, (_, copy) => {
    const toMs = (factor - copy) * durationMs;
    return [0, countBelow(startedMs, toMs), copy * durationMs, 0, toMs];
  });
}

/**
 * Puts visits in columns: simulations read them again and again, and objects take several times as long.
 *
 * @param {Session[]} visits
 */
export function listVisits(visits) {
  const firsts = visits.map(({ requests: [first] }) => first);
  return {
    atMs: Float64Array.from(visits, ({ atMs }) => atMs),
    routes: firsts.map(({ route }) => route),
    servicesMs: Float64Array.from(firsts, ({ serviceMs }) => serviceMs),
    handoversMs: Float64Array.from(firsts, ({ handoverMs = 0 }) => handoverMs),
    known: firsts.map(({ known }) => known),
    requests: visits.map(({ requests }) => (requests.length > 1 ? requests : undefined)),
  };
}

/**
 * Reads visits block by block. Not a generator, because that takes as long for each as its simulation.
 *
 * @param {ReturnType<typeof listVisits>} visits
 * @param {VisitBlock[]} blocks
 * @param {number} factor divides the times
 * @returns {Iterator<Arrival, void>}
 */
export function readVisits({ atMs, routes, servicesMs, handoversMs, known, requests }, blocks, factor) {
  let block = -1;
  let [index, end, shiftMs, lastMs] = [0, 0, 0, 0];
  return {
    next() {
      while (index === end) {
        if (++block >= blocks.length) return { done: true, value: undefined };
        [index, end, shiftMs] = blocks[block];
      }
      const visit = index++;
      // Rounding may put the first arrival of a block slightly before the last one of the previous block.
      lastMs = Math.max(lastMs, atMs[visit] + shiftMs);
      // Objects of one shape are read several times as fast.
      const value = {
        atMs: lastMs / factor,
        route: routes[visit],
        serviceMs: servicesMs[visit],
        handoverMs: handoversMs[visit],
        known: known[visit],
        requests: requests[visit],
      };
      return { done: false, value };
    },
  };
}
