import { median, quantile } from 'mongodb-pool-predictor/statistics';
import { compareFigures } from '../corpus/accuracy.js';

/** @import { Compared } from '../corpus/accuracy.js' */
/** @import { Recording } from '../corpus/recordings.js' */

/** Share of the figures that a band should hold. */
const SHARE = 0.9;

/**
 * @typedef {object} BandFactor by which all bands would have to be multiplied for 90 % of the figures to lie in them
 * @property {number} kinds of load
 * @property {number} figures
 * @property {number} factor median over the kinds, each left out once
 * @property {number} low the smallest of them
 * @property {number} high
 * @property {number} heldShare of the figures of the kinds that were left out: in their band, times that factor
 */

/**
 * Calibrates all bands by one number, as in split conformal prediction over kinds of load: the factor for a kind comes
 * from all others. V. Vovk, A. Gammerman, G. Shafer, Algorithmic Learning in a Random World (2005).
 *
 * @param {Recording[]} recordings with answers of predict
 * @returns {BandFactor}
 */
export function calibrateBands(recordings) {
  /** @type {Map<string, number[]>} */
  const kinds = new Map();
  for (const { stored, ...recording } of recordings) {
    if (!stored || !recording.measured) continue;
    const { kind } = recording.measured;
    const own = compareFigures({ ...recording, stored }, stored).flatMap(neededFactor);
    kinds.set(kind, [...(kinds.get(kind) ?? []), ...own]);
  }
  const needed = [...kinds.values()];
  const factors = needed.map((_, kind) => quantile(needed.filter((_own, index) => index !== kind).flat(), SHARE));
  const held = needed.flatMap((own, kind) => own.filter((factor) => factor <= factors[kind]));
  const figures = needed.flat().length;
  return {
    ...{ kinds: kinds.size, figures, factor: median(factors) },
    ...{ low: Math.min(...factors), high: Math.max(...factors), heldShare: held.length / figures },
  };
}

/** The factor from which on the band of a shown figure holds the measured one. @param {Compared} compared */
function neededFactor({ measuredMs, predictedMs, lowMs, highMs }) {
  if (predictedMs === null || lowMs === null || highMs === null) return [];
  const [offMs, widthMs] =
    measuredMs > predictedMs
      ? [measuredMs - predictedMs, highMs - predictedMs]
      : [predictedMs - measuredMs, predictedMs - lowMs];
  return [offMs === 0 ? 0 : offMs / widthMs];
}
