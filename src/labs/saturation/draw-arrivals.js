import { createRandom } from 'mongodb-pool-predictor';

/** @typedef {'heavy' | 'cheap'} Kind of query */
/** @typedef {{ kind: Kind, atMs: number }} Arrival `atMs`: from the start of the load */

/**
 * Draws when queries arrive and which are heavy: a Poisson process of which the number of arrivals is known. In a short time a
 * drawn number could be far from the wanted one. The same seed draws the same, so that all pools get the same load.
 *
 * @param {{ ratePerSec: number, withinMs: number, share: number, seed?: number }} load `share` of heavy queries
 * @returns {Arrival[]} oldest first
 */
export function drawArrivals({ ratePerSec, withinMs, share, seed = 1 }) {
  const { uniform } = createRandom(seed, 'arrivals');
  const timesMs = Array.from({ length: Math.round(ratePerSec * withinMs / 1000) }, () => uniform() * withinMs);
  return timesMs.sort((a, b) => a - b).map((atMs) => ({ kind: uniform() < share ? 'heavy' : 'cheap', atMs }));
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
