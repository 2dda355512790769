import { spanBands } from '../runs/run-figures.js';
import { guessBest } from './size-comparison.js';

/** @import { LoadFacts } from '../load/load-facts.js' */
/** @import { predict } from './predict.js' */
/** @import { Slowdown } from './size-comparison.js' */

/** @typedef {Awaited<ReturnType<typeof predict>>} Prediction */
/**
 * @typedef {Omit<Prediction, 'load'> & { load: LoadFacts & { knee: number | null, slowdown: Slowdown | null } }}
 *   ReadingPrediction of one reading
 */

/**
 * Joins the predictions of all readings of a load. The figures are those of the likely one. Their bands hold those of
 * the other one, too, and what the load needs is what it needs in the worse one.
 *
 * @param {ReadingPrediction} likely
 * @param {ReadingPrediction} [other] at the same sizes
 * @returns {Prediction}
 */
export function joinReadings(likely, other) {
  const load = other ? { ...likely.load, ...worseNeed(likely.load, other.load) } : likely.load;
  const whole = { ...likely, load: { ...load, best: guessBest(load) } };
  if (!other) return whole;
  return {
    ...whole,
    variants: likely.variants.map((variant, index) => ({
      ...variant,
      predicted: spanBands(variant.predicted, other.variants[index].predicted),
    })),
  };
}

/**
 * @param {ReadingPrediction['load']} one
 * @param {ReadingPrediction['load']} other
 * @returns {Pick<ReadingPrediction['load'], 'knee' | 'peakActive'>}
 */
function worseNeed(one, other) {
  return {
    knee: one.knee === null || other.knee === null ? null : Math.max(one.knee, other.knee),
    peakActive: Math.max(one.peakActive, other.peakActive),
  };
}
