import { MIN_FOR_PERCENTILES } from 'mongodb-pool-predictor';
import { formatCell, shareColumns, timeOf } from '../report/columns.js';
import { explainGuess, explainPrediction } from './explain-prediction.js';

/** @import { ChartSpec, Column, LabView, Variant } from '../report/result-types.js' */
/** @import { TimeFigure } from '../report/columns.js' */
/** @import { Facts } from './explain-prediction.js' */

/**
 * @param {object} result
 * @param {Facts} result.load
 * @param {boolean} result.isRandom whether the figures have a band
 * @param {boolean} [result.hasBands] shows the band of every figure, not just of p95
 * @param {boolean} [result.isExplained] shows all columns on a terminal, as the page does
 * @param {string[]} [result.notes] what the figures cover
 * @param {boolean} [result.isGuess] whether what is said about the best size can be relied on
 * @param {boolean} [result.isGuessSaid] whether the best guess stands above it
 * @param {boolean} [result.isReplay] of a trace: the variant with the recorded pool size has measured figures
 * @returns {LabView}
 */
export function createPredictView({
  load,
  isRandom,
  hasBands = false,
  isExplained = hasBands,
  isGuess = true,
  isGuessSaid = false,
  isReplay = false,
  notes = [],
}) {
  // A route without queries does not depend on the pool, and one with few requests has no percentiles: they come last.
  const rankOf = (/** @type {string} */ route) => {
    const { queries, count, meanMs } = load.routes[route];
    return [Number(!(queries > 0)), Number(count < MIN_FOR_PERCENTILES), queries > 0 ? meanMs : 0];
  };
  const routes = Object.keys(load.routes).toSorted((a, b) => {
    const [one, other] = [rankOf(a), rankOf(b)];
    const differing = one.findIndex((part, index) => part !== other[index]);
    return differing === -1 ? 0 : one[differing] - other[differing];
  });
  const detail = !isExplained;
  const hasBand = isRandom && !hasBands;
  return {
    name: 'predict',
    title: 'What a load test would measure',
    question:
      'How long will requests take, at each size of the connection pool? ' +
      'Every request is simulated; nothing is run.',
    howToRead: [
      'Each line is a percentile of one route: p95 means that 95 of 100 requests took at most this long. ' +
        'The axis is logarithmic: each step up is ten times as long.',
      'Where the lines fall steeply, requests wait for connections. Where they are flat, more connections do not help.',
      ...(isReplay ? ['The load is a trace of checkouts, replayed.'] : []),
      ...notes,
      ...(isRandom
        ? [
            `${
              isReplay
                ? 'The figures are those of the trace itself. It was also put together anew from random pieces, many ' +
                  'times.'
                : 'The load is random, so it was simulated many times. Percentiles and maxima are medians over the ' +
                  'runs.'
            } ` + 'One more measurement lies in the band with a probability of 90 %.',
          ]
        : []),
    ],
    glossary: {
      ...(isExplained && { band: 'one more measurement lies in it with a probability of 90 %.' }),
    },
    columns: [
      { heading: 'pool', about: 'connections in the pool', value: describeSizes },
      { heading: 'fail', about: 'requests that fail', value: of((figures) => figures.failures) },
      ...routes.flatMap((route, index) =>
        routeColumns(route, { hasBand, isBrief: detail, routes: routes.length, index }),
      ),
      ...shareColumns({ detail }, [
        {
          group: 'connections',
          heading: 'used %',
          about: 'share of connections in use, on average over the run',
          value: of(({ utilisation }) => utilisation * 100),
        },
        { group: 'connections', heading: 'most', about: 'in use at once', value: of(({ peakActive }) => peakActive) },
        { heading: 'queue', about: 'longest queue', value: of(({ peakWaiting }) => peakWaiting) },
        { ...MEAN_WAIT, heading: 'simulated', value: of(({ meanWaitMs }) => meanWaitMs) },
        ...(isReplay ? [{ ...MEAN_WAIT, heading: 'recorded', value: meanRecorded }] : []),
      ]),
      ...(isRandom && hasBands ? listBands(routes) : []),
    ],
    charts: [...routes.map((route) => routeChart(route)), waitChart()],
    judge: ({ settings: { poolSize, upTo = poolSize } }) => {
      const { size } = load.best;
      return isGuess && size !== null && size >= poolSize && size <= upTo ? 'answer' : undefined;
    },
    takeaway: ({ variants, settings }) => {
      if (!isGuess) return 'No best guess: it would be a size that has no figures.';
      const facts = explainPrediction(variants, load, routes[0], { isBrief: detail });
      return isGuessSaid
        ? facts
        : `${explainGuess(load, /** @type {number[]} */ (settings.poolSizes), isReplay)} ${facts}`;
    },
  };
}

const MEAN_WAIT = {
  group: 'mean wait',
  unit: 'ms',
  digits: /** @type {const} */ ('times'),
  about: 'for a connection, over all routes',
};

/** How many routes have room for all columns, for three and for one on 80 columns. */
const [ALL_COLUMNS, SOME_COLUMNS, ONE_COLUMN] = [2, 3, 7];

/**
 * @param {string} route
 * @param {{ hasBand: boolean, isBrief: boolean, routes: number, index: number }} options
 *   isBrief: only as many columns as fit
 * @returns {Column[]}
 */
