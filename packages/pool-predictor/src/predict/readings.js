import { spanBands } from '../runs/run-figures.js';

/** @import { Load } from '../load/load.js' */
/** @import { predict } from './predict.js' */

/** @typedef {Awaited<ReturnType<typeof predict>>} Prediction */

/**
 * Predicts a load in each of its readings. The figures are those of the likely one. Their bands hold those of the other
 * one, too, and what the load needs is what it needs in the worse one.
 *
 * @param {Load} load
 * @param {(load: Load) => Promise<Prediction>} predictOne at the same sizes
 * @returns {Promise<Prediction>}
 */
export async function predictReadings(load, predictOne) {
  const likely = await predictOne(load);
  if (!load.otherReading) return likely;
  const other = await predictOne(load.otherReading);
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
