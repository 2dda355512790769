/** @import { Scale } from 'chart.js' */

/** The axis always spans 1 ms to 10 s, so that the eye learns where a Ferrari and a bus belong. */
export const LOG_AXIS = {
  type: /** @type {const} */ ('logarithmic'),
  suggestedMin: 1,
  suggestedMax: 10_000,
  afterBuildTicks(/** @type {Scale} */ scale) {
    scale.ticks = scale.ticks.filter(({ value }) => isPowerOfTen(value));
  },
  ticks: { callback: (/** @type {number | string} */ value) => formatTick(Number(value)) },
};

/** @param {number} value */
export function isPowerOfTen(value) {
  return Number.isInteger(Math.round(Math.log10(value) * 1e9) / 1e9);
}

/** @param {number} ms a round number */
export function formatTick(ms) {
  return ms < 1000 ? `${ms} ms` : `${ms / 1000} s`;
}
