import { formatTick, isPowerOfTen } from './chart-points.js';

/** @import { Scale } from 'chart.js' */

/** From 1 ms to 10 s whatever comes, so that the eye learns where a Ferrari and a bus belong. */
export const LOG_AXIS = {
  type: /** @type {const} */ ('logarithmic'),
  suggestedMin: 1,
  suggestedMax: 10_000,
  afterBuildTicks(/** @type {Scale} */ scale) {
    scale.ticks = scale.ticks.filter(({ value }) => isPowerOfTen(value));
  },
  ticks: { callback: (/** @type {number | string} */ value) => formatTick(Number(value)) },
};
