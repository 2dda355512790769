import { formatNumber } from 'mongodb-pool-page/universal/quantity.js';
import { median } from 'mongodb-pool-predictor/statistics';
import { ratioOf } from '../../report/findings.js';

/** @import { Finding, Result, Variant } from '../../report/result-types.js' */
/** @import { SaturationFigures } from './saturation-figures.js' */
/** @import { SaturationSettings, VariantRole } from './saturation-lab.js' */

/** @typedef {Result<SaturationSettings, SaturationFigures>} SaturationResult */

/**
 * Oracle's Real-World Performance group, as HikariCP's page About Pool Sizing reports it: 9600 threads that sleep 550
 * ms between two queries. The mean time in the database with a pool of 2048 / with one of 96.
 * https://github.com/brettwooldridge/HikariCP/wiki/About-Pool-Sizing
 */
export const PUBLISHED_USE_RATIO = 77 / 2;

/** A server that answers this share of the queries sent to it has room for more. */
const NEARLY_ALL = 0.97;

/** @type {Record<'rate' | 'heavy' | 'cheap' | 'mean' | 'use', Figure>} */
const FIGURES = {
  rate: ({ ratePerSec }) => ratePerSec,
  heavy: ({ heavy }) => heavy.p99Ms,
  cheap: ({ cheap }) => cheap.p99Ms,
  mean: ({ meanMs }) => meanMs,
  use: ({ useMs }) => useMs,
};

/**
 * Compares the best size with the large one, and says what open arrivals show.
 * @param {SaturationResult} result
 * @returns {Finding[]}
 */
export function findSaturationFindings(result) {
  const { best, reference } = findCompared(result);
  const open = pairOpen(result);
  const sizes = [reference?.settings.poolSize, best?.measured?.poolSize];
  const pair = `${sizes.join(' / ')} connections`;
  return [
    ...describe(`heavy p99, ${pair}`, reference, best, 'heavy'),
    ...describe(`cheap p99, ${pair}`, reference, best, 'cheap'),
    ...describe(`queries/s, ${sizes.toReversed().join(' / ')} connections`, best, reference, 'rate'),
    ...describe(`mean time in server, ${pair}`, reference, best, 'use', PUBLISHED_USE_RATIO),
    ...(open ? compareOpen(open) : []),
  ];
}

/** @param {[MeasuredPool, MeasuredPool]} pair @returns {Finding[]} */
function compareOpen([more, less]) {
  const load = `at ${more.settings.load}`;
  const sizes = `${more.settings.poolSize} / ${less.settings.poolSize} connections`;
  return [
    ...describe(`${load}: heavy p99, ${sizes}`, more, less, 'heavy'),
    ...describe(`${load}: mean response, ${sizes}`, more, less, 'mean'),
  ];
}

/**
 * @param {string} claim
 * @param {MeasuredPool | undefined} over
 * @param {MeasuredPool | undefined} under
 * @param {keyof typeof FIGURES} figure
 * @param {number} [published]
 * @returns {Finding[]}
 */
function describe(claim, over, under, figure, published) {
  const comparison = compareRepeats(over, under, FIGURES[figure]);
  return comparison
    ? [{ claim, measured: comparison.ratio, spread: comparison.spread, published: published ?? null }]
    : [];
}

/** The result in a few sentences. @param {SaturationResult} result */
export function sumUpSaturation(result) {
  const { best, reference } = findCompared(result);
  const heavy = compareRepeats(reference, best, FIGURES.heavy);
  const cheap = compareRepeats(reference, best, FIGURES.cheap);
  const rate = compareRepeats(best, reference, FIGURES.rate);
  if (!heavy || !cheap || !rate) return 'No pool sizes were compared: only the closed loop does that.';
  const [small, large] = [best?.measured?.poolSize, reference?.settings.poolSize];
  const hasEffect = isDifferent(heavy) || isDifferent(rate);
  return [
    !hasEffect && (isUnclear(heavy) || isUnclear(rate) ? 'The repeats disagree.' : 'No effect here.'),
    `The p99 of heavy queries is ${describeRatio(heavy)} times as long with ${large} connections as with ${small}` +
      `${describeSpread(heavy)}.`,
    isDifferent(cheap) && `Of cheap ones it is ${describeRatio(cheap)} times as long${describeSpread(cheap)}.`,
    isDifferent(rate) && `${small} answer ${describeRatio(rate)} times as many queries${describeSpread(rate)}.`,
    describeRoom(result),
  ]
    .filter(Boolean)
    .join(' ');
}

