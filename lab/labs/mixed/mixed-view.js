import { formatNumber } from 'mongodb-pool-page/universal/quantity.js';
import {
  describeSize,
  ofRoute,
  peakColumns,
  poolSizeColumn,
  requestColumns,
  routeColumns,
  shareColumns,
} from '../../report/columns.js';
import { ratioOf } from '../../report/findings.js';
import { PUBLISHED } from './mixed-published.js';

/** @import { LabView, Result, Variant } from '../../report/result-types.js' */
/** @import { LoadTestFigures } from '../../../src/load-tests/artillery.js' */
/** @import { PoolFigures } from '../../harness/summarise-checkouts.js' */
/** @import { WarmUp } from '../../harness/warm-up.js' */

/**
 * @typedef {{ poolSize: number, driver?: '7' | '3' }} MixedSettings
 * @typedef {LoadTestFigures & { usersPlanned?: number, usersSent?: number, pool?: PoolFigures, unloaded?:
 *   WarmUp['unloaded'] }} MixedFigures the last two with today's driver only
 * @typedef {Variant<MixedSettings, MixedFigures>} MixedVariant
 */

/** @type {import('../../report/columns.js').ShareColumns<MixedVariant>} */
const share = shareColumns;

const WAITS = 'of the requests that got a connection; those that were refused waited longer';

/** Less than this share of the published time is another queue, and not noise. */
const OTHER_QUEUE = 0.9;

/** The machine alone delays a response by this much at times, so nobody can predict a shorter one to a percent. */
const NOISE_MS = 100;

/** @type {Omit<LabView<MixedSettings, MixedFigures>, 'name'>} */
export const mixedView = {
  loadKind: 'open',
  title: 'Pool size and latency',
  question:
    'An app sends its database queries through a pool of shared connections. ' +
    'What happens to quick requests while slow ones hold the connections?',
  source: {
    title: 'MongoDB in production: How connection pool size can bottleneck application scale',
    url: 'https://medium.com/@kyle_martin/mongodb-in-production-how-connection-pool-size-can-bottleneck-application-scale-439c6e5a8424',
    foundElsewhere: PUBLISHED.foundElsewhere,
  },
  howToRead: [
    'A query of /slow takes the database seconds (the bus). A query of /fast takes a few milliseconds (the Ferrari).',
    'A query keeps its connection, a lane of the tunnel, until it is answered. If no ' +
      'connection is free, the query waits.',
    'A long orange bar is nearly all waiting. A mark on a bar is what it is compared with.',
    'Predicted: a simulation of the scenario, with the service time of a query that runs alone.',
    'Exact: computed from the queue and the moments at which the users came; driver 7: the same, for the driver of ' +
      'today.',
  ],
  glossary: { ratio: 'the slowest request as it was measured (max), divided by the exact time.' },
  columns: [
    poolSizeColumn,
    ...requestColumns,
    ...listTimes('/fast'),
    ...listTimes('/slow'),
    { group: 'slowest request,', heading: 'max', unit: 'ms', value: ({ measured }) => measured?.maxMs },
    { group: 'slowest request,', heading: 'article', unit: 'ms', value: ({ published }) => published?.maxMs },
    { group: 'slowest request,', heading: 'exact', unit: 'ms', value: exactOf('7') },
    { group: 'slowest request,', heading: 'driver 7', unit: 'ms', value: exactOf('3') },
    {
      heading: 'ratio',
      about: 'measured to exact',
      digits: 3,
      value: (variant) => ratioOf(variant.measured?.maxMs, exactOf('7')(variant)),
    },
    { group: 'predicted', heading: 'max', unit: 'ms', detail: true, value: ({ predicted }) => predicted?.maxMs },
    {
      group: 'predicted',
      detail: true,
      heading: 'off by %',
      digits: 1,
      about: 'how far the slowest request is from its prediction',
      value: ({ measured, predicted }) =>
        predicted?.maxMs && predicted.maxMs >= NOISE_MS
          ? toPercentOff(ratioOf(measured?.maxMs, predicted.maxMs))
          : null,
    },
    ...share({ group: 'pool wait', unit: 'ms', detail: true }, [
      { heading: 'p95', about: WAITS, value: ({ measured }) => measured?.pool?.waitP95Ms },
      { heading: 'max', about: WAITS, value: ({ measured }) => measured?.pool?.waitMaxMs },
    ]),
    ...share({ detail: true }, peakColumns),
  ],
  charts: [
    {
      title: 'The longest wait for an answer',
      xLabel: 'Connections in the pool',
      yLabel: 'Response time',
      unit: 'ms',
      kind: 'bar',
      category: ({ settings }) => describeSize(settings.poolSize),
      series: [
        { label: 'Slowest request of all', role: 'measured', value: ({ measured }) => measured?.maxMs },
        { label: 'Slowest /fast request', role: 'measured', route: '/fast', value: ofRoute('/fast', 'maxMs') },
        { label: 'Slowest of all, predicted', role: 'predicted', value: ({ predicted }) => predicted?.maxMs },
        { label: 'Slowest of all, exact', role: 'exact', value: exactOf('7') },
        { label: "Slowest of all, today's driver", role: 'exact', value: exactOf('3') },
        { label: 'Slowest of all, article', role: 'published', value: ({ published }) => published?.maxMs },
      ],
    },
  ],
  footnote: explainArticle,
  judge,
  takeaway,
};

