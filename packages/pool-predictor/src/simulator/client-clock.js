/** @import { Random } from './random.js' */

/**
 * How a client measures a duration. With a clock that ticks, the result depends on where between two ticks it began.
 *
 * @param {number} resolutionMs from one tick to the next; 0 for an exact clock
 * @param {Random} random
 * @returns {(ms: number) => number}
 */
export function createClientClock(resolutionMs, random) {
  if (resolutionMs === 0) return (ms) => ms;
  return (ms) => Math.floor(ms / resolutionMs + random.uniform()) * resolutionMs;
}
