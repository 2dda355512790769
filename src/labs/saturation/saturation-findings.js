import { formatNumber } from 'mongodb-pool-monitor/universal/quantity.js';
import { CAUSE_NAMES, CAUSES } from './causes.js';
import { compareRepeats, judge } from './compare.js';
import { PUBLISHED_RATIOS } from './saturation-published.js';

/** @import { Finding, Result } from '../../report/result-types.js' */
/** @import { Cause, CauseName } from './causes.js' */
/** @import { Comparison, Figure, MeasuredVariant } from './compare.js' */
/** @import { SaturationFigures } from './saturation-figures.js' */
/** @import { Role, SaturationSettings } from './plan-saturation.js' */

/** @typedef {Result<SaturationSettings, SaturationFigures>} SaturationResult */

/** @type {Record<'rate' | 'heavy' | 'cheap' | 'mean' | 'use', Figure>} */
const FIGURES = {
  rate: ({ ratePerSec }) => ratePerSec,
  heavy: ({ heavy }) => heavy.p99Ms,
  cheap: ({ cheap }) => cheap.p99Ms,
  mean: ({ meanMs }) => meanMs,
  use: ({ useMs }) => useMs,
};

/**
 * For each cause: by how much the best size beats the large one, how much of that is gone without the cause, and what open
 * arrivals show.
 * @param {SaturationResult} result
 * @returns {Finding[]}
 */
export function findSaturationFindings(result) {
  return listCompared(result).flatMap(({ cause, best, reference, control, open }) => {
    const { label } = CAUSES[cause];
    const sizes = `${reference?.settings.poolSize} / ${best?.measured?.poolSize}`;
    const without = `${label} / ${CAUSES[cause].control}, ${reference?.settings.poolSize}`;
    return [
      describe(`${label}: heavy p99, ${sizes}`, reference, best, 'heavy'),
      describe(`${label}: cheap p99, ${sizes}`, reference, best, 'cheap'),
      describe(`${label}: queries/s, ${sizes.split(' / ').reverse().join(' / ')}`, best, reference, 'rate'),
      describe(`${label}: mean time in server, ${sizes}`, reference, best, 'use', PUBLISHED_RATIOS.use),
      describe(`${without}: heavy p99`, reference, control, 'heavy'),
      describe(`${without}: cheap p99`, reference, control, 'cheap'),
      describe(`${without}: queries/s`, reference, control, 'rate'),
      open && compareOpen(label, open),
    ].flatMap((findings) => findings ?? []);
  });
}

/** @param {string} label @param {[MeasuredVariant, MeasuredVariant]} pair @returns {Finding[]} */
function compareOpen(label, [more, less]) {
  const load = `${label} at ${more.settings.load}`;
  const sizes = `${more.settings.poolSize} / ${less.settings.poolSize}`;
  return [
    ...describe(`${load}: heavy p99, ${sizes}`, more, less, 'heavy'),
    ...describe(`${load}: mean response, ${sizes}`, more, less, 'mean', PUBLISHED_RATIOS.mean),
  ];
}

/**
 * @param {string} claim
 * @param {MeasuredVariant | undefined} over
 * @param {MeasuredVariant | undefined} under
 * @param {keyof typeof FIGURES} figure
 * @param {number} [published]
 * @returns {Finding[]}
 */
function describe(claim, over, under, figure, published) {
  const comparison = compareRepeats(over, under, FIGURES[figure]);
  return comparison ? [{ claim, measured: comparison.ratio, spread: comparison.spread, published: published ?? null }] : [];
}

/** The result in sentences, a few for each cause. @param {SaturationResult} result */
export function sumUpSaturation(result) {
  const sentences = listCompared(result).flatMap(sumUpCause);
  return sentences.length > 0 ? sentences.join(' ') : 'No pool sizes were compared: only the closed loop does that.';
}

