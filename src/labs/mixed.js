import { readFile, realpath } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { startApp } from '../bench/app-process.js';
import { describeFailures, runArtillery, summariseReport } from '../bench/artillery.js';
import { simulate } from '../predict/simulate.js';
import { readWorkload } from '../predict/workload.js';

/** The article's load test. */
export const MIXED_SCENARIO = fileURLToPath(new URL('../../loadtests/mixed.yaml', import.meta.url));

/** Longest response in ms by pool size, from the article "How connection pool size can bottleneck application scale". */
const PUBLISHED_MAX_MS = new Map([[1, 21142.7], [3, 9017], [10, 5019]]);
const PUBLISHED_SLOW_MS = 5000;

/** Artillery's own start and end, and the app's, in ms: an estimate for the progress bar. */
const OVERHEAD_MS = 5500;

const WARM_UP_REQUESTS = 20;

/** @import { Lab, PlannedVariant, Plan, Context } from '../bench/run-lab.js' */
/** @import { Variant } from '../report/types.js' */

/**
 * @typedef {object} MixedOptions
 * @property {number[]} poolSizes
 * @property {number} slowMs
 * @property {string} scenario path of an Artillery scenario
 * @property {string} [environment] one of the scenario's
 */

/**
 * Slow queries starve fast ones when the pool is small: the same load on one app per pool size.
 * @type {Lab}
 */
export const mixed = {
  name: 'mixed',
  title: 'The bus and the Ferrari',
  question: 'An app sends its database queries through a pool of shared connections. '
    + 'What happens to quick requests while slow ones hold the connections?',
  howToRead: [
    'The load asks for /slow, a query that takes the database seconds (the bus), and for /fast, a query of a few '
    + 'milliseconds (the Ferrari).',
    'A query keeps a connection, a lane of the tunnel, until its answer is there. If no lane is free, it waits.',
    'Short bars are good. A long /fast bar is nearly all waiting.',
    'Exact is what the arithmetic of the queue gives; the article measured with the driver of 2020, '
    + 'which lined queries up in another way.',
  ],
  columns: [
    { heading: 'pool', value: ({ settings }) => settings.poolSize },
    { heading: 'reqs', value: ({ measured }) => measured?.requests },
    { heading: 'fail', value: ({ measured }) => measured?.failures },
    ...routeColumns('/fast'),
    ...routeColumns('/slow'),
    { group: 'slowest request,', heading: 'max', unit: 'ms', value: ({ measured }) => measured?.maxMs },
    { group: 'slowest request,', heading: 'article', unit: 'ms', value: ({ published }) => published?.maxMs },
    { group: 'slowest request,', heading: 'exact', unit: 'ms', value: ({ exact }) => exact?.maxMs },
    { heading: 'ratio', digits: 3, value: ({ measured, exact }) => exact && measured && measured.maxMs / exact.maxMs },
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
      { label: 'Slowest /fast request', role: 'measured', value: ofRoute('/fast', 'maxMs') },
      { label: 'Slowest of all, exact', role: 'exact', value: ({ exact }) => exact?.maxMs },
      { label: 'Slowest of all, in the article', role: 'published', value: ({ published }) => published?.maxMs },
    ],
  }],
  takeaway,
  plan,
  measure,
};

/**
 * @param {MixedOptions} options
 * @returns {Promise<Plan>}
 */
async function plan({ poolSizes, slowMs, scenario, environment }) {
  const text = await readFile(scenario, 'utf8').catch((cause) => {
    throw new Error(`${scenario} can't be read: ${cause.message}`, { cause });
  });
  const workload = readWorkload(text, { environment, file: scenario });
  const isArticles = slowMs === PUBLISHED_SLOW_MS && !environment
    && await realpath(scenario) === await realpath(MIXED_SCENARIO);
  return {
    settings: { scenario: path.relative(process.cwd(), scenario), environment, poolSizes, slowMs },
    variants: poolSizes.map((poolSize) => {
      // The arithmetic of the queue: fast queries take no time, connections are ready.
      const answer = simulate({
        workload,
        pool: { maxPoolSize: poolSize },
        services: idealServices(workload, slowMs),
      });
      const maxMs = PUBLISHED_MAX_MS.get(poolSize);
      return {
        name: `pool ${poolSize}`,
        settings: { poolSize },
        exact: isDeterministic(workload) ? { maxMs: answer.maxMs } : null,
        published: isArticles && maxMs ? { maxMs } : null,
        estimateMs: answer.durationMs + OVERHEAD_MS,
      };
    }),
  };
}

