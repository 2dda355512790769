import { CAUSE_NAMES, CAUSES } from './causes.js';
import { findSaturationFindings, sumUpSaturation } from './saturation-findings.js';

/** @import { ChartSpec, Column, LabView, Series } from '../../report/result-types.js' */
/** @import { CauseName } from './causes.js' */
/** @import { MeasuredVariant } from './compare.js' */
/** @import { SaturationFigures } from './saturation-figures.js' */
/** @import { SaturationSettings } from './plan-saturation.js' */

/** @type {Omit<LabView<SaturationSettings, SaturationFigures>, 'name'>} */
export const saturationView = {
  title: 'A server that is full',
  question: 'A larger pool only helps as long as the server has room. What happens when the server itself is full: does a small '
    + 'pool protect it, and what does it cost to let everybody in?',
  source: {
    title: 'About Pool Sizing',
    url: 'https://github.com/brettwooldridge/HikariCP/wiki/About-Pool-Sizing',
  },
  howToRead: [
    'Three things that a server can run out of. Processor: heavy queries compute, and more at once only take turns. Hot '
    + 'document: all updates go to one document; when two meet, the server throws away the work of one and tries again. '
    + 'Tickets: the server lets only a few queries into its storage engine at once.',
    'One query in four is heavy. The others look up a customer by e-mail.',
    'In the closed loop, 64 callers ask again as soon as they have their answer. So the mean response is the number of callers '
    + 'divided by queries per second, and a pool with more connections than callers never uses the others.',
    'Open arrivals do not wait for answers: "at 0.8" sends 80 % of what the server could answer with 4 connections. At 1.1 the '
    + 'queue grows until the load ends, and every query counts until its answer comes.',
    'Each size is measured once. Of the sizes below the large one that answer at least 80 % of the most queries per second, the '
    + 'best is the one with the lowest p99 of heavy queries. It is then compared with the large pool in new measurements, which take turns. The ratio is their '
    + 'median; the spread is the smallest and the largest.',
    'Control: the same load on the same pool without the cause. 64 documents instead of one; the default number of tickets.',
    'Published: Oracle\'s Real-World Performance group, 9600 threads that sleep 550 ms between two queries, 2048 connections '
    + 'against 96, mean times. Theirs was a server with many more cores, and its callers had pauses, so fewer connections took '
    + 'the queue away. Our callers never pause: with a smaller pool, the queue moves from the server to the app.',
    'Callers, driver and server share the processor of this machine.',
  ],
  glossary: {
    best: 'the pool size that was best in the survey; see "pool".',
    'default tickets': 'the control for tickets: the server\'s own number of read tickets.',
    '64 documents': 'the control for the hot document: the same updates, spread over 64 documents.',
    conflicts: 'write conflicts per second: updates that the server threw away and tried again.',
  },
  columns: [
    { heading: 'load', about: 'the cause, then the pool size; "at 0.8" is open arrivals', value: ({ name }) => name },
    { heading: 'pool', about: 'connections', value: ({ measured }) => measured?.poolSize },
    { group: 'queries/s', heading: 'sent', about: 'open arrivals per second', value: ({ measured }) => measured?.sentPerSec },
    { group: 'queries/s', heading: 'done', about: 'answers per second', value: ({ measured }) => measured?.ratePerSec },
    {
      group: 'mean', unit: 'ms', heading: 'wait', digits: 1, about: 'for a connection, in the app', value: ({ measured }) => measured?.waitMs,
    },
    {
      group: 'mean', unit: 'ms', heading: 'use', digits: 1, about: 'of the connection: the time in the server',
      value: ({ measured }) => measured?.useMs,
    },
    ...listTimes('heavy'),
    ...listTimes('cheap'),
    {
      group: 'server', heading: 'cores', digits: 1, about: 'cores that the server kept busy',
      value: ({ measured }) => measured?.server.coresBusy,
    },
    {
      group: 'server', heading: 'tickets', digits: 1, about: 'operations in the storage engine, mean of the readings',
      value: ({ measured }) => measured?.server.ticketsOut,
    },
    {
      group: 'server', heading: 'queue', digits: 1, about: 'operations that waited for a ticket or a lock, mean',
      value: ({ measured }) => measured?.server.queued,
    },
    {
      group: 'server', heading: 'conflicts', about: 'write conflicts per second',
      value: ({ measured }) => measured?.server.conflictsPerSec,
    },
    { heading: 'late', about: 'queries without an answer when the lab stopped waiting', value: ({ measured }) => measured?.timeouts || null },
  ],
  charts: [
    chartCauses('99 % of heavy queries take at most this long', 'Response time', 'ms', ({ heavy }) => heavy.p99Ms),
    chartCauses('99 % of cheap queries take at most this long', 'Response time', 'ms', ({ cheap }) => cheap.p99Ms),
    chartCauses('Queries answered per second', 'Answered', '/s', ({ ratePerSec }) => ratePerSec),
    ...CAUSE_NAMES.map(chartWaitAndUse),
  ],
  takeaway: sumUpSaturation,
  findings: findSaturationFindings,
};

/** @param {'heavy' | 'cheap'} kind @returns {Column<MeasuredVariant>[]} */
function listTimes(kind) {
  /** @param {'p50Ms' | 'p99Ms'} figure */
  const valueOf = (figure) => (/** @type {MeasuredVariant} */ { measured }) => measured?.[kind][figure];
  const column = { group: kind, unit: 'ms' };
  return [
    { ...column, heading: 'p50', about: '50 % of these queries took this long or less', value: valueOf('p50Ms') },
    { ...column, heading: 'p99', about: '99 % took this long or less', value: valueOf('p99Ms') },
  ];
}

/**
 * @param {string} title
 * @param {string} yLabel
 * @param {string} unit
 * @param {(figures: SaturationFigures) => number | null} figure
 */
function chartCauses(title, yLabel, unit, figure) {
  return chartSizes(title, yLabel, unit, CAUSE_NAMES.map((cause) => seriesOf(CAUSES[cause].label, cause, figure)));
}

/** @param {CauseName} cause */
function chartWaitAndUse(cause) {
  return chartSizes(`${CAUSES[cause].label}: where the time goes`, 'Mean time of a query', 'ms', [
    seriesOf('Waiting for a connection', cause, ({ waitMs }) => waitMs),
    seriesOf('In the server', cause, ({ useMs }) => useMs),
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
    title: `${title}, closed loop`, xLabel: 'Connections in the pool', yLabel, unit, kind: 'line', series,
    category: ({ settings, measured }) => String(settings.poolSize ?? measured?.poolSize ?? 'best'),
  };
}

/**
 * @param {string} label
 * @param {CauseName} wanted
 * @param {(figures: SaturationFigures) => number | null} figure
 * @returns {Series<SaturationSettings, SaturationFigures>}
 */
function seriesOf(label, wanted, figure) {
  return {
    label,
    role: 'measured',
    value: ({ settings: { cause, load, role }, measured }) => (
      measured && cause === wanted && load === 'closed' && role === 'size' ? figure(measured) : null),
  };
}