/**
 * The goal of the experiment is that nobody waits for a connection, and the answer is the smallest pool with which
 * nobody does.
 * @param {MixedVariant} variant
 * @param {Pick<Result<MixedSettings, MixedFigures>, 'variants'>} result
 */
function judge(variant, { variants }) {
  // The driver of 2020 shows no waits.
  const enough = variants.filter(({ measured }) => (measured?.pool?.waitMaxMs ?? Infinity) <= NOISE_MS);
  if (!enough.includes(variant)) return undefined;
  return enough.every(({ settings }) => settings.poolSize >= variant.settings.poolSize) ? 'answer' : 'good';
}

/**
 * The exact figure, which is about today's driver, for the variants that were measured with the given one.
 * @param {'7' | '3'} measuredWith
 */
function exactOf(measuredWith) {
  return (/** @type {MixedVariant} */ { exact, settings: { driver = '7' } }) =>
    driver === measuredWith ? exact?.maxMs : undefined;
}

/** @param {string} route */
function listTimes(route) {
  const { p50, p95, max } = routeColumns(route);
  return [p50, p95, max];
}

/** 1.02 is 2 % more than predicted. @param {number | null} ratio */
function toPercentOff(ratio) {
  return ratio === null ? null : (ratio - 1) * 100;
}

/** @param {Result<MixedSettings, MixedFigures>} result */
function takeaway({ variants }) {
  // Another scenario may have no /fast at all, and an app that ended has answered nothing.
  const isFast = variants.every(({ measured }) => measured?.routes['/fast']);
  const bySize = variants
    .toSorted((a, b) => a.settings.poolSize - b.settings.poolSize)
    .flatMap(({ settings, measured }) => {
      const maxMs = isFast ? measured?.routes['/fast'].maxMs : measured?.maxMs;
      return typeof maxMs === 'number' ? { size: describeSize(settings.poolSize), maxMs } : [];
    });
  const [small, large] = [bySize[0], bySize[bySize.length - 1]];
  if (!small) return '';
  const begin = `With ${small.size}, the slowest ${isFast ? '/fast ' : ''}request took ${describeMs(small.maxMs)}`;
  if (bySize.length === 1) return `${begin}.`;
  const why = isFast && small.maxMs > 10 * large.maxMs ? ', nearly all of it waiting for a connection' : '';
  return `${begin}${why}; with ${large.size} it took ${describeMs(large.maxMs)}.${compareDrivers(variants)}`;
}

/** @param {MixedVariant[]} variants */
function compareDrivers(variants) {
  const today = variants.map(exactOf('3'));
  if (!today.every((ms) => typeof ms === 'number')) return '';
  const [then, now] = [variants.map(({ measured }) => measured?.maxMs), today].map((list) =>
    list.map((ms) => formatNumber(Number(ms) / 1000, 1)).join(' / '),
  );
  return ` The slowest request of all took ${then} s. With today's driver it takes ${now} s.`;
}

/**
 * Why today's driver is faster than the article, where it is.
 * @param {Pick<Result<MixedSettings, MixedFigures>, 'variants'>} result
 */
function explainArticle({ variants }) {
  const faster = variants.find(
    ({ settings, measured, published }) =>
      settings.driver !== '3' && (ratioOf(measured?.maxMs, published?.maxMs) ?? 1) < OTHER_QUEUE,
  );
  if (!faster) return '';
  const { settings, published } = faster;
  return (
    `article: with ${describeSize(settings.poolSize)}, its driver (of 2020) sent a slow query behind a busy one. ` +
    "Today's keeps one queue for all connections. " +
    `--driver 3 measures the old one: ${describeMs(Number(published?.maxMs))}.`
  );
}

/** @param {number} ms */
function describeMs(ms) {
  return ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`;
}
