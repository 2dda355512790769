import { spanBands } from '../runs/run-figures.js';

/** @import { predict } from './predict.js' */

/** @typedef {Awaited<ReturnType<typeof predict>>} Prediction */

/**
 * Joins the predictions of all readings of a load. The figures are those of the likely one. Their bands hold those of
 * the other one, too, and what the load needs is what it needs in the worse one.
 *
 * @param {Prediction} likely
 * @param {Prediction} [other] at the same sizes
 * @returns {Prediction}
 */
export function joinReadings(likely, other) {
  if (!other) return likely;
  return {
    ...likely,
    variants: likely.variants.map((variant, index) => ({
      ...variant,
      predicted: spanBands(variant.predicted, other.variants[index].predicted),
    })),
    load: { ...likely.load, ...worseNeed(likely.load, other.load) },
  };
}

/**
 * @param {Prediction['load']} one
 * @param {Prediction['load']} other
 * @returns {Pick<Prediction['load'], 'knee' | 'peakActive'>}
 */
function worseNeed(one, other) {
  return {
    knee: one.knee === null || other.knee === null ? null : Math.max(one.knee, other.knee),
    peakActive: Math.max(one.peakActive, other.peakActive),
  };
}
