import { shareColumns } from '../../report/columns.js';
import { addReason, compareRates, rateOf } from '../../report/findings.js';
import { PUBLISHED } from './handles-published.js';

/** @import { Finding, LabView, Result, Variant } from '../../report/result-types.js' */

/**
 * @typedef {object} HandlesSettings
 * @property {string} handle
 * @property {number} connections of the load
 * @property {number} clients of each process
 * @property {number} processes
 * @property {number | null} poolSizeOfEach client; null in what was not measured here
 *
 * @typedef {import('../../harness/loads/http.js').HttpLoadFigures & { cpuUs: number }} HandlesFigures cpuUs: CPU time
 *   of the app's processes for each request, in microseconds
 * @typedef {Result<HandlesSettings, HandlesFigures>} HandlesResult
 * @typedef {Variant<HandlesSettings, HandlesFigures>} HandlesVariant
 */

const NAMES = /** @type {Record<string, string>} */ ({
  one: 'one client',
  several: 'several clients',
  processes: 'several processes',
  gathered: 'gathered lookups',
  bare: 'gathered lookups without Express',
});

const ONE_CORE = 'here the app has one core for its JavaScript, with one client or several.';

/** Why a ratio is not the published one, by its direction. @type {Record<string, Parameters<typeof addReason>[1]>} */
const REASONS = {
  'several 128': {
    less: () =>
      'There, requests waited for a lock inside the one handle (golang/go issue 9484), and several handles have ' +
      `several; ${ONE_CORE}`,
  },
  'several 256': {
    more: () =>
      `There, several handles were slower with 256 connections, and the document does not say why; ${ONE_CORE}`,
  },
};

/** @type {import('../../report/columns.js').ShareColumns<HandlesVariant>} */
const share = shareColumns;

const WORDS = {
  handle: 'a database client, in the words of the source.',
  one: 'all requests share one client.',
  several:
    'requests take turns on several clients. Together, their pools have as many connections as ' +
    'the pool of the one client.',
  processes: 'several processes share one port, each with its own client. Their pools, too, have as many together.',
  gathered: 'lookups of the same moment become one query, and each request still gets its own document.',
  bare: 'gathered, without Express, on Node.js alone. The difference is what the framework costs.',
};

/** @type {Omit<LabView<HandlesSettings, HandlesFigures>, 'name'>} */
export const handlesView = {
  loadKind: 'closed',
  title: 'One database client or several',
  question:
    'A busy app looks up one document for each request. Does it answer more requests with several database clients, ' +
    'with several processes, or with fewer queries?',
  source: {
    title: 'Benchmarking large concurrent db access',
    url: 'https://gist.github.com/methane/1341a204256e5dab52ac',
    foundElsewhere: PUBLISHED.foundElsewhere,
  },
  glossary: WORDS,
  howToRead: [
    'c128: 128 connections request GET /db in a closed loop. The app looks up one of 10,000 documents by its _id.',
    ...Object.entries(WORDS).map(([word, meaning]) => `${word}: ${meaning}`),
    'Long bars are good: more requests answered per second.',
    'Published: a Go program and MySQL on c3.8xlarge servers, the better of two runs. Here: the median of all ' +
      'runs. The source does not say how many handles "several" were. It does not limit their connections, and ' +
      'neither does --preset published.',
    'sprintf, patched: published only. Requests of one handle waited for a lock that it takes for prepared ' +
      'statements: https://github.com/golang/go/issues/9484. Several handles have several locks, sprintf makes ' +
      'queries without prepared statements, and patched is a driver with this lock split in two. Node.js runs an ' +
      'app on one core, without such a lock.',
  ],
  columns: [
    { heading: 'variant', value: ({ name }) => name },
    ...share({ group: 'requests per second' }, [
      { heading: 'here', about: 'answered with a document', value: ({ measured }) => measured?.ratePerSec },
      { heading: 'published', value: ({ published }) => published?.ratePerSec },
    ]),
    {
      group: "app's CPU",
      heading: 'µs',
      about: "CPU time of the app's processes for each request",
      value: ({ measured }) => measured?.cpuUs,
    },
    ...share(
      { group: 'latency', unit: 'ms', digits: 1 },
      /** @type {const} */ (['p50', 'p99']).map((figure) => ({
        heading: figure,
        value: ({ measured }) => measured?.[`${figure}Ms`],
      })),
    ),
    ...compareLatency('average', 'avgMs'),
    ...compareLatency('longest', 'maxMs'),
    ...compareLatency('deviation', 'stdevMs').map((column) => ({ ...column, detail: true })),
    {
      heading: 'answered',
      about: 'requests answered with a document',
      detail: true,
      value: ({ measured }) => measured?.requests,
    },
    ...share({ group: 'failed', detail: true }, [
      { heading: 'errors', about: 'requests without a response', value: ({ measured }) => measured?.errors },
      { heading: 'timeouts', value: ({ measured }) => measured?.timeouts },
      { heading: 'non-2xx', about: 'responses without a document', value: ({ measured }) => measured?.non2xx },
      {
        heading: 'reopened',
        about: 'connections that closed and were opened again',
        value: ({ measured }) => measured?.reopened,
      },
    ]),
  ],
  charts: [
    {
      title: 'Requests answered per second',
      xLabel: 'Connections of the load, and how the app reaches its database',
      yLabel: 'Requests per second',
      unit: '',
      kind: 'bar',
      category: ({ name }) => name,
      series: [{ label: 'Here', role: 'measured', value: ({ measured }) => measured?.ratePerSec }],
    },
    {
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
    },
  ],
  findings,
  takeaway,
};

/** @param {string} group @param {'avgMs' | 'maxMs' | 'stdevMs'} figure */
function compareLatency(group, figure) {
  return share({ group, unit: 'ms' }, [
    { heading: 'here', digits: 1, value: ({ measured }) => measured?.[figure] },
    { heading: 'published', digits: 2, value: ({ published }) => published?.[figure] },
  ]);
}

/** @param {HandlesResult} result @returns {Finding[]} each variant compared with one client */
function findings({ variants }) {
  return variants
    .filter(({ settings }) => settings.handle !== 'one')
    .flatMap((variant) => {
      const { handle, connections } = variant.settings;
      const one = variants.find(({ settings }) => settings.handle === 'one' && settings.connections === connections);
      const claim = `c${connections}: ${NAMES[handle]} / one client, requests per second`;
      return one ? addReason(compareRates(claim, variant, one), REASONS[`${handle} ${connections}`]) : [];
    });
}

/** @param {HandlesResult} result */
function takeaway({ variants }) {
  const { connections } = variants[0].settings;
  const [best, ...others] = variants
    .filter(({ settings }) => settings.connections === connections)
    .toSorted((a, b) => rateOf(b) - rateOf(a));
  const one = others.find(({ settings }) => settings.handle === 'one');
  const start = `At ${connections} connections, ${describe(best)} requests per second`;
  return one ? `${start}; ${describe(one)}.` : `${start}.`;
}

/** @param {HandlesVariant} variant */
function describe(variant) {
  return `${NAMES[variant.settings.handle]} answered ${Math.round(rateOf(variant))}`;
}
