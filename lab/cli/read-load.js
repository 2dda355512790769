import {
  checkRecording,
  createScenarioLoad,
  judgeTrust,
  openRecording,
  overheadOfApp,
  parseQueries,
  parseServices,
  pickReplayed,
  poolOfRecording,
  servicesOfApp,
} from 'mongodb-pool-predictor';
import { readScenario } from 'mongodb-pool-predictor/node';
import { foreseeLostUsers } from '../harness/loads/artillery-load.js';
import { checkAppPool } from '../predictions/app-pool.js';
import { describeCallers } from '../predictions/describe-callers.js';
import {
  describeCoverage,
  describeOpenings,
  describePick,
  describeReplayed,
  describeSharing,
  describeTraceQueries,
  describeTraceRoutes,
} from '../predictions/describe-input.js';
import { servicesOfResult } from '../predictions/result-services.js';
import { explainCheck } from '../predictions/explain-check.js';
import { matchServices } from './match-services.js';
import { requireSource } from './options.js';
import { readShown } from './progress-bar.js';
import { HOW_TO_WATCH, askApp, parseAppUrl, timeRoundTrips } from './running-app.js';

/** @import { AppPool, Load, RecordedTrace, Service, TraceCheck, Trust } from 'mongodb-pool-predictor' */
/** @import { Trace } from 'mongodb-pool-predictor/node' */
/** @import { KnownPool } from '../predictions/app-pool.js' */

/** Artillery reports response times in whole milliseconds. */
const RESOLUTION_MS = 1;
/**
 * What Artillery and the app take from the end of a query to the same user's next one. Measured with `run mixed`'s app
 * on two cores that were idle otherwise, between a user's /slow and /fast: at least 3.5 ms, the median of 80 users 5.1.
 */
const TURNAROUND_MS = 5;

/**
 * @typedef {object} LoadOptions
 * @property {string[]} [scenario] files, merged into the first
 * @property {string[]} [trace] files; the first is replayed
 * @property {string} [client] whose pool is predicted; see pickPool
 * @property {string} [process]
 * @property {string} [check] file of another trace
 * @property {number} [callers] who sent the recorded requests
 * @property {number | 'none'} [serverCores]
 * @property {string} [environment]
 * @property {string} [config] file, merged into the scenario
 * @property {Record<string, unknown>} [variables]
 * @property {boolean} [skipFunctions]
 * @property {string[]} [service]
 * @property {string[]} [queries]
 * @property {string} [from]
 * @property {string} [app]
 * @property {number} workers
 *
 * @typedef {object} LoadInput
 * @property {Load} load
 * @property {{ services: Record<string, Service>, overhead?: Service, resolutionMs: number }} simulation overhead: what
 *   a response takes beyond wait and service time, where it is known; resolutionMs: of the client's clock; 0: exact
 * @property {KnownPool} [pool] the app's settings, where they are known
 * @property {string[]} about which of several pools it is
 * @property {string[]} notes what the figures cover
 * @property {string[]} warnings
 * @property {Record<string, unknown>} settings for the result
 * @property {Trace} [trace]
 * @property {TraceCheck} [check] whether the trace predicts another one
 * @property {Trust} [trust]
 */

/**
 * Reads a load. Checks whether a trace predicts another one, if one was given.
 *
 * @param {LoadOptions & { firstSeed: number }} options
 * @returns {Promise<LoadInput>}
 * @throws {Error} unless there is exactly one load; for a file that can't be read; for a route without a service time
 */
export async function readLoad({ trace = [], scenario = [], ...options }) {
  if (scenario.length > 0 && trace.length > 0) throw new Error('Give either a scenario or --trace, not both');
  if (scenario.length + trace.length === 0)
    throw new Error(
      'Nothing to predict: pass an Artillery scenario, such as loadtests/mixed.yaml, or --trace FILE (pool-lab record)',
    );
  requireSource(options, trace.length > 0 ? 'trace' : 'scenario');
  return trace.length > 0 ? readTraceLoad(trace, options) : readScenarioLoad(scenario, options);
}

/**
 * @param {string[]} files the first is replayed
 * @param {LoadOptions & { firstSeed: number }} options
 * @returns {Promise<LoadInput>}
 */
async function readTraceLoad(files, { firstSeed, check: otherFile, callers, serverCores, ...choice }) {
  const traces = [];
  for (const file of files) traces.push(await readShown(file));
  const [first, ...otherTraces] = traces;
  checkHeader(first);
  const recording = openRecording(traces, { ...choice, callers, serverCores });
  const { picked, trace, load, overhead, settings, others } = recording;
  const other = otherFile === undefined ? undefined : pickReplayed(await readShown(otherFile), choice).trace;
  if (other && !poolOfRecording(other, settings))
    throw new Error(`--check ${otherFile}: it has to say its maxPoolSize`);
  const check = await checkRecording(recording, { other, firstSeed });
  return {
    load,
    simulation: { services: load.services, overhead, resolutionMs: 0 },
    trace,
    check: check ?? undefined,
    trust: judgeTrust({ trace, load, others, serverCores }, check),
    pool: settings && { settings, app: 'the recorded app' },
    about: [...describePick(picked), ...[trace, ...others].flatMap(describeReplayed)],
    notes: [
      ...(check ? [explainCheck(check)] : []),
      describeCallers(load.callers),
      ...describeSharing(trace, load),
      load.isMeasured
        ? 'The times are whole responses, from the start of a request to its end, as the app saw them.'
        : describeCoverage(overhead, 'in the recorded app', 'A trace by `pool-lab record` shows'),
      ...describeTraceQueries(trace),
      ...describeOpenings(trace),
      ...describeTraceRoutes(trace.routes),
    ],
    warnings: [trace, ...others].flatMap(({ warnings }) => warnings),
    settings: {
      trace: first.file,
      ...(others.length > 0 && { otherTraces: otherTraces.map(({ file }) => file) }),
      recorded: trace.header,
      callers,
      serverCores,
    },
  };
}

