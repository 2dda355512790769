import { formatQuantity } from 'mongodb-pool-page/universal/quantity.js';
import { shareColumns } from '../../report/columns.js';
import { mean, quantile, sum } from 'mongodb-pool-predictor/statistics';

/** @import { LabView, Result, Series, Variant } from '../../report/result-types.js' */
/** @import { UtilisationSettings } from './utilisation-lab.js' */

/** @type {import('../../report/columns.js').ShareColumns<Variant<UtilisationSettings, UtilisationFigures>>} */
const share = shareColumns;

/** @type {Omit<LabView<UtilisationSettings, UtilisationFigures>, 'name'>} */
export const utilisationView = {
  loadKind: 'open',
  title: 'How busy a connection may be',
  question:
    'A connection that is in use for half of the time looks like waste. How long do queries wait if it is used more?',
  howToRead: [
    'All queries take equally long. Even: they arrive at equal intervals. Random: each arrives at a random moment, ' +
      'as with users who know nothing of each other. The random moments are the same in each run.',
    'A short line is good. The line for even arrivals stays at the bottom, because each query is done ' +
      'before the next one comes.',
    "Little's law: the number of requests that wait is their arrival rate times their mean " +
      'wait. It holds for every queue.',
    'Predicted: a simulation of the same arrivals, with the time that a query takes alone.',
  ],
  columns: [
    {
      heading: 'arrivals',
      about: 'how they arrive, and how busy they should keep the connections',
      value: ({ name }) => name,
    },
    { heading: 'queries/s', digits: 1, value: ({ measured }) => measured?.ratePerSec },
    {
      heading: 'in use %',
      about: 'share of the time in which a connection was in use',
      digits: 1,
      value: ({ measured }) => measured && measured.usedShare * 100,
    },
    ...share({ group: 'wait for a connection', unit: 'ms' }, [
      { heading: 'mean', value: ({ measured }) => measured?.waitMeanMs },
      { heading: 'p95', about: '95 % waited this long or less', value: ({ measured }) => measured?.waitP95Ms },
      { heading: 'max', value: ({ measured }) => measured?.waitMaxMs },
      { heading: 'predicted', about: 'the mean of a simulation', value: ({ predicted }) => predicted?.waitMeanMs },
    ]),
  ],
  charts: [
    {
      title: 'The mean wait for a connection',
      xLabel: 'How busy a connection is',
      yLabel: 'Mean wait',
      unit: 'ms',
      kind: 'line',
      category: ({ settings }) => `${settings.share} %`,
      series: [
        seriesOf('Random arrivals', 'random', 'measured'),
        seriesOf('Random arrivals, predicted', 'random', 'predicted'),
        seriesOf('Even arrivals', 'even', 'measured'),
      ],
    },
  ],
  takeaway,
};

/**
 * @param {string} label
 * @param {UtilisationSettings['arrivals']} arrivals
 * @param {'measured' | 'predicted'} role
 * @returns {Series<UtilisationSettings, UtilisationFigures>}
 */
function seriesOf(label, arrivals, role) {
  return {
    label,
    role,
    value: (variant) => (variant.settings.arrivals === arrivals ? variant[role]?.waitMeanMs : null),
  };
}

/** @param {Result<UtilisationSettings, UtilisationFigures>} result */
function takeaway({ variants }) {
  return ['random', 'even']
    .flatMap((kind) => {
      const all = variants
        .filter(({ settings, measured }) => settings.arrivals === kind && measured)
        .toSorted((a, b) => a.settings.share - b.settings.share);
      const [least, most] = [all[0], all[all.length - 1]];
      if (!least) return [];
      const waits = [...new Set([least, most])].map(
        ({ settings, measured }) => `${formatQuantity(Number(measured?.waitMeanMs), 'ms')} at ${settings.share} %`,
      );
      return `With ${kind} arrivals, the mean wait is ${waits.join(' and ')}.`;
    })
    .join(' ');
}

/**
 * @typedef {object} UseFigures
 * @property {number} ratePerSec checkouts
 * @property {number} usedShare of the time that the connections were in use, on average
 * @property {number} waitMeanMs for a connection
 * @property {number} waitP95Ms
 * @property {number} waitMaxMs
 *
 * @typedef {UseFigures & { requests: number, failures: number, aloneMs: number }} UtilisationFigures aloneMs: how long
 *   a query without load held its connection
 */

/**
 * @param {{ checkOutStartedAtMs: number, checkedOutAtMs: number | null, checkedInAtMs: number | null }[]} checkouts at
 *   least one
 * @param {number} poolSize
 * @returns {UseFigures}
 */
export function summariseUse(checkouts, poolSize) {
  const starts = checkouts.map(({ checkOutStartedAtMs }) => checkOutStartedAtMs);
  const uses = checkouts.map(({ checkedOutAtMs, checkedInAtMs }) => [Number(checkedOutAtMs), Number(checkedInAtMs)]);
  // A simulated wait of nothing may differ from 0 in its last digit.
  const waitsMs = uses.map(([fromMs], index) => Math.max(0, fromMs - starts[index]));
  const elapsedMs = Math.max(...uses.map(([, toMs]) => toMs)) - Math.min(...starts);
  return {
    ratePerSec: (1000 * checkouts.length) / elapsedMs,
    usedShare: sum(uses.map(([fromMs, toMs]) => toMs - fromMs)) / (poolSize * elapsedMs),
    waitMeanMs: mean(waitsMs),
    waitP95Ms: quantile(waitsMs, 0.95),
    waitMaxMs: Math.max(...waitsMs),
  };
}
