/** @import { Random } from './random.js' */

/**
 * How a client tells a length of time: a clock that ticks shows the same one differently, by where between two ticks it
 * begins.
 *
 * @param {number} resolutionMs from one tick to the next; 0 for a clock that is exact
 * @param {Random} random
 * @returns {(ms: number) => number}
 */
export function createClientClock(resolutionMs, random) {
  if (resolutionMs === 0) return (ms) => ms;
  return (ms) => Math.floor(ms / resolutionMs + random.uniform()) * resolutionMs;
}