/** @param {RecordedTrace} trace @throws {Error} if the settings in its header are none */
function checkHeader({ file, header: { pool } }) {
  try {
    // Each pool has its own size. An app that closes its clients at once has none to name.
    if (pool !== undefined) checkAppPool({ poolSize: 0, .../** @type {object} */ (pool) }, 'pool');
  } catch (cause) {
    throw new Error(`${file}, line 1: ${/** @type {Error} */ (cause).message}`, { cause });
  }
}

/** @param {string[]} files @param {LoadOptions} options @returns {Promise<LoadInput>} */
async function readScenarioLoad(
  [scenario, ...more],
  { environment, config, variables, skipFunctions, service = [], queries = [], from, app, workers, serverCores },
) {
  const [given, counts] = [parseServices(service), parseQueries(queries)];
  const others = [...more, ...(config === undefined ? [] : [config])];
  const workload = await readScenario(scenario, { environment, skipFunctions, others, variables });
  const earlier = from === undefined ? undefined : await readInputs(from);
  const server = typeof serverCores === 'number' ? { cores: serverCores } : undefined;
  const load = createScenarioLoad({ ...workload, turnaroundMs: TURNAROUND_MS }, { workers, server });
  const running = app === undefined ? undefined : await readApp(app);
  const overhead = running?.overhead ?? earlier?.overhead;
  const source = running?.overhead ? `of the app at ${running.url}` : `in ${from}`;
  const { services, warnings: unclear } = matchServices(
    { routes: load.routes, requests: workload.requests },
    { given, measured: { ...earlier?.services, ...running?.services }, queries: counts },
  );
  requireBoth(services, serverCores);
  const warnings = [
    ...workload.warnings.map(({ file = scenario, line, message }) => `${file}, line ${line}: ${message}`),
    ...unclear,
    ...foreseeLostUsers(workload, workers).map((message) => `${scenario}, ${message}.`),
  ];
  if (workers > 1 && workload.phases.some(({ arrivalRate }) => arrivalRate)) {
    warnings.push(
      `${workers} worker threads share each arrivalRate, as Artillery does on this machine, so users arrive ` +
        'in bunches. --workers 1 spaces them evenly. arrivalCount is spaced evenly on every machine.',
    );
  }
  return {
    load,
    // A load test measures with this clock.
    simulation: { services, overhead, resolutionMs: overhead ? RESOLUTION_MS : 0 },
    pool: running?.pool && { settings: running.pool, app: `the app at ${running.url}` },
    about: [],
    notes: [
      describeCoverage(overhead, source),
      ...(overhead ? [] : [`From an answer to its next request, a user takes ${TURNAROUND_MS} ms.`]),
    ],
    warnings,
    settings: {
      scenario: [scenario, ...more].join(' '),
      environment,
      config,
      variables,
      skipFunctions,
      services,
      workers,
      overhead,
      pool: running?.pool,
      serverCores,
    },
  };
}

/**
 * Work needs cores, and cores need work.
 * @param {Record<string, Service>} services
 * @param {LoadOptions['serverCores']} cores
 */
function requireBoth(services, cores) {
  const works = Object.values(services).some(({ workShare = 0 }) => workShare > 0);
  if (works && cores === undefined) {
    throw new Error('A --service with work needs --server-cores N: how many cores of the server the queries share');
  }
  if (!works && typeof cores === 'number') {
    throw new Error(`--server-cores ${cores} needs a --service with work, such as --service /report=work:32`);
  }
}

/** @param {string} file */
async function readInputs(file) {
  // The module knows all experiments: loading it takes longer than reading a recording.
  const { readResult } = await import('./result-file.js');
  const { result } = await readResult(file);
  try {
    return servicesOfResult(result);
  } catch (cause) {
    throw new Error(`--from ${file}: ${/** @type {Error} */ (cause).message}`, { cause });
  }
}

/**
 * @param {string} text URL
 * @returns {Promise<{ url: string, services: Record<string, Service>, overhead?: Service, pool?: AppPool }>}
 */
async function readApp(text) {
  const app = { ...parseAppUrl('--app', text), hint: `\n${HOW_TO_WATCH}` };
  const body = await askApp(app, (client) => client.snapshot());
  try {
    const services = servicesOfApp(body);
    const overhead = overheadOfApp(body);
    const { settings: pool } = body;
    if (pool !== undefined) checkAppPool(pool, 'its GET /pool, settings');
    return { url: app.url, services, overhead: overhead && addRoundTrips(overhead, await timeRoundTrips(app)), pool };
  } catch (cause) {
    throw new Error(`--app ${app.url}: ${/** @type {Error} */ (cause).message}`, { cause });
  }
}

/**
 * The app does not see what its client does and the way between the two.
 *
 * @param {Service} overhead in the app
 * @param {number[]} tripsMs
 * @returns {Service}
 */
function addRoundTrips(overhead, tripsMs) {
  if (overhead.kind !== 'sample' || tripsMs.length === 0) return overhead;
  const valuesMs = Array.from(overhead.valuesMs, (ms, index) => ms + tripsMs[index % tripsMs.length]);
  return { kind: 'sample', valuesMs };
}
