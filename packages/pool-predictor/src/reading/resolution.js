import { sum } from '../base/sample-statistics.js';

/** @import { RecordedCheckouts } from './recorded-trace.js' */

/** Steps that tools round to, in ms, the coarsest first. */
const STEPS_MS = [1, 0.1, 0.01];
/** Resolution of the traces that this project writes, a microsecond. */
const FINEST_MS = 0.001;
/** A number of ms since 1970 has errors of this size. */
const ERROR_MS = 0.0003;
/**
 * How many steps two times may differ that are the same: a checkin is the sum of three rounded values, and the checkout
 * after it of two.
 */
const SAME_STEPS = 2.5;
/** What floating-point numbers add. */
const SAME_MORE_MS = 0.0025;

/**
 * Finds the step that all times of checkouts are multiples of.
 *
 * @param {RecordedCheckouts} checkouts
 * @returns {number} ms
 */
export function inferResolution({ startedMs, waitMs, useMs }) {
  let step = 0;
  for (const values of [waitMs, useMs, startedMs]) {
    for (let index = 0; index < values.length; index++) {
      while (step < STEPS_MS.length && !isMultiple(values[index], STEPS_MS[step])) step++;
      if (step === STEPS_MS.length) return FINEST_MS;
    }
  }
  return STEPS_MS[step];
}

/** @param {number} value NaN where it is unknown @param {number} step */
function isMultiple(value, step) {
  return !(Math.abs(value - Math.round(value / step) * step) > ERROR_MS);
}

/** Up to which difference two times of a trace may be the same. @param {number} [resolutionMs] of the trace */
export function sameMsOf(resolutionMs = FINEST_MS) {
  return SAME_STEPS * resolutionMs + SAME_MORE_MS;
}

/**
 * Replaces differences between two rounded times, none of which was negative, where they are so short that rounding can
 * have made them: by their mean. Without the negative ones, the others would be too long, which adds up.
 *
 * @param {number[]} differencesMs
 * @param {number} sameMs see sameMsOf
 * @returns {number[]}
 */
export function levelRounding(differencesMs, sameMs) {
  const short = differencesMs.filter((ms) => ms <= sameMs);
  const meanMs = Math.max(0, sum(short) / short.length);
  return differencesMs.map((ms) => (ms <= sameMs ? meanMs : ms));
}
