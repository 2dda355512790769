import { shareColumns } from '../../report/columns.js';
import { routeFigure } from './remedies-figures.js';
import { findRemedyFindings, sumUpRemedies } from './remedies-findings.js';

/** @import { ChartSpec, LabView } from '../../report/result-types.js' */
/** @import { MeasuredRemedy } from './criterion.js' */
/** @import { RemedyFigures } from './remedies-figures.js' */
/** @import { RemedySettings } from './variants.js' */

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
    'A larger pool (MONGO_POOLSIZE) helps if it has more connections than there are slow queries at once. Use it if slow ' +
      'queries stay rare.',
    'A second client for /slow (SLOW_POOLSIZE) always keeps customers safe. Administrators wait for each other.',
    'A concurrency limit on /slow (SLOW_CONCURRENCY) does so too. It refuses further slow requests at once: use it if ' +
      'administrators can try again.',
    'A wait-queue timeout (MONGO_WAIT_QUEUE_TIMEOUT_MS) limits every wait but also refuses customers. It is a fuse, not a ' +
      'cure.',
    'A burst is another load: many customers at one moment, far from the server. A cold pool opens two connections at a ' +
      'time. MONGO_MIN_POOLSIZE keeps connections open.',
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
