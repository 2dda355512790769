/** @import { Arrival } from '../simulator/arrivals.js' */
/** @import { Random } from '../simulator/random.js' */
/** @import { Session } from '../trace/sessions.js' */

/** Blocks of a trace: long enough to keep bursts together, and enough of them that their variance is known. */
const MAX_BLOCKS = 60;
/**
 * The share of the blocks that another recording is assumed to consist of. Fewer blocks vary more, which makes up for
 * the variance that a bootstrap of a few blocks understates. The share is calibrated, as in W.-Y. Loh, Calibrating
 * confidence coefficients (1987), https://doi.org/10.1080/01621459.1987.10478408: with 0.8, about 89 of 100 figures lie
 * in their 90 % band, with 1 one less.
 */
const DRAWN_SHARE = 0.8;
/** A short trace has fewer blocks, so that they have this many checkouts on average. */
const BLOCK_CHECKOUTS = 5;

/**
 * @typedef {[from: number, to: number, shiftMs: number]} VisitBlock visits, without `to`; each comes later by shiftMs
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
  const count = Math.round(MAX_BLOCKS * factor);
  const blocks = Math.min(MAX_BLOCKS, Math.ceil(startedMs.length / BLOCK_CHECKOUTS));
  const blockMs = durationMs / blocks;
  const startsMs = Array.from({ length: Math.ceil(DRAWN_SHARE * blocks) }, () => random.uniform() * durationMs);
  for (let block = 0; block < Math.round(count * (blocks / MAX_BLOCKS)); block++) {
    const startMs = startsMs[Math.floor(random.uniform() * startsMs.length)];
    const endMs = startMs + blockMs;
    const shiftMs = block * blockMs - startMs;
    yield [indexAt(startedMs, startMs), indexAt(startedMs, endMs), shiftMs];
    // After its end the trace begins again.
    yield [0, indexAt(startedMs, endMs - durationMs), shiftMs + durationMs];
  }
}

/**
 * Reads visits block by block. Not a generator, because that takes as long for each as its simulation.
 *
 * @param {Session[]} visits
 * @param {VisitBlock[]} blocks at least one
 * @param {number} factor divides the times
 * @returns {Iterator<Arrival, void>}
 */
export function readVisits(visits, blocks, factor) {
  let lastMs = 0;
  let block = 0;
  let [index] = blocks[0];
  return {
    next() {
      while (index === blocks[block][1]) {
        if (++block === blocks.length) return { done: true, value: undefined };
        [index] = blocks[block];
      }
      const { atMs, requests } = visits[index++];
      // Rounding may put the first arrival of a block slightly before the last one of the previous block.
      lastMs = Math.max(lastMs, atMs + blocks[block][2]);
      const { route, serviceMs, handoverMs, known } = requests[0];
      // Objects of one shape are read several times as fast.
      const value = {
        atMs: lastMs / factor,
        route,
        serviceMs,
        handoverMs,
        known,
        requests: requests.length > 1 ? requests : undefined,
      };
      return { done: false, value };
    },
  };
}

/**
 * @param {ArrayLike<number>} ascending
 * @param {number} value
 * @returns {number} index of the first that is not smaller
 */
function indexAt(ascending, value) {
  let [low, high] = [0, ascending.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (ascending[middle] < value) low = middle + 1;
    else high = middle;
  }
  return low;
}
