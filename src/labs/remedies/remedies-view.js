import { formatQuantity } from 'mongodb-pool-monitor/universal/quantity.js';
import { ratioOf } from '../../report/ratio.js';
import { closeLimitMs, isCure } from './criterion.js';

/** @import { ChartSpec, Column, Finding, LabView, Result } from '../../report/result-types.js' */
/** @import { MeasuredVariant } from './criterion.js' */
/** @import { RemedyFigures } from './remedies-figures.js' */
/** @import { RemedySettings } from './variants.js' */

/** With fewer, one outlier could decide. */
const MIN_REPEATS = 3;

const fastP99 = ofRoute('/fast', 'p99Ms');

/** @type {Omit<LabView<RemedySettings, RemedyFigures>, 'name'>} */
export const remediesView = {
  loadKind: 'open',
  title: 'What to do about it',
  question: 'Slow queries of a few administrators hold all connections of a pool, and a hundred customers a second wait '
    + 'behind them. Which remedy helps the customers, and what does it cost?',
  howToRead: [
    'All apps get the same requests at the same times. The farther left a dot, the better. The axis is logarithmic.',
    'A larger pool (MONGO_POOLSIZE) helps if it has more connections than there are slow queries at once. Use it if slow '
    + 'queries stay rare.',
    'A second client for /slow (SLOW_POOLSIZE) always keeps customers safe. Administrators wait for each other.',
    'A concurrency limit on /slow (SLOW_CONCURRENCY) does so too. It refuses further slow requests at once: use it if '
    + 'they can come again.',
    'A wait-queue timeout (MONGO_WAIT_QUEUE_TIMEOUT_MS) limits every wait but also refuses customers. It is a fuse, not a '
    + 'cure.',
    'A burst is another load: many customers at one moment, far from the server. A cold pool opens two connections at a '
    + 'time. MONGO_MIN_POOLSIZE keeps connections open.',
  ],
  columns: [
    { heading: 'remedy', value: ({ name }) => name },
    ...timeColumns('/fast', 1),
    {
      group: '/fast', heading: 'predicted', unit: 'ms', digits: 1, about: 'p99 of /fast in a simulation of the same requests',
      value: ({ predicted }) => predicted?.routes?.['/fast'].p99Ms,
    },
    ...countColumns('/fast'),
    ...timeColumns('/slow', 0),
    ...countColumns('/slow'),
    {
      group: 'server', heading: 'connections', value: ({ measured }) => measured?.connections,
      about: 'most connections from the app to the server; one or two of each client only monitor it',
    },
    { heading: 'slowest', about: 'slowest request', unit: 'ms', value: slowestMs },
  ],
  charts: [{
    title: 'How long customers and administrators wait',
    xLabel: 'Remedy',
    yLabel: 'Response time',
    unit: 'ms',
    kind: 'dot',
    category: ({ name }) => name,
    series: [
      { label: '99 % of /fast take at most', role: 'measured', route: '/fast', value: fastP99 },
      { label: '99 % of /slow take at most', role: 'measured', route: '/slow', value: ofRoute('/slow', 'p99Ms') },
    ],
  },
  createTimeSeries('Response time of customers over time, by remedy', ({ remedy, load }) => (
    load === 'all' && remedy !== 'size')),
  createTimeSeries('Response time of customers over time, by pool size', ({ remedy, load }) => (
    load === 'all' && ['none', 'size'].includes(remedy)))],
  findings,
  takeaway,
};

/** @param {string} route @param {'p50Ms' | 'p99Ms' | 'maxMs' | 'refused' | 'failures'} figure */
function ofRoute(route, figure) {
  return (/** @type {MeasuredVariant} */ { measured }) => {
    const figures = measured?.routes[route];
    return figures && figures.count > 0 ? figures[figure] : null;
  };
}

/** @param {string} route @param {number} digits @returns {Column<MeasuredVariant>[]} */
function timeColumns(route, digits) {
  const column = { group: route, unit: 'ms', digits };
  return [
    { ...column, heading: 'p50', about: '50 % of requests took this long or less', value: ofRoute(route, 'p50Ms') },
    { ...column, heading: 'p99', about: '99 % took this long or less', value: ofRoute(route, 'p99Ms') },
  ];
}

/** @param {string} route @returns {Column<MeasuredVariant>[]} */
function countColumns(route) {
  return [
    {
      group: route, heading: 'refused', value: ofRoute(route, 'refused'),
      about: 'refused by a remedy with 503; not in the percentiles',
    },
    {
      group: route, heading: 'failed', value: ofRoute(route, 'failures'),
      about: 'no answer in time, or an error; in the percentiles with the time waited',
    },
  ];
}

/** @param {MeasuredVariant} variant */
function slowestMs({ measured }) {
  return measured && Math.max(...['/fast', '/slow'].map((route) => measured.routes[route].maxMs ?? 0));
}

/**
 * @param {string} title
 * @param {(settings: RemedySettings) => boolean} isShown
 * @returns {ChartSpec<RemedySettings, RemedyFigures>}
 */
function createTimeSeries(title, isShown) {
  return {
    title,
    xLabel: 'Seconds since the load began',
    yLabel: 'Response time of /fast, median of each half second',
    unit: 'ms',
    kind: 'line',
    log: true,
    category: ({ name }) => name,
    series: [],
    timeSeries: ({ settings, measured }) => (isShown(settings) ? measured?.fastMs : null),
  };
}

/**
 * Customers with each remedy, compared with no remedy and with no administrators. Nothing is published: the article
 * tried only other pool sizes, under another load.
 * @param {Result<RemedySettings, RemedyFigures>} result
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

/** @param {MeasuredVariant | undefined} one @param {MeasuredVariant | undefined} other @returns {Finding[]} */
function compare(one, other) {
  if (!one || !other) return [];
  return [{ claim: `${one.name} / ${other.name}: p99 of /fast`, measured: ratioOf(fastP99(one), fastP99(other)), published: null }];
}

/** @param {Result<RemedySettings, RemedyFigures>} result */
function takeaway({ variants }) {
  const { alone, untreated, treated } = sortOut(variants);
  if (!alone || !untreated) return '';
  /** @param {boolean | null} verdict */
  const namesOf = (verdict) => treated.filter((variant) => isCure(variant, alone) === verdict)
    .map(({ name }) => name).join(', ');
  const unclear = namesOf(null);
  const repeats = Math.max(MIN_REPEATS, 2 * (alone.repeats?.length ?? 1));
  const unloadedMs = Number(fastP99(alone));
  return [
    `With ${untreated.name}, 99 % of customers get their answer within ${describeMs(Number(fastP99(untreated)))}; without `
      + `administrators it is ${describeMs(unloadedMs)}.`,
    `Almost as good, within ${describeMs(closeLimitMs(unloadedMs))}: ${namesOf(true) || 'no remedy'}.`,
    unclear && `Not clear: ${unclear}; repeat with --repeat ${repeats}.`,
    'The table shows what each one costs.',
  ].filter(Boolean).join(' ');
}

/** @param {MeasuredVariant[]} variants */
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
