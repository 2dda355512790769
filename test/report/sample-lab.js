/** @import { Lab, Variant } from '../../src/report/types.js' */

/** @param {number} ms */
const seconds = (ms) => `${(ms / 1000).toFixed(1)} s`;

/**
 * @param {string} route
 * @param {'p50Ms' | 'p95Ms' | 'maxMs'} name
 */
const ofRoute = (route, name) => (/** @type {Variant} */ { measured }) => measured?.routes[route]?.[name];

/** The mixed lab's way to be shown. @type {Lab} */
export const sampleLab = {
  name: 'mixed',
  title: 'The bus and the Ferrari',
  question: 'An app sends its database queries through a pool of shared connections. '
    + 'What happens to quick requests while slow ones hold the connections?',
  howToRead: [
    'Five users arrive, one a second. Each asks for /slow, a query of 5 seconds (the bus), then for /fast, '
    + 'one of a few milliseconds (the Ferrari).',
    'A query keeps its connection, a lane of the tunnel, until it is answered. If none is free, it waits.',
    'Short bars are good. A long orange bar is nearly all waiting.',
    'Exact: what the arithmetic of the queue gives. Article: measured in 2020 with the driver of that time.',
  ],
  columns: [
    { heading: 'pool', about: 'connections in the pool', value: ({ settings }) => settings.poolSize },
    { heading: 'reqs', about: 'requests', value: ({ measured }) => measured?.requests },
    { heading: 'fail', about: 'requests without a good answer', value: ({ measured }) => measured?.failures },
    {
      group: '/fast', heading: 'p50', unit: 'ms', value: ofRoute('/fast', 'p50Ms'),
      about: 'half of the requests took at most this long',
    },
    {
      group: '/fast', heading: 'p95', unit: 'ms', value: ofRoute('/fast', 'p95Ms'),
      about: '95 of 100 took at most this long',
    },
    { group: '/fast', heading: 'max', unit: 'ms', value: ofRoute('/fast', 'maxMs') },
    { group: '/slow', heading: 'p50', unit: 'ms', value: ofRoute('/slow', 'p50Ms') },
    { group: '/slow', heading: 'p95', unit: 'ms', value: ofRoute('/slow', 'p95Ms') },
    { group: '/slow', heading: 'max', unit: 'ms', value: ofRoute('/slow', 'maxMs') },
    { group: 'slowest request,', heading: 'max', unit: 'ms', value: ({ measured }) => measured?.maxMs },
    { group: 'slowest request,', heading: 'article', unit: 'ms', value: ({ published }) => published?.maxMs },
    { group: 'slowest request,', heading: 'exact', unit: 'ms', value: ({ exact }) => exact?.maxMs },
    {
      heading: 'ratio', digits: 3, value: ({ measured, exact }) => measured?.maxMs / exact?.maxMs,
      about: 'measured to exact',
    },
  ],
  charts: [{
    title: 'The longest wait for an answer',
    xLabel: 'Connections in the pool',
    yLabel: 'Response time',
    unit: 'ms',
    kind: 'bar',
    category: ({ settings: { poolSize } }) => (poolSize === 1 ? '1 connection' : `${poolSize} connections`),
    series: [
      { label: 'Slowest request of all', role: 'measured', value: ({ measured }) => measured?.maxMs },
      { label: 'Slowest /fast request', role: 'measured', value: ofRoute('/fast', 'maxMs') },
      { label: 'Slowest of all, exact', role: 'exact', value: ({ exact }) => exact?.maxMs },
      { label: 'Slowest of all, article', role: 'published', value: ({ published }) => published?.maxMs },
    ],
  }],
  takeaway({ variants }) {
    const bySize = variants.toSorted((a, b) => a.settings.poolSize - b.settings.poolSize);
    const [small, large] = [bySize[0], bySize[bySize.length - 1]].map(({ settings, measured }) => ({
      size: settings.poolSize === 1 ? '1 connection' : `${settings.poolSize} connections`,
      fastMs: measured?.routes['/fast'].maxMs,
    }));
    const begin = `With ${small.size}, a request that needs a few milliseconds took ${seconds(small.fastMs)}`;
    if (small.size === large.size) return `${begin}.`;
    const end = large.fastMs < 1000 ? `${Math.round(large.fastMs)} ms` : seconds(large.fastMs);
    return `${begin}, because it waited behind slow ones; with ${large.size} the slowest took ${end}.`;
  },
};