/** Whether more than the server could answer was in fact answered. @param {SaturationResult} result */
function describeRoom({ variants }) {
  for (const { settings, measured } of variants) {
    if (settings.load === 'closed' || settings.load < 1 || !measured?.sentPerSec) continue;
    const { ratePerSec, sentPerSec } = measured;
    if (ratePerSec >= NEARLY_ALL * sentPerSec)
      return (
        `At ${settings.load} the server was not full: with ${measured.poolSize} connections it answered ` +
        `${formatNumber(ratePerSec)} of ${formatNumber(sentPerSec)} queries per second.`
      );
  }
  return null;
}

/** @param {Comparison} comparison */
function isDifferent(comparison) {
  return ['more', 'less'].includes(judge(comparison));
}

/** @param {Comparison} comparison */
function isUnclear(comparison) {
  return judge(comparison) === 'unclear';
}

/** @param {Comparison} comparison */
function describeRatio({ ratio }) {
  return formatNumber(ratio, 2);
}

/** @param {Comparison} comparison */
function describeSpread({ spread }) {
  return spread ? ` (${spread.map((each) => formatNumber(each, 2)).join(' to ')})` : '';
}

/** @param {SaturationResult} result @returns {{ best?: MeasuredPool, reference?: MeasuredPool }} */
function findCompared({ variants }) {
  /** @param {VariantRole} wanted */
  const find = (wanted) => variants.find(({ settings }) => settings.role === wanted);
  return { best: find('best'), reference: find('reference') };
}

/**
 * @param {SaturationResult} result
 * @returns {[MeasuredPool, MeasuredPool] | null} reference and smallest pool, highest load
 */
function pairOpen({ variants, settings: { reference } }) {
  const open = variants.filter(({ settings, measured }) => settings.load !== 'closed' && measured);
  const most = Math.max(...open.map(({ settings }) => Number(settings.load)));
  const [least, ...others] = open
    .filter(({ settings }) => settings.load === most)
    .toSorted((a, b) => Number(a.settings.poolSize) - Number(b.settings.poolSize));
  const large = others.find(({ settings }) => settings.poolSize === reference) ?? others.at(-1);
  return large ? [large, least] : null;
}

/** @typedef {Variant<SaturationSettings, SaturationFigures>} MeasuredPool */
/** @typedef {(figures: SaturationFigures) => number | null} Figure */

/**
 * @typedef {object} Comparison
 * @property {number} ratio median over the repeats
 * @property {[number, number]} [spread] the smallest and the largest; none with a single repeat
 */

/**
 * The ratio of two variants, repeat by repeat. Their repeats are interleaved, so that what slows the machine down slows
 * both.
 *
 * @param {MeasuredPool | undefined} over
 * @param {MeasuredPool | undefined} under
 * @param {Figure} figure
 * @returns {Comparison | null} null if one of them was not measured
 */
export function compareRepeats(over, under, figure) {
  const [overs, unders] = [over, under].map((variant) => variant?.repeats ?? []);
  // Where a repeat failed, it is unknown which ones belong together.
  if (overs.length !== unders.length) return null;
  const ratios = overs
    .flatMap((repeat, index) => ratioOf(figure(repeat.measured), figure(unders[index].measured)) ?? [])
    .filter(Number.isFinite);
  if (ratios.length === 0) return null;
  const ratio = median(ratios);
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
