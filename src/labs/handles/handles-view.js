import { ratioOf } from '../../report/ratio.js';

/** @import { Finding, LabView, Result, Variant } from '../../report/result-types.js' */

/**
 * @typedef {object} HandlesSettings
 * @property {string} handle
 * @property {number} connections of the load
 * @property {number} clients of each process
 * @property {number} processes
 * @property {number} poolSizeOfEach client
 *
 * @typedef {import('../../harness/http-load.js').HttpLoadFigures} HandlesFigures
 * @typedef {Result<HandlesSettings, HandlesFigures>} HandlesResult
 * @typedef {Variant<HandlesSettings, HandlesFigures>} HandlesVariant
 */

const NAMES = /** @type {Record<string, string>} */ ({
  one: 'one client', several: 'several clients', processes: 'several processes', gathered: 'gathered lookups',
  bare: 'gathered lookups without Express',
});

const FIGURES = /** @type {const} */ (['avg', 'stdev', 'p50', 'p99', 'max']);
const PUBLISHED_FIGURES = /** @type {const} */ (['avg', 'stdev', 'max']);

/** @type {Omit<LabView<HandlesSettings, HandlesFigures>, 'name'>} */
export const handlesView = {
  loadKind: 'closed',
  title: 'One handle or several',
  question: 'A busy app looks up one document for each request. Does it answer more requests with several database clients, '
    + 'with several processes, or with fewer queries?',
  source: {
    title: 'Benchmarking large concurrent db access',
    url: 'https://gist.github.com/methane/1341a204256e5dab52ac',
  },
  howToRead: [
    'c128: 128 connections request GET /db in a closed loop. The app looks up one of 10,000 documents by its _id.',
    'one: all requests share one client. several: they take turns on several clients. processes: several processes share '
    + 'one port, each with its own client. Together, their pools have as many connections as the pool of the one client.',
    'gathered: lookups of the same moment become one query, and each request still gets its own document.',
    'bare: the same without Express, on Node.js alone. What the framework costs is the difference to gathered.',
    'Long bars are good: more requests answered per second.',
    'Published: a Go program and MySQL on servers with 32 cores, in 2014, the better of two runs. Here: the median of all '
    + 'runs. There, leaving out prepared statements saved the round trip. The source does not say how many handles '
    + '"several" were, and it did not measure several processes. It also measured a patch of its driver, which has no '
    + 'counterpart here.',
  ],
  columns: [
    { heading: 'variant', value: ({ name }) => name },
    {
      group: 'requests per second', heading: 'here', about: 'answered with a document',
      value: ({ measured }) => measured?.ratePerSec,
    },
    { group: 'requests per second', heading: 'published', value: ({ published }) => published?.ratePerSec },
    ...FIGURES.map((figure) => ({
      group: 'latency', heading: figure, unit: 'ms', digits: 1,
      value: (/** @type {HandlesVariant} */ { measured }) => measured?.[`${figure}Ms`],
    })),
    ...PUBLISHED_FIGURES.map((figure) => ({
      group: 'published latency', heading: figure, unit: 'ms', digits: 2,
      value: (/** @type {HandlesVariant} */ { published }) => published?.[`${figure}Ms`],
    })),
    { heading: 'answered', about: 'requests answered with a document', value: ({ measured }) => measured?.requests },
    {
      group: 'failed', heading: 'errors', about: 'requests without a response',
      value: ({ measured }) => measured?.errors,
    },
    { group: 'failed', heading: 'timeouts', value: ({ measured }) => measured?.timeouts },
    {
      group: 'failed', heading: 'non-2xx', about: 'responses without a document',
      value: ({ measured }) => measured?.non2xx,
    },
    {
      group: 'failed', heading: 'reopened', about: 'connections that closed and were opened again',
      value: ({ measured }) => measured?.reopened,
    },
  ],
  charts: [{
    title: 'Requests answered per second',
    xLabel: 'Connections of the load, and how the app reaches its database',
    yLabel: 'Requests per second',
    unit: '',
    kind: 'bar',
    category: ({ name }) => name,
    series: [{ label: 'Here', role: 'measured', value: ({ measured }) => measured?.ratePerSec }],
  }, {
    title: 'How long a response takes',
    xLabel: 'Connections of the load, and how the app reaches its database',
    yLabel: 'Latency',
    unit: 'ms',
    kind: 'bar',
    category: ({ name }) => name,
    series: [
      { label: 'p50: half take at most', role: 'measured', value: ({ measured }) => measured?.p50Ms },
      { label: 'p99: 99 of 100 take at most', role: 'measured', value: ({ measured }) => measured?.p99Ms },
    ],
  }],
  findings,
  takeaway,
};

/** @param {HandlesResult} result @returns {Finding[]} each variant compared with one client */
function findings({ variants }) {
  return variants.filter(({ settings }) => settings.handle !== 'one').flatMap((variant) => {
    const { handle, connections } = variant.settings;
    const one = variants.find(({ settings }) => settings.handle === 'one' && settings.connections === connections);
    if (!one) return [];
    return {
      claim: `c${connections}: ${NAMES[handle]} / one client, requests per second`,
      measured: ratioOf(variant.measured?.ratePerSec, one.measured?.ratePerSec),
      published: ratioOf(variant.published?.ratePerSec, one.published?.ratePerSec),
    };
  });
}

/** @param {HandlesResult} result */
function takeaway({ variants }) {
  const [{ settings: { connections } }] = variants;
  const [best, ...others] = variants.filter(({ settings }) => settings.connections === connections)
    .toSorted((a, b) => rateOf(b) - rateOf(a));
  const one = others.find(({ settings }) => settings.handle === 'one');
  const start = `At ${connections} connections, ${describe(best)} requests per second`;
  return one ? `${start}; ${describe(one)}.` : `${start}.`;
}

/** @param {HandlesVariant} variant */
function describe(variant) {
  return `${NAMES[variant.settings.handle]} answered ${Math.round(rateOf(variant))}`;
}

/** @param {HandlesVariant} variant */
function rateOf({ measured }) {
  return measured?.ratePerSec ?? 0;
}
