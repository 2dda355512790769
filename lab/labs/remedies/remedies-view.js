import { formatQuantity } from 'mongodb-pool-page/universal/quantity.js';
import { shareColumns } from '../../report/columns.js';
import { closeLimitMs, isBusyMachine, isCure } from './criterion.js';
import { routeFigure } from './remedies-figures.js';
import { ratioOf } from '../../report/findings.js';

/** @import { ChartSpec, LabView, Finding, Result } from '../../report/result-types.js' */
/** @import { MeasuredRemedy } from './criterion.js' */
/** @import { RemedyFigures } from './remedies-figures.js' */
/** @import { RemedySettings } from './remedies-lab.js' */

/** Repeats that an unclear verdict asks for, at least: with fewer, one outlier could decide. */
const MIN_REPEATS = 3;

const fastP99 = routeFigure('/fast', 'p99Ms');

/**
 * Customers with each remedy, compared with no remedy and with no administrators. Nothing is published: the article
 * tried only other pool sizes, under another load.
 * @param {Result<RemedySettings, RemedyFigures>} result
 * @returns {Finding[]}
 */
function findRemedyFindings({ variants }) {
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
  const measured = ratioOf(fastP99(one), fastP99(other));
  return [{ claim: `${one.name} / ${other.name}: p99 of /fast`, measured, published: null }];
}

/** What helped, in a few sentences. @param {Result<RemedySettings, RemedyFigures>} result */
function sumUpRemedies({ variants }) {
  const { alone, untreated, treated, cold, warm } = sortOut(variants);
  if (!alone?.measured || !untreated || fastP99(alone) === null) return '';
  if (isBusyMachine(alone.measured))
    return 'Other programs used this machine, so this run says nothing about remedies.';
  return [
    ...(treated.length > 0 ? compareRemedies(treated, { alone, untreated }) : []),
    ...(cold && warm
      ? [
          `With a cold pool, 99 % of a burst is answered within ${describeMs(Number(fastP99(cold)))}; with a warm ` +
            `one, within ${describeMs(Number(fastP99(warm)))}.`,
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
    `With ${untreated.name}, 99 % of customers get their answer within ${describeMs(Number(fastP99(untreated)))}; ` +
      `without administrators it is ${describeMs(unloadedMs)}.`,
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

/** @type {import('../../report/columns.js').ShareColumns<MeasuredRemedy>} */
const share = shareColumns;

/** @type {Omit<LabView<RemedySettings, RemedyFigures>, 'name'>} */
export const remediesView = {
  loadKind: 'open',
  title: 'What helps when slow queries fill the pool',
  question:
    'Slow queries of a few administrators hold all connections of a pool, and a hundred customers a second wait ' +
    'behind them. Which remedy helps the customers, and what does it cost?',
  howToRead: [
    'All apps get the same requests at the same times. The farther left a dot, the better. The axis is logarithmic.',
    'A larger pool (MONGO_POOLSIZE) helps if it has more connections than there are slow queries at once. Use ' +
      'it if slow queries stay rare.',
    'A second client for /slow (SLOW_POOLSIZE) always keeps customers safe. Administrators wait for each other.',
    'A concurrency limit on /slow (SLOW_CONCURRENCY) does so too. It refuses further slow requests at once: use it ' +
      'if administrators can try again.',
    'A wait-queue timeout (MONGO_WAIT_QUEUE_TIMEOUT_MS) limits every wait but also refuses customers. ' +
      'It is a fuse, not a cure.',
    'A burst is another load: many customers at one moment, far from the server. A cold pool opens two connections ' +
      'at a time. MONGO_MIN_POOLSIZE keeps connections open.',
  ],
  columns: [
    { heading: 'remedy', value: ({ name }) => name },
    ...timeColumns('/fast', 1),
    {
      group: '/fast',
      heading: 'predicted',
      unit: 'ms',
      digits: 1,
      detail: true,
      about: 'p99 of /fast in a simulation of the same requests',
      value: ({ predicted }) => predicted?.routes?.['/fast'].p99Ms,
    },
    ...countColumns('/fast'),
    ...timeColumns('/slow', 0),
    ...countColumns('/slow'),
    {
      group: 'server',
      heading: 'conns',
      value: ({ measured }) => measured?.connections,
      about: 'most connections from the app to the server; one or two of each client only monitor it',
    },
    { heading: 'slowest', about: 'slowest request', unit: 'ms', detail: true, value: slowestMs },
  ],
  charts: [
    {
      title: 'How long customers and administrators wait',
      xLabel: 'Remedy',
      yLabel: 'Response time',
      unit: 'ms',
      kind: 'dot',
      category: ({ name }) => name,
      series: [
        { label: '99 % of /fast take at most', role: 'measured', route: '/fast', value: routeFigure('/fast', 'p99Ms') },
        { label: '99 % of /slow take at most', role: 'measured', route: '/slow', value: routeFigure('/slow', 'p99Ms') },
      ],
    },
    createTimeSeries(
      'Response time of customers over time, by remedy',
      ({ remedy, load }) => load === 'all' && remedy !== 'size',
    ),
    createTimeSeries(
      'Response time of customers over time, by pool size',
      ({ remedy, load }) => load === 'all' && ['none', 'size'].includes(remedy),
    ),
  ],
  findings: findRemedyFindings,
  takeaway: sumUpRemedies,
};

/** @param {string} route @param {number} digits */
function timeColumns(route, digits) {
  return share({ group: route, unit: 'ms', digits }, [
    {
      heading: 'p50',
      about: '50 % of requests took this long or less',
      detail: route === '/slow',
      value: routeFigure(route, 'p50Ms'),
    },
    { heading: 'p99', about: '99 % took this long or less', value: routeFigure(route, 'p99Ms') },
  ]);
}

/** @param {string} route */
function countColumns(route) {
  return share({ group: route }, [
    {
      heading: 'refused',
      value: routeFigure(route, 'refused'),
      about: 'refused by a remedy with 503; not in the percentiles',
    },
    {
      heading: 'failed',
      value: routeFigure(route, 'failures'),
      about: 'no answer in time, or an error; in the percentiles with the time waited',
    },
  ]);
}

/** @param {MeasuredRemedy} variant */
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
