import { shareColumns } from '../../report/columns.js';
import { findSaturationFindings, sumUpSaturation } from './saturation-findings.js';

/** @import { ChartSpec, LabView, Series } from '../../report/result-types.js' */
/** @import { MeasuredPool } from './saturation-findings.js' */
/** @import { SaturationFigures } from './saturation-figures.js' */
/** @import { SaturationSettings } from './saturation-lab.js' */

/** @type {import('../../report/columns.js').ShareColumns<MeasuredPool>} */
const share = shareColumns;

/** @type {Omit<LabView<SaturationSettings, SaturationFigures>, 'name'>} */
export const saturationView = {
  title: 'More connections to a full server',
  question:
    'A larger pool only helps as long as the server has room. What happens when the server itself is full: does a ' +
    'small pool protect it, and what does it cost to let everybody in?',
  source: {
    title: 'About Pool Sizing',
    url: 'https://github.com/brettwooldridge/HikariCP/wiki/About-Pool-Sizing',
  },
  howToRead: [
    'One query in four is heavy: it computes, and keeps one core of the server busy. More of them at once only take ' +
      'turns. The others look up a customer by e-mail.',
    'In the closed loop, 64 callers ask again as soon as they have their answer. So the mean response is the number ' +
      'of callers divided by queries per second, and a pool with more connections than callers never uses the others.',
    'Open arrivals do not wait for answers: "at 0.8" sends 80 % of the most that was answered in the closed ' +
      'loop (without that loop: with 4 connections). Above 1 the queue grows until the load ends, and every query ' +
      'counts until its answer comes.',
    'Each size is measured once. Of the sizes below the large one that answer at least 80 % of the most queries per ' +
      'second, the best is the one with the lowest p99 of heavy queries. It is then compared with the large pool in ' +
      'new measurements, which take turns. The ratio is their median; the spread is the smallest and the largest.',
    "Published: Oracle's Real-World Performance group, 9600 threads that sleep 550 ms between two queries, 2048 " +
      'connections against 96, mean times. Theirs was a server with many more cores, and its callers had pauses, ' +
      'so fewer connections took the queue away. Our callers never pause: with a smaller pool, the queue moves ' +
      'from the server to the app.',
    'Callers, driver and server share the cores of this machine.',
  ],
  glossary: { best: 'the pool size that was best in the survey; see "pool".' },
  columns: [
    {
      heading: 'load',
      about: 'the closed loop, or open arrivals (at 0.8), then the pool size',
      value: ({ name }) => name,
    },
    { heading: 'pool', about: 'connections', value: ({ measured }) => measured?.poolSize },
    ...share({ group: 'queries/s' }, [
      { heading: 'sent', about: 'open arrivals per second', value: ({ measured }) => measured?.sentPerSec },
      { heading: 'done', about: 'answers per second', value: ({ measured }) => measured?.ratePerSec },
    ]),
    ...share({ group: 'mean', unit: 'ms', digits: 1 }, [
      { heading: 'wait', about: 'for a connection, in the app', value: ({ measured }) => measured?.waitMs },
      { heading: 'use', about: 'of the connection: the time in the server', value: ({ measured }) => measured?.useMs },
    ]),
    ...listTimes('heavy'),
    ...listTimes('cheap'),
    {
      group: 'server',
      heading: 'cores',
      digits: 1,
      about: 'cores that the server kept busy',
      value: ({ measured }) => measured?.server.coresBusy,
    },
    {
      heading: 'late',
      about: 'queries without an answer when the lab stopped waiting',
      value: ({ measured }) => measured?.timeouts || null,
    },
  ],
  picture: 'findings',
  charts: [
    chartSizes('99 % of queries take at most this long', 'Response time', 'ms', [
      seriesOf('Heavy', ({ heavy }) => heavy.p99Ms),
      seriesOf('Cheap', ({ cheap }) => cheap.p99Ms),
    ]),
    chartSizes('Queries answered per second', 'Answered', '/s', [seriesOf('Queries', ({ ratePerSec }) => ratePerSec)]),
    chartSizes('Where the time goes', 'Mean time of a query', 'ms', [
      seriesOf('Waiting for a connection', ({ waitMs }) => waitMs),
      seriesOf('In the server', ({ useMs }) => useMs),
    ]),
  ],
  takeaway: sumUpSaturation,
  findings: findSaturationFindings,
};

/** @param {'heavy' | 'cheap'} kind */
function listTimes(kind) {
  return share({ group: kind, unit: 'ms' }, [
    {
      heading: 'p50',
      about: '50 % of these queries took this long or less',
      value: ({ measured }) => measured?.[kind].p50Ms,
    },
    { heading: 'p99', about: '99 % took this long or less', value: ({ measured }) => measured?.[kind].p99Ms },
  ]);
}

/**
 * @param {string} title
 * @param {string} yLabel
 * @param {string} unit
 * @param {Series<SaturationSettings, SaturationFigures>[]} series
 * @returns {ChartSpec<SaturationSettings, SaturationFigures>}
 */
function chartSizes(title, yLabel, unit, series) {
  return {
    title: `${title}, closed loop`,
    xLabel: 'Connections in the pool',
    yLabel,
    unit,
    kind: 'line',
    series,
    category: ({ settings, measured }) => String(settings.poolSize ?? measured?.poolSize ?? 'best'),
  };
}

/**
 * @param {string} label
 * @param {(figures: SaturationFigures) => number | null} figure
 * @returns {Series<SaturationSettings, SaturationFigures>}
 */
function seriesOf(label, figure) {
  return {
    label,
    role: 'measured',
    value: ({ settings: { load, role }, measured }) =>
      measured && load === 'closed' && role === 'size' ? figure(measured) : null,
  };
}
