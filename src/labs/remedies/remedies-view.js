import { formatQuantity } from '../../universal/quantity.js';
import { closeLimitMs, isCure } from './criterion.js';

/** @import { Column, Finding, Lab, Result, Variant } from '../../report/result-types.js' */
/** @import { RemedySettings } from './variants.js' */

/** Fewest runs of which one can be out of line. */
const MIN_REPEATS = 3;

const fastP99 = ofRoute('/fast', 'p99Ms');

/** How a result of the remedies lab is shown. @type {Omit<Lab, 'name'>} */
export const remediesView = {
  loadKind: 'open',
  title: 'What to do about it',
  question: 'Slow queries of a few administrators hold all connections of a pool, and a hundred customers a second stand '
    + 'behind them. Which remedy helps the customers, and what does it cost?',
  howToRead: [
    'All apps get the same requests at the same times. The further left a dot, the better. Each power of ten takes the '
    + 'same room on the axis.',
    'A larger pool (MONGO_POOLSIZE) helps once it exceeds the most slow queries at a time: take it if those stay few.',
    'A second client for /slow (SLOW_POOLSIZE) keeps customers safe whatever administrators do; they wait for each other.',
    'A cap on /slow (SLOW_CONCURRENCY) does so too and refuses the next one at once: take it if that can come again.',
    'A wait-queue timeout (MONGO_WAIT_QUEUE_TIMEOUT_MS) bounds every wait but refuses customers as well: a fuse, no cure.',
    'A burst is another load: customers all at one moment, far from the server. A cold pool opens two connections at a '
    + 'time; MONGO_MIN_POOLSIZE keeps them open.',
  ],
  columns: [
    { heading: 'remedy', value: ({ name }) => name },
    ...timeColumns('/fast', 1),
    {
      group: '/fast', heading: 'predicted', unit: 'ms', digits: 1, about: 'p99 of /fast, of a simulation of the same requests',
      value: ({ predicted }) => predicted?.routes['/fast'].p99Ms,
    },
    ...countColumns('/fast'),
    ...timeColumns('/slow', 0),
    ...countColumns('/slow'),
    {
      group: 'server', heading: 'connections', value: ({ measured }) => measured?.connections,
      about: 'of the app at the server, at the most; one or two of each client only watch it',
    },
    { heading: 'slowest', about: 'request of all', unit: 'ms', value: slowestMs },
  ],
  charts: [{
    title: 'How long customers and administrators wait',
    xLabel: 'Remedy',
    yLabel: 'Response time',
    unit: 'ms',
    kind: 'dot',
    category: ({ name }) => name,
    series: [
      { label: '99 of 100 of /fast take at most', role: 'measured', route: '/fast', value: fastP99 },
      { label: '99 of 100 of /slow take at most', role: 'measured', route: '/slow', value: ofRoute('/slow', 'p99Ms') },
    ],
  },
  createTimeSeries('A customer\'s wait while it lasts, by remedy', ({ remedy, load }) => (
    load === 'all' && remedy !== 'size')),
  createTimeSeries('A customer\'s wait while it lasts, by size of the pool', ({ remedy, load }) => (
    load === 'all' && ['none', 'size'].includes(remedy)))],
  findings,
  takeaway,
};

/**
 * @param {string} route
 * @param {'p50Ms' | 'p99Ms' | 'maxMs' | 'refused' | 'failures'} figure
 */
function ofRoute(route, figure) {
  return (/** @type {Variant} */ { measured }) => (
    measured?.routes[route].count > 0 ? measured?.routes[route][figure] : null);
}

/**
 * @param {string} route
 * @param {number} digits
 * @returns {Column[]}
 */
function timeColumns(route, digits) {
  const column = { group: route, unit: 'ms', digits };
  return [
    { ...column, heading: 'p50', about: 'half of the requests took at most this long', value: ofRoute(route, 'p50Ms') },
    { ...column, heading: 'p99', about: '99 of 100 took at most this long', value: ofRoute(route, 'p99Ms') },
  ];
}

/**
 * @param {string} route
 * @returns {Column[]}
 */
function countColumns(route) {
  return [
    {
      group: route, heading: 'refused', value: ofRoute(route, 'refused'),
      about: 'answered 503 by a remedy; not in the percentiles',
    },
    {
      group: route, heading: 'failed', value: ofRoute(route, 'failures'),
      about: 'no answer in time, or an error; in the percentiles with the time waited in vain',
    },
  ];
}

/** @param {Variant} variant */
function slowestMs({ measured }) {
  return measured && Math.max(measured.routes['/fast'].maxMs, measured.routes['/slow'].maxMs);
}

/**
 * @param {string} title
 * @param {(settings: RemedySettings) => boolean} isShown
 * @returns {import('../../report/result-types.js').ChartSpec}
 */
function createTimeSeries(title, isShown) {
  return {
    title,
    xLabel: 'Seconds since the load began',
    yLabel: 'Response time of /fast, median of half a second',
    unit: 'ms',
    kind: 'line',
    log: true,
    category: ({ name }) => name,
    series: [],
    timeSeries: ({ settings, measured }) => (isShown(/** @type {any} */ (settings)) ? measured?.fastMs : null),
  };
}

/**
 * How much sooner customers are answered than with the pool as it was, and how near that comes to a load without
 * administrators. The article tried no remedy but other sizes, under another load.
 * @param {Result} result
 * @returns {Finding[]}
 */
function findings({ variants }) {
  const { alone, untreated, treated, bursts: [cold, warm] } = sortOut(variants);
  return [
    ...treated.map((variant) => compare(untreated, variant)),
    ...treated.map((variant) => compare(variant, alone)),
    compare(cold, warm),
  ].flat();
}

/**
 * @param {Variant | undefined} one
 * @param {Variant | undefined} other
 * @returns {Finding[]}
 */
function compare(one, other) {
  if (!one || !other) return [];
  return [{ claim: `${one.name} / ${other.name}: p99 of /fast`, measured: fastP99(one) / fastP99(other), published: null }];
}

/** @param {Result} result */
function takeaway({ variants }) {
  const { alone, untreated, treated } = sortOut(variants);
  if (!alone || !untreated) return '';
  /** @param {boolean | null} verdict */
  const namesOf = (verdict) => treated.filter((variant) => isCure(variant, alone) === verdict)
    .map(({ name }) => name).join(', ');
  const unclear = namesOf(null);
  return `With ${untreated.name}, 99 of 100 customers have their answer within ${describeMs(fastP99(untreated))}; without `
    + `administrators it is ${describeMs(fastP99(alone))}. Almost as good, within `
    + `${describeMs(closeLimitMs(fastP99(alone)))}: ${namesOf(true) || 'no remedy'}. `
    + `${unclear && `Not clear: ${unclear}; repeat with --repeat ${Math.max(MIN_REPEATS, 2 * (alone.runs?.length ?? 1))}. `}The table says what each costs.`;
}

/** @param {Variant[]} variants */
function sortOut(variants) {
  /** @param {RemedySettings['load']} load */
  const under = (load) => variants.filter(({ settings }) => settings.load === load);
  const [alone] = under('customers');
  return {
    alone,
    untreated: under('all').find(({ settings }) => settings.remedy === 'none'),
    treated: under('all').filter(({ settings }) => settings.remedy !== 'none'),
    bursts: under('burst'),
  };
}

/** @param {number} ms */
function describeMs(ms) {
  return formatQuantity(ms, 'ms');
}
