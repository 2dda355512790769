import { formatNumber, formatQuantity } from '../universal/quantity.js';
import { explainPrediction } from './explain-prediction.js';

/** @import { ChartSpec, Column, LabView, Variant } from '../report/result-types.js' */
/** @import { Facts } from './explain-prediction.js' */
/** @import { LoadFacts } from 'mongodb-pool-predictor' */

/** From this ratio of their service times on, two routes are of two kinds. */
const TWO_KINDS = 10;

/**
 * How a prediction is shown: its routes are the load's.
 *
 * @param {object} result
 * @param {Facts} result.load
 * @param {boolean} result.isDrawn whether there is a band around the figures
 * @param {boolean} [result.isReplay] of a trace: then a variant whose size was recorded is measured
 * @returns {LabView}
 */
export function createPredictView({ load, isDrawn, isReplay = false }) {
  const routes = Object.keys(load.routes).toSorted((a, b) => load.routes[a].meanMs - load.routes[b].meanMs);
  return {
    name: 'predict',
    title: 'What a load test would measure',
    question: 'How long will requests take, at each size of the connection pool? '
      + 'Worked out by simulating every request, before anything is run.',
    howToRead: [
      'Each line is a percentile of one route: p95 means that 95 of 100 requests took at most this long. '
      + 'The axis is logarithmic: each step up is ten times as long.',
      'Where the lines fall steeply, requests wait for connections. Where they are flat, more connections do not help.',
      ...(isReplay ? ['The load is a trace of checkouts, replayed: a response is the wait for a connection and its use. '
        + 'No request waits for the answer to another.'] : []),
      ...(isDrawn ? ['What the load leaves to chance was drawn in many runs: the figures are medians, and 90 of 100 '
        + 'runs lie in the band.'] : []),
      describeClosedForms(load),
    ],
    glossary: {
      'Erlang C': 'a formula for the mean wait in a queue. It knows how many requests come and how long they take on average.',
      'Allen-Cunneen': 'the same formula, corrected for how unequal those times are.',
    },
    columns: [
      { heading: 'pool', about: 'connections in the pool', value: ({ settings }) => settings.poolSize },
      { heading: 'fail', about: 'requests without a good answer', value: of((figures) => figures.failures) },
      ...routes.flatMap((route) => routeColumns(route, isDrawn)),
      {
        group: 'connections', heading: 'used %', about: 'of them, on average over the run',
        value: of(({ utilisation }) => utilisation * 100),
      },
      { group: 'connections', heading: 'most', about: 'in use at once', value: of(({ peakActive }) => peakActive) },
      { heading: 'queue', about: 'longest queue', value: of(({ peakWaiting }) => peakWaiting) },
      { ...MEAN_WAIT, heading: 'simulated', value: of(({ meanWaitMs }) => meanWaitMs) },
      ...(isReplay ? [{ ...MEAN_WAIT, heading: 'recorded', value: meanRecorded }] : []),
      { ...MEAN_WAIT, heading: 'Erlang C', value: closedForm('erlangWaitMs') },
      { ...MEAN_WAIT, heading: 'Allen-Cunneen', value: closedForm('allenCunneenWaitMs') },
    ],
    charts: [...routes.map((route) => routeChart(route)), waitChart()],
    takeaway: ({ variants }) => explainPrediction(variants, load, routes[0]),
  };
}

const MEAN_WAIT = {
  group: 'mean wait', unit: 'ms',
  about: 'for a connection, over all routes; a formula has none where the pool cannot keep up',
};

/**
 * @param {string} route
 * @param {boolean} isDrawn
 * @returns {Column[]}
 */
function routeColumns(route, isDrawn) {
  const column = { group: route, unit: 'ms' };
  return [
    { ...column, heading: 'p50', about: 'half of the requests take at most this long', value: ofRoute(route, 'p50Ms') },
    { ...column, heading: 'p95', about: '95 of 100 take at most this long', value: ofRoute(route, 'p95Ms') },
    ...(isDrawn
      ? [{ ...column, heading: 'p95 in', about: '90 of 100 runs have a p95 in this band', value: band(route) }]
      : []),
    { ...column, heading: 'p99', about: '99 of 100 take at most this long', value: ofRoute(route, 'p99Ms') },
    { ...column, heading: 'max', value: ofRoute(route, 'maxMs') },
  ];
}

/** @param {string} route @returns {Column['value']} */
function band(route) {
  return ({ predicted }) => {
    const ends = [predicted?.low, predicted?.high].map((figures) => figures?.routes[route]?.p95Ms);
    return ends.map((ms) => (Number.isFinite(ms) ? formatNumber(ms, 0, false) : '–')).join('-');
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
    // The report draws what a page is about in the colours of what was measured.
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
    title: 'Mean wait for a connection, simulated and by formula',
    xLabel: 'Connections in the pool',
    yLabel: '',
    unit: 'ms',
    kind: 'line',
    category: describePool,
    series: [
      { label: 'Simulated', role: 'measured', value: of(({ meanWaitMs }) => meanWaitMs) },
      { label: 'Erlang C', role: 'exact', value: closedForm('erlangWaitMs') },
      { label: 'Allen-Cunneen', role: 'published', value: closedForm('allenCunneenWaitMs') },
    ],
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

/** @param {'erlangWaitMs' | 'allenCunneenWaitMs'} name @returns {(variant: Variant) => number | undefined} */
function closedForm(name) {
  return (variant) => /** @type {any} */ (variant).closedForms?.[name];
}

/** @param {Variant} variant @returns {number | undefined} */
function meanRecorded({ measured }) {
  return measured?.meanWaitMs;
}

/** @param {Variant} variant */
function describePool({ settings }) {
  return String(settings.poolSize);
}

/**
 * Why the formulas beside the simulation are no substitute for it, with this load's own numbers.
 * @param {LoadFacts} load
 */
function describeClosedForms({ routes, stream, durationMs }) {
  const times = Object.entries(routes).map(([route, { meanMs }]) => `${route} ${formatQuantity(meanMs, 'ms')}`);
  const means = Object.values(routes).map(({ meanMs }) => meanMs);
  const isMixed = Math.max(...means) >= TWO_KINDS * Math.min(...means);
  const kinds = isMixed
    ? ` of one kind, which take ${formatQuantity(stream.meanMs, 'ms')} on average; here they are of several `
      + `(${times.join(', ')}),`
    : ' that come for ever; here';
  return `Erlang C and Allen-Cunneen give the mean wait of requests${kinds} and the load lasts `
    + `${formatQuantity(durationMs, 'ms')}: such a mean tells neither who waits nor how long the unlucky do.`;
}
