import { digitsOf, formatNumber } from 'mongodb-pool-page/universal/quantity.js';
import { DASH } from '../report/columns.js';
import { explainPrediction } from './explain-prediction.js';

/** @import { ChartSpec, Column, LabView, Variant } from '../report/result-types.js' */
/** @import { Facts } from './explain-prediction.js' */

/**
 * @param {object} result
 * @param {Facts} result.load
 * @param {boolean} result.isRandom whether the figures have a band
 * @param {boolean} [result.hasBands] shows the band of every figure, not just of p95
 * @param {string[]} [result.notes] what the figures cover
 * @param {boolean} [result.isReplay] of a trace: the variant with the recorded pool size has measured figures
 * @returns {LabView}
 */
export function createPredictView({ load, isRandom, hasBands = false, isReplay = false, notes = [] }) {
  // A route without queries does not depend on the pool: it comes last.
  const rankOf = (/** @type {string} */ route) =>
    load.routes[route].queries > 0 ? load.routes[route].meanMs : Infinity;
  const routes = Object.keys(load.routes).toSorted((a, b) => rankOf(a) - rankOf(b) || 0);
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
                ? 'The figures are those of the trace itself. It was also put together anew from random pieces, many times.'
                : 'The load is random, so it was simulated many times. Percentiles and maxima are medians over the runs.'
            } ` + 'One more measurement lies in the band with a probability of 90 %.',
          ]
        : []),
    ],
    glossary: {
      band: 'one more measurement lies in it with a probability of 90 %.',
    },
    columns: [
      { heading: 'pool', about: 'connections in the pool', value: ({ settings }) => settings.poolSize },
      { heading: 'fail', about: 'requests that fail', value: of((figures) => figures.failures) },
      ...routes.flatMap((route) => routeColumns(route, isRandom && !hasBands)),
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
      ...(isRandom && hasBands ? listBands(routes) : []),
    ],
    charts: [...routes.map((route) => routeChart(route)), waitChart()],
    judge: ({ settings: { poolSize } }) =>
      load.knee !== null && poolSize === Math.min(load.knee, load.peakActive) ? 'answer' : undefined,
    takeaway: ({ variants }) => explainPrediction(variants, load, routes[0]),
  };
}

const MEAN_WAIT = {
  group: 'mean wait',
  unit: 'ms',
  digits: /** @type {const} */ ('times'),
  about: 'for a connection, over all routes',
};

/** @param {string} route @param {boolean} hasBand @returns {Column[]} */
function routeColumns(route, hasBand) {
  const column = { group: route, unit: 'ms', digits: /** @type {const} */ ('times') };
  return [
    { ...column, heading: 'p50', about: 'half of the requests take at most this long', value: ofRoute(route, 'p50Ms') },
    { ...column, heading: 'p95', about: '95 of 100 take at most this long', value: ofRoute(route, 'p95Ms') },
    ...(hasBand ? [{ ...column, heading: 'p95 band', value: band((figures) => figures.routes[route]?.p95Ms) }] : []),
    { ...column, heading: 'p99', about: '99 of 100 take at most this long', value: ofRoute(route, 'p99Ms') },
    { ...column, heading: 'max', value: ofRoute(route, 'maxMs') },
  ];
}

/** The band of each figure. @param {string[]} routes @returns {Column[]} */
function listBands(routes) {
  return [
    ...routes.flatMap((route) =>
      /** @type {const} */ (['p50Ms', 'p95Ms', 'p99Ms', 'maxMs']).map((figure) => ({
        group: `${route} band`,
        unit: 'ms',
        heading: figure.replace('Ms', ''),
        value: band(({ routes: { [route]: times } }) => times?.[figure]),
      })),
    ),
    { group: 'mean wait', heading: 'band ms', value: band(({ meanWaitMs }) => meanWaitMs) },
    { group: 'connections band', heading: 'used %', value: band(({ utilisation }) => utilisation * 100) },
    { group: 'connections band', heading: 'most', value: band(({ peakActive }) => peakActive) },
    { heading: 'queue band', value: band(({ peakWaiting }) => peakWaiting) },
    { heading: 'fail band', value: band(({ failures }) => failures) },
  ];
}

/** @param {(figures: any) => number} figure @returns {Column['value']} */
function band(figure) {
  return ({ predicted }) => {
    const ends = [predicted?.low, predicted?.high].map((end) => {
      const value = end ? figure(end) : NaN;
      return Number.isFinite(value) ? formatNumber(value, digitsOf(value), false) : DASH;
    });
    return [...new Set(ends)].join('-');
  };
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
    series: [
      { label: 'max', role: 'measured', route, value: ofRoute(route, 'maxMs') },
      { label: 'p99', role: 'measured', route, value: ofRoute(route, 'p99Ms') },
      { label: 'p95', role: 'measured', route, value: ofRoute(route, 'p95Ms') },
      { label: 'p50', role: 'measured', route, value: ofRoute(route, 'p50Ms') },
    ],
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

/** @param {string} route @param {'p50Ms' | 'p95Ms' | 'p99Ms' | 'maxMs'} figure */
function ofRoute(route, figure) {
  return of(({ routes }) => routes[route]?.[figure]);
}

/** @param {Variant} variant @returns {number | undefined} */
function meanRecorded({ measured }) {
  return measured?.meanWaitMs;
}

/** @param {Variant} variant */
function describePool({ settings }) {
  return String(settings.poolSize);
}
