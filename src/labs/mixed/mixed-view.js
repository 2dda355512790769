/** @import { Column, Lab, Result, Variant } from '../../report/result-types.js' */

/** How a result of the mixed lab is shown. @type {Omit<Lab, 'name'>} */
export const mixedView = {
  load: 'open',
  title: 'The bus and the Ferrari',
  question: 'An app sends its database queries through a pool of shared connections. '
    + 'What happens to quick requests while slow ones hold the connections?',
  source: {
    title: 'MongoDB in production: How connection pool size can bottleneck application scale',
    url: 'https://medium.com/@kyle_martin/mongodb-in-production-how-connection-pool-size-can-bottleneck-application-scale-439c6e5a8424',
  },
  howToRead: [
    '/slow is a query that takes the database seconds (the bus), /fast one of a few milliseconds (the Ferrari).',
    'A query keeps its connection, a lane of the tunnel, until it is answered. If none is free, it waits.',
    'Short bars are good. A long orange bar is nearly all waiting.',
    'Predicted: what a simulation says, from the load test file and what a query takes when it is alone.',
    'Exact: what the arithmetic of the queue gives. Article: measured in 2020 with the driver of that time, which '
    + 'lined queries up in another way.',
  ],
  columns: [
    { heading: 'pool', about: 'connections in the pool', value: ({ settings }) => settings.poolSize },
    { heading: 'reqs', about: 'requests', value: ({ measured }) => measured?.requests },
    { heading: 'fail', about: 'requests without a good answer', value: ({ measured }) => measured?.failures },
    ...routeColumns('/fast'),
    ...routeColumns('/slow'),
    { group: 'slowest request,', heading: 'max', unit: 'ms', value: ({ measured }) => measured?.maxMs },
    { group: 'slowest request,', heading: 'article', unit: 'ms', value: ({ published }) => published?.maxMs },
    { group: 'slowest request,', heading: 'exact', unit: 'ms', value: ({ exact }) => exact?.maxMs },
    {
      heading: 'ratio', about: 'measured to exact', digits: 3,
      value: ({ measured, exact }) => measured?.maxMs / exact?.maxMs,
    },
    { group: 'predicted', heading: 'max', unit: 'ms', value: ({ predicted }) => predicted?.maxMs },
    {
      group: 'predicted', heading: 'off by %', digits: 1,
      about: 'how much more or less the slowest request took than predicted',
      value: ({ measured, predicted }) => (measured?.maxMs / predicted?.maxMs - 1) * 100,
    },
    { group: 'pool wait', heading: 'p95', unit: 'ms', value: ({ measured }) => measured?.pool?.waitP95Ms },
    { group: 'pool wait', heading: 'max', unit: 'ms', value: ({ measured }) => measured?.pool?.waitMaxMs },
    {
      group: 'peak', heading: 'active', about: 'connections in use at once, at the most',
      value: ({ measured }) => measured?.pool?.peakActive,
    },
    {
      group: 'peak', heading: 'waiting', about: 'requests waiting for a connection at once, at the most',
      value: ({ measured }) => measured?.pool?.peakWaiting,
    },
  ],
  charts: [{
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
      { label: 'Slowest of all, exact', role: 'exact', value: ({ exact }) => exact?.maxMs },
      { label: 'Slowest of all, article', role: 'published', value: ({ published }) => published?.maxMs },
    ],
  }],
  takeaway,
};

/**
 * @param {string} route
 * @param {'p50Ms' | 'p95Ms' | 'maxMs'} figure
 */
function ofRoute(route, figure) {
  return (/** @type {Variant} */ { measured }) => measured?.routes[route]?.[figure];
}

/**
 * @param {string} route
 * @returns {Column[]}
 */
export function routeColumns(route) {
  const column = { group: route, unit: 'ms' };
  return [
    { ...column, heading: 'p50', about: 'half of the requests took at most this long', value: ofRoute(route, 'p50Ms') },
    { ...column, heading: 'p95', about: '95 of 100 took at most this long', value: ofRoute(route, 'p95Ms') },
    { ...column, heading: 'max', value: ofRoute(route, 'maxMs') },
  ];
}

/** @param {number} poolSize */
function describeSize(poolSize) {
  return poolSize === 1 ? '1 connection' : `${poolSize} connections`;
}

/** @param {Result} result */
function takeaway({ variants }) {
  // A scenario of somebody else may ask for /slow alone, and an app that ended has answered nothing.
  const isFast = variants.every(({ measured }) => measured?.routes['/fast']);
  const bySize = variants.filter(({ measured }) => isFast || Number.isFinite(measured?.maxMs))
    .toSorted((a, b) => a.settings.poolSize - b.settings.poolSize);
  if (bySize.length === 0) return '';
  const [small, large] = [bySize[0], bySize[bySize.length - 1]].map(({ settings, measured }) => ({
    size: describeSize(settings.poolSize),
    maxMs: isFast ? measured?.routes['/fast'].maxMs : measured?.maxMs,
  }));
  const begin = `With ${small.size}, the slowest ${isFast ? '/fast ' : ''}request took ${describeMs(small.maxMs)}`;
  if (bySize.length === 1) return `${begin}.`;
  const why = isFast && small.maxMs > 10 * large.maxMs ? ', nearly all of it waiting for a connection' : '';
  return `${begin}${why}; with ${large.size} it took ${describeMs(large.maxMs)}.`;
}

/** @param {number} ms */
function describeMs(ms) {
  return ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`;
}