/**
 * @param {PlannedVariant} variant
 * @param {Plan} planned
 * @param {Context} context
 */
async function measure({ settings: { poolSize } }, { settings }, { mongoUrl, signal }) {
  const { slowMs, scenario, environment } = /** @type {MixedOptions} */ (settings);
  const app = await startApp(
    { MONGO_URL: mongoUrl, MONGO_POOLSIZE: String(poolSize), SLOW_MS: String(slowMs) }, { signal });
  try {
    await warmUp(app.url);
    const { report, unmet } = await runArtillery({ scenario, target: app.url, environment, signal });
    const measured = summariseReport(report);
    return {
      measured,
      ...(measured.failures > 0 && { failed: describeFailures(report) }),
      warnings: unmet.map((threshold) => `the scenario's own threshold is not met: ${threshold}`),
    };
  } finally {
    await app.stop();
  }
}

/**
 * Let the app and the driver come to speed before anything is measured.
 * @param {string} url
 */
async function warmUp(url) {
  for (let request = 0; request < WARM_UP_REQUESTS; request++) {
    const response = await fetch(`${url}/fast`);
    if (!response.ok) throw new Error(`warm-up: /fast answered HTTP ${response.status}`);
    await response.arrayBuffer();
  }
}

/**
 * Service times of the ideal: a slow query takes exactly its time, any other takes none.
 * @param {import('../predict/workload.js').Workload} workload
 * @param {number} slowMs
 */
function idealServices({ scenarios }, slowMs) {
  const routes = scenarios.flatMap(({ steps }) => listRoutes(steps));
  return Object.fromEntries(routes.map((route) => (
    [route, { kind: /** @type {const} */ ('fixed'), ms: route === '/slow' ? slowMs : 0 }])));
}

/**
 * @param {import('../predict/flow.js').Step[]} steps
 * @returns {string[]}
 */
function listRoutes(steps) {
  return steps.flatMap((step) => {
    if (step.kind === 'loop') return listRoutes(step.steps);
    return step.kind === 'request' ? step.route : [];
  });
}

/**
 * Whether every run of the workload is the same: counted arrivals, nothing drawn by weight.
 * @param {import('../predict/workload.js').Workload} workload
 */
function isDeterministic({ phases, scenarios }) {
  return scenarios.length === 1 && phases.every((phase) => phase.arrivalRate === undefined);
}

/**
 * @param {string} route
 * @param {'p50Ms' | 'p95Ms' | 'maxMs'} figure
 */
function ofRoute(route, figure) {
  return (/** @type {Variant} */ { measured }) => measured?.routes[route]?.[figure];
}

/** @param {string} route */
function routeColumns(route) {
  return /** @type {const} */ (['p50Ms', 'p95Ms', 'maxMs']).map((figure) => ({
    group: route, heading: figure.replace('Ms', ''), unit: 'ms', value: ofRoute(route, figure),
  }));
}

/** @param {number} poolSize */
function describeSize(poolSize) {
  return poolSize === 1 ? '1 connection' : `${poolSize} connections`;
}

/** @param {import('../report/types.js').Result} result */
function takeaway({ variants }) {
  const bySize = variants.toSorted((a, b) => a.settings.poolSize - b.settings.poolSize);
  const [small, large] = [bySize[0], bySize[bySize.length - 1]].map(({ settings, measured }) => ({
    size: describeSize(settings.poolSize),
    fastMs: measured?.routes['/fast']?.maxMs ?? measured?.maxMs,
  }));
  const begin = `With ${small.size}, the slowest /fast request took ${describeMs(small.fastMs)}`;
  if (bySize.length === 1) return `${begin}.`;
  const why = small.fastMs > 10 * large.fastMs ? ', nearly all of it waiting for a connection' : '';
  return `${begin}${why}; with ${large.size} it took ${describeMs(large.fastMs)}.`;
}

/** @param {number} ms */
function describeMs(ms) {
  return ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`;
}