/** @param {Compared} compared @returns {string[]} */
function sumUpCause({ cause, best, reference, control }) {
  const heavy = compareRepeats(reference, best, FIGURES.heavy);
  const cheap = compareRepeats(reference, best, FIGURES.cheap);
  const rate = compareRepeats(best, reference, FIGURES.rate);
  if (!heavy || !cheap || !rate) return [];
  const [small, large] = [best?.measured?.poolSize, reference?.settings.poolSize];
  const label = CAUSES[cause].label.replace(/^./, (letter) => letter.toUpperCase());
  const hasEffect = isDifferent(heavy) || isDifferent(rate);
  const nothing = isUnclear(heavy) || isUnclear(rate) ? 'the repeats disagree. The' : 'no effect here. The';
  return [
    `${label}: ${hasEffect ? 'the' : nothing} p99 of heavy queries is ${describeRatio(heavy)} times as long with `
      + `${large} connections as with ${small}${describeSpread(heavy)}.`,
    isDifferent(cheap) && `Of cheap ones it is ${describeRatio(cheap)} times as long${describeSpread(cheap)}.`,
    isDifferent(rate) && `${small} answer ${describeRatio(rate)} times as many queries${describeSpread(rate)}.`,
    hasEffect && describeControl(CAUSES[cause], reference, control),
  ].flatMap((sentence) => sentence || []);
}

/** @param {Comparison} comparison */
function isDifferent(comparison) {
  return ['more', 'less'].includes(judge(comparison));
}

/** @param {Comparison} comparison */
function isUnclear(comparison) {
  return judge(comparison) === 'unclear';
}

/**
 * Says if the cause is not what it seemed to be.
 * @param {Cause} cause
 * @param {MeasuredVariant | undefined} reference
 * @param {MeasuredVariant | undefined} control
 */
function describeControl({ label, control: name }, reference, control) {
  const heavy = compareRepeats(reference, control, FIGURES.heavy);
  if (!heavy || !['same', 'less'].includes(judge(heavy))) return '';
  return `With ${name} and ${reference?.settings.poolSize} connections heavy queries are not quicker: the `
    + `ratio is ${describeRatio(heavy)}${describeSpread(heavy)}. So the ${label} alone ${label.endsWith('s') ? 'are' : 'is'} not the reason.`;
}

/** @param {Comparison} comparison */
function describeRatio({ ratio }) {
  return formatNumber(ratio, 2);
}

/** @param {Comparison} comparison */
function describeSpread({ spread }) {
  return spread ? ` (${spread.map((each) => formatNumber(each, 2)).join(' to ')})` : '';
}

/**
 * @typedef {object} Compared
 * @property {CauseName} cause
 * @property {MeasuredVariant | undefined} best
 * @property {MeasuredVariant | undefined} reference
 * @property {MeasuredVariant | undefined} control
 * @property {[MeasuredVariant, MeasuredVariant] | null} open the reference and the smallest pool under the highest open load
 */

/** @param {SaturationResult} result @returns {Compared[]} */
function listCompared({ variants, settings }) {
  return CAUSE_NAMES.map((cause) => {
    const ofCause = variants.filter((variant) => variant.settings.cause === cause);
    /** @param {Role} role */
    const find = (role) => ofCause.find((variant) => variant.settings.role === role);
    return {
      cause, best: find('best'), reference: find('reference'), control: find('control'),
      open: pairOpen(ofCause, Number(settings.reference)),
    };
  });
}

/** @param {MeasuredVariant[]} variants of a cause @param {number} reference @returns {Compared['open']} */
function pairOpen(variants, reference) {
  const open = variants.filter(({ settings, measured }) => settings.load !== 'closed' && measured);
  const most = Math.max(...open.map(({ settings }) => Number(settings.load)));
  const [least, ...others] = open.filter(({ settings }) => settings.load === most)
    .toSorted((a, b) => Number(a.settings.poolSize) - Number(b.settings.poolSize));
  const large = others.find(({ settings }) => settings.poolSize === reference) ?? others.at(-1);
  return large ? [large, least] : null;
}
