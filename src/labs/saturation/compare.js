import { quantile } from 'mongodb-pool-predictor';
import { ratioOf } from '../../report/ratio.js';

/** @import { Variant } from '../../report/result-types.js' */
/** @import { SaturationFigures } from './saturation-figures.js' */
/** @import { SaturationSettings } from './plan-saturation.js' */

/** @typedef {Variant<SaturationSettings, SaturationFigures>} MeasuredVariant */
/** @typedef {(figures: SaturationFigures) => number | null} Figure */

/**
 * @typedef {object} Comparison
 * @property {number} ratio median over the repeats
 * @property {[number, number]} [spread] the smallest and the largest; none with a single repeat
 */

/**
 * The ratio of two variants, repeat by repeat. Their repeats are interleaved, so that what slows the machine down slows both.
 *
 * @param {MeasuredVariant | undefined} over
 * @param {MeasuredVariant | undefined} under
 * @param {Figure} figure
 * @returns {Comparison | null} null if one of them was not measured
 */
export function compareRepeats(over, under, figure) {
  const [overs, unders] = [over, under].map((variant) => variant?.repeats ?? []);
  // Where a repeat failed, it is unknown which ones belong together.
  if (overs.length !== unders.length) return null;
  const ratios = overs.flatMap((repeat, index) => ratioOf(figure(repeat.measured), figure(unders[index].measured)) ?? [])
    .filter(Number.isFinite);
  if (ratios.length === 0) return null;
  const ratio = quantile(ratios, 0.5);
  return ratios.length > 1 ? { ratio, spread: [Math.min(...ratios), Math.max(...ratios)] } : { ratio };
}

/** A smaller difference is of no importance, even where it is no accident. */
const IMPORTANT = 1.1;
/** Where the repeats disagree, and the median is below this, there is nothing to see. */
const VISIBLE = 1.3;

/**
 * @param {Comparison} comparison
 * @returns {'more' | 'less' | 'same' | 'unclear'} more and less only if all repeats agree
 */
export function judge({ ratio, spread: [least, most] = [ratio, ratio] }) {
  if (least > 1 && ratio >= IMPORTANT) return 'more';
  if (most < 1 && ratio <= 1 / IMPORTANT) return 'less';
  return ratio < VISIBLE && ratio > 1 / VISIBLE ? 'same' : 'unclear';
}
