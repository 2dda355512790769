import { formatQuantity } from 'mongodb-pool-page/universal/quantity.js';
import { ratioOf } from '../../report/findings.js';
import { closeLimitMs, isBusyMachine, isCure } from './criterion.js';
import { routeFigure } from './remedies-figures.js';

/** @import { Finding, Result } from '../../report/result-types.js' */
/** @import { MeasuredRemedy } from './criterion.js' */
/** @import { RemedyFigures } from './remedies-figures.js' */
/** @import { RemedySettings } from './variants.js' */

/** With fewer, one outlier could decide. */
const MIN_REPEATS = 3;

const fastP99 = routeFigure('/fast', 'p99Ms');

/**
 * Customers with each remedy, compared with no remedy and with no administrators. Nothing is published: the article
 * tried only other pool sizes, under another load.
 * @param {Result<RemedySettings, RemedyFigures>} result
 * @returns {Finding[]}
 */
export function findRemedyFindings({ variants }) {
  const { alone, untreated, treated, cold, warm } = sortOut(variants);
  return [
    ...treated.map((variant) => compare(untreated, variant)),
    ...treated.map((variant) => compare(variant, alone)),
    compare(cold, warm),
  ].flat();
}

/** @param {MeasuredRemedy | undefined} one @param {MeasuredRemedy | undefined} other @returns {Finding[]} */
function compare(one, other) {
  if (!one || !other) return [];
  return [
    {
      claim: `${one.name} / ${other.name}: p99 of /fast`,
      measured: ratioOf(fastP99(one), fastP99(other)),
      published: null,
    },
  ];
}

/** What helped, in a few sentences. @param {Result<RemedySettings, RemedyFigures>} result */
export function sumUpRemedies({ variants }) {
  const { alone, untreated, treated, cold, warm } = sortOut(variants);
  if (!alone?.measured || !untreated) return '';
  if (isBusyMachine(alone.measured))
    return 'Other programs used this machine, so this run says nothing about remedies.';
  return [
    ...(treated.length > 0 ? compareRemedies(treated, { alone, untreated }) : []),
    ...(cold && warm
      ? [
          `With a cold pool, 99 % of a burst is answered within ${describeMs(Number(fastP99(cold)))}; with a warm one, within ` +
            `${describeMs(Number(fastP99(warm)))}.`,
        ]
      : []),
  ].join(' ');
}

/** @param {MeasuredRemedy[]} treated @param {{ alone: MeasuredRemedy, untreated: MeasuredRemedy }} others */
function compareRemedies(treated, { alone, untreated }) {
  /** @param {boolean | null} verdict */
  const namesOf = (verdict) =>
    treated
      .filter((variant) => isCure(variant, alone) === verdict)
      .map(({ name }) => name)
      .join(', ');
  const unclear = namesOf(null);
  const repeats = Math.max(MIN_REPEATS, 2 * (alone.repeats?.length ?? 1));
  const unloadedMs = Number(fastP99(alone));
  return [
    `With ${untreated.name}, 99 % of customers get their answer within ${describeMs(Number(fastP99(untreated)))}; without ` +
      `administrators it is ${describeMs(unloadedMs)}.`,
    `Almost as good, within ${describeMs(closeLimitMs(unloadedMs))}: ${namesOf(true) || 'no remedy'}.`,
    ...(unclear ? [`Not clear: ${unclear}; repeat with --repeat ${repeats}.`] : []),
    'The table shows what each one costs.',
  ];
}

/** @param {MeasuredRemedy[]} variants */
function sortOut(variants) {
  /** @param {RemedySettings['load']} load */
  const under = (load) => variants.filter(({ settings }) => settings.load === load);
  const [alone] = under('customers');
  const [cold, warm] = under('burst');
  return {
    alone,
    untreated: under('all').find(({ settings }) => settings.remedy === 'none'),
    treated: under('all').filter(({ settings }) => settings.remedy !== 'none'),
    cold,
    warm,
  };
}

/** @param {number} ms */
function describeMs(ms) {
  return formatQuantity(ms, 'ms');
}
