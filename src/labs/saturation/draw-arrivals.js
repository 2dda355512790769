/** @typedef {'heavy' | 'cheap'} Kind of query */
/** @typedef {{ kind: Kind, atMs: number }} Arrival `atMs`: from the start of the load */

/** Of 32 bits. */
const RANGE = 2 ** 32;

/**
 * Draws when queries arrive and which are heavy: a Poisson process of which the number of arrivals is known. In a short time a
 * drawn number could be far from the wanted one. The same seed draws the same, so that all pools get the same load.
 *
 * @param {{ ratePerSec: number, withinMs: number, share: number, seed?: number }} load `share` of heavy queries
 * @returns {Arrival[]} oldest first
 */
export function drawArrivals({ ratePerSec, withinMs, share, seed = 1 }) {
  const random = createRandom(seed);
  const timesMs = Array.from({ length: Math.round(ratePerSec * withinMs / 1000) }, () => random() * withinMs);
  return timesMs.sort((a, b) => a - b).map((atMs) => ({ kind: random() < share ? 'heavy' : 'cheap', atMs }));
}

/**
 * Spreads the heavy queries evenly among the cheap ones, for callers that take one after the other.
 * @param {number} share of heavy queries
 * @returns {() => Kind}
 */
export function createKinds(share) {
  let debt = 0;
  return () => {
    debt += share;
    if (debt < 1 - Number.EPSILON) return 'cheap';
    debt -= 1;
    return 'heavy';
  };
}

/** Mulberry32, by Tommy Ettinger, in the public domain. @param {number} seed @returns {() => number} from 0 to below 1 */
function createRandom(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) % RANGE;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / RANGE;
  };
}