function routeColumns(route, { hasBand, isBrief, routes, index }) {
  const hasRoom = (/** @type {number} */ most) => !isBrief || (routes <= most && index < most);
  const [p50, p95, p99, max] = FIGURES.map((figure) => cellOf(route, figure));
  const detail = !hasRoom(SOME_COLUMNS);
  const bandDetail = !hasRoom(ALL_COLUMNS);
  const isTooMany = isBrief && index >= ONE_COLUMN;
  return shareColumns({ group: route, unit: 'ms', digits: 'times' }, [
    { heading: 'p50', about: 'half of the requests take at most this long', value: p50, detail },
    { heading: 'p95', about: '95 of 100 take at most this long', value: p95, detail: isTooMany },
    ...(hasBand ? [{ heading: 'p95 band', value: bandOfRoute(route, 'p95Ms'), detail: bandDetail }] : []),
    { heading: 'p99', about: '99 of 100 take at most this long', value: p99, detail: isBrief },
    { heading: 'max', value: max, detail },
  ]);
}

const FIGURES = /** @type {const} */ (['p50Ms', 'p95Ms', 'p99Ms', 'maxMs']);

/** The band of each figure. @param {string[]} routes @returns {Column[]} */
function listBands(routes) {
  return shareColumns({ digits: 'times' }, [
    ...routes.flatMap((route) =>
      FIGURES.map((figure) => ({
        group: `${route} band`,
        unit: 'ms',
        heading: figure.replace('Ms', ''),
        value: bandOfRoute(route, figure),
      })),
    ),
    { group: 'mean wait', heading: 'band ms', value: band(({ meanWaitMs }) => meanWaitMs) },
    { group: 'connections band', heading: 'used %', value: band(({ utilisation }) => utilisation * 100) },
    { group: 'connections band', heading: 'most', value: band(({ peakActive }) => peakActive) },
    { heading: 'queue band', value: band(({ peakWaiting }) => peakWaiting) },
    { heading: 'fail band', value: band(({ failures }) => failures) },
  ]);
}

/** @param {(figures: any) => number} figure @returns {(variant: Variant) => number[]} NaN: unknown */
function band(figure) {
  return ({ predicted }) => [predicted?.low, predicted?.high].map((end) => (end ? figure(end) : NaN));
}

/** @param {string} route @returns {ChartSpec} */
function routeChart(route) {
  return {
    title: `Response time of ${route}`,
    xLabel: 'Connections in the pool',
    yLabel: '',
    unit: 'ms',
    kind: 'line',
    log: true,
    category: describePool,
    // Here the prediction is the main result, so it has the colours of measured figures.
    series: FIGURES.toReversed().map((figure) => ({
      label: figure.replace('Ms', ''),
      role: 'measured',
      route,
      value: ofRoute(route, figure),
    })),
  };
}

/** @returns {ChartSpec} */
function waitChart() {
  return {
    title: 'Mean wait for a connection',
    xLabel: 'Connections in the pool',
    yLabel: '',
    unit: 'ms',
    kind: 'line',
    category: describePool,
    series: [{ label: 'Simulated', role: 'measured', value: of(({ meanWaitMs }) => meanWaitMs) }],
  };
}

/** @param {(figures: any) => number} figure @returns {(variant: Variant) => number | undefined} */
function of(figure) {
  return ({ predicted }) => (predicted ? figure(predicted) : undefined);
}

/** @param {string} route @param {TimeFigure} figure */
function ofRoute(route, figure) {
  return (/** @type {Variant} */ { predicted }) => timeOf(predicted, route, figure);
}

/**
 * A figure, or where it is hidden, its band.
 * @param {string} route
 * @param {TimeFigure} figure
 * @returns {Column['value']}
 */
function cellOf(route, figure) {
  const ends = band(({ routes }) => routes[route]?.[figure]);
  return (variant) => {
    const ms = timeOf(variant.predicted, route, figure);
    return Number.isNaN(ms) ? ends(variant) : ms;
  };
}

/** @param {string} route @param {TimeFigure} figure */
function bandOfRoute(route, figure) {
  const ends = band(({ routes }) => routes[route]?.[figure]);
  return (/** @type {Variant} */ variant) =>
    Number(timeOf(variant.predicted, route, figure)) >= 0 ? ends(variant) : undefined;
}

/** @param {Variant} variant @returns {number | undefined} */
function meanRecorded({ measured }) {
  return measured?.meanWaitMs;
}

/** @param {Variant} variant which may stand for several sizes, see foldSizes */
function describeSizes({ settings: { poolSize, upTo } }) {
  return upTo ? `${poolSize} to ${upTo}` : poolSize;
}

/**
 * Makes one row of sizes that look the same.
 *
 * @param {LabView} view
 * @param {Variant[]} variants ascending
 * @returns {Variant[]}
 */
export function foldSizes({ columns }, variants) {
  const shown = columns.filter(({ heading, detail }) => !detail && heading !== 'p95 band').slice(1);
  const textOf = (/** @type {Variant} */ variant) => shown.map((column) => formatCell(column, variant)).join(' ');
  /** @type {Variant[]} */
  const folded = [];
  for (const variant of variants) {
    const last = folded.at(-1);
    if (!last || variant.measured || last.measured || textOf(last) !== textOf(variant)) folded.push(variant);
    // Its band is the wider one, if the sizes are above the recorded one.
    else folded[folded.length - 1] = { ...variant, settings: { ...last.settings, upTo: variant.settings.poolSize } };
  }
  return folded;
}

/** Longer tables show these sizes, and the answer. */
const [MAX_ROWS, KEPT_SIZES] = [9, [1, 2, 3, 4, 6, 8, 12, 16, 20]];

/** @param {Variant[]} rows @param {(number | null)[]} sizes that must be shown @returns {Variant[]} */
export function pickRows(rows, sizes) {
  if (rows.length <= MAX_ROWS) return rows;
  return rows.filter(({ settings: { poolSize, upTo = poolSize } }) =>
    [...KEPT_SIZES, ...sizes].some((size) => size !== null && size >= poolSize && size <= upTo),
  );
}

/** @param {Variant} variant */
function describePool({ settings }) {
  return String(settings.poolSize);
}
