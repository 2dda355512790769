/** @import { Finding, LabView, Result, Variant } from '../../report/result-types.js' */

const NAMES = /** @type {Record<string, string>} */ ({
  one: 'one client', several: 'several clients', processes: 'several processes', gathered: 'gathered lookups',
});

/** How a result of the handles lab is shown. @type {Omit<LabView, 'name'>} */
export const handlesView = {
  loadKind: 'closed',
  title: 'One handle or several',
  question: 'A busy app answers each request with one document of its database. Does it answer more of them with '
    + 'several database clients, with several processes, or by asking the database less often?',
  source: {
    title: 'Benchmarking large concurrent db access',
    url: 'https://gist.github.com/methane/1341a204256e5dab52ac',
  },
  howToRead: [
    'c128: 128 connections ask for GET /db, each again as soon as it is answered. Each answer is one of 10,000 '
    + 'documents, found by its _id.',
    'one: all requests share one client. several: they take turns on several clients. processes: several processes '
    + 'listen on one port, each with a client. Their pools have as many connections together as the one client.',
    'gathered: lookups of the same moment become one query, and each request still gets its own document.',
    'Long bars are good: more requests answered in a second.',
    'Published: a Go program and MySQL on servers of 32 cores, in 2014, the better of two runs; here it is the median '
    + 'of all runs. Its way to save a round trip was to do without prepared statements. How many its several handles '
    + 'were is not told, and it had no several processes. A patch of its driver has no counterpart here.',
  ],
  columns: [
    { heading: 'variant', value: ({ name }) => name },
    {
      group: 'requests per second', heading: 'here', about: 'answered in a second',
      value: ({ measured }) => measured?.ratePerSec,
    },
    { group: 'requests per second', heading: 'published', value: ({ published }) => published?.ratePerSec },
    ...['avg', 'stdev', 'p50', 'p99', 'max'].map((figure) => ({
      group: 'latency', heading: figure, unit: 'ms', digits: 1,
      value: (/** @type {Variant} */ { measured }) => measured?.[`${figure}Ms`],
    })),
    ...['avg', 'stdev', 'max'].map((figure) => ({
      group: 'published latency', heading: figure, unit: 'ms', digits: 2,
      value: (/** @type {Variant} */ { published }) => published?.[`${figure}Ms`],
    })),
    { heading: 'answered', about: 'requests answered with a document', value: ({ measured }) => measured?.requests },
    {
      group: 'failed', heading: 'errors', about: 'requests without an answer',
      value: ({ measured }) => measured?.errors,
    },
    { group: 'failed', heading: 'timeouts', value: ({ measured }) => measured?.timeouts },
    {
      group: 'failed', heading: 'non-2xx', about: 'answers that are no document',
      value: ({ measured }) => measured?.non2xx,
    },
    {
      group: 'failed', heading: 'reopened', about: 'connections that had to be opened again',
      value: ({ measured }) => measured?.reopened,
    },
  ],
  charts: [{
    title: 'Requests answered in a second',
    xLabel: 'Connections of the load, and how the app reaches its database',
    yLabel: 'Requests per second',
    unit: '',
    kind: 'bar',
    category: ({ name }) => name,
    series: [{ label: 'Here', role: 'measured', value: ({ measured }) => measured?.ratePerSec }],
  }, {
    title: 'How long an answer takes',
    xLabel: 'Connections of the load, and how the app reaches its database',
    yLabel: 'Latency',
    unit: 'ms',
    kind: 'bar',
    category: ({ name }) => name,
    series: [
      { label: 'Half take at most', role: 'measured', value: ({ measured }) => measured?.p50Ms },
      { label: '99 of 100 take at most', role: 'measured', value: ({ measured }) => measured?.p99Ms },
    ],
  }],
  findings,
  takeaway,
};

/**
 * How each way compares with one client, at each number of connections.
 * @param {Result} result
 * @returns {Finding[]}
 */
function findings({ variants }) {
  return variants.filter(({ settings }) => settings.handle !== 'one').flatMap((variant) => {
    const { handle, connections } = variant.settings;
    const one = findVariant(variants, 'one', connections);
    if (!one) return [];
    return {
      claim: `c${connections}: ${NAMES[handle]} / one client, requests per second`,
      measured: variant.measured?.ratePerSec / one.measured?.ratePerSec,
      published: variant.published && one.published ? variant.published.ratePerSec / one.published.ratePerSec : null,
    };
  });
}

/** @param {Result} result */
function takeaway({ variants }) {
  const [{ settings: { connections } }] = variants;
  const [best, ...others] = variants.filter(({ settings }) => settings.connections === connections)
    .toSorted((a, b) => b.measured?.ratePerSec - a.measured?.ratePerSec);
  const one = others.find(({ settings }) => settings.handle === 'one');
  const begin = `At ${connections} connections, ${describe(best)} requests per second`;
  return one ? `${begin}; ${describe(one)}.` : `${begin}.`;
}

/** @param {Variant} variant */
function describe({ settings, measured }) {
  return `${NAMES[settings.handle]} answered ${Math.round(measured?.ratePerSec)}`;
}

/**
 * @param {Variant[]} variants
 * @param {string} handle
 * @param {number} connections
 */
function findVariant(variants, handle, connections) {
  return variants.find(({ settings }) => settings.handle === handle && settings.connections === connections);
}
