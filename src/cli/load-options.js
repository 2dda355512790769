import {
  createScenarioLoad, createTraceLoad, listQueries, overheadOfApp, parseQueries, parseServices, servicesOfApp, shareServer,
} from 'mongodb-pool-predictor';
import { readScenario, readServiceTimes, readTrace } from 'mongodb-pool-predictor/node';
import { RESOLUTION_MS, WORKERS } from '../harness/artillery.js';
import { foreseeLostUsers } from '../harness/sent-users.js';
import { checkAppPool, poolOfApp, separateRoutes } from '../predictions/app-pool.js';
import { describeCallers } from '../predictions/describe-callers.js';
import { describeCoverage, describeTraceQueries, describeTraceRoutes } from '../predictions/describe-input.js';
import { describeSharing } from '../predictions/describe-server.js';
import { servicesOfResult } from '../predictions/result-services.js';
import { matchServices } from './match-services.js';
import { fetchJson, parseAppUrl, timeRoundTrips } from './running-app.js';
import { collect, parseCores, parseUpTo } from './option-parsers.js';
import { readJson, toResult } from './result-file.js';

/** @import { Command } from 'commander' */
/** @import { Load, PoolOptions, Service } from 'mongodb-pool-predictor' */
/** @import { Trace } from 'mongodb-pool-predictor/node' */
/** @import { AppPool, KnownPool } from '../predictions/app-pool.js' */

/** More threads than any machine has. */
const MAX_WORKERS = 1024;

/**
 * @typedef {object} LoadOptions
 * @property {string} [scenario] file
 * @property {string[]} [trace] files; the first is replayed
 * @property {number | 'none'} [serverCores]
 * @property {boolean} [resample] see createTraceLoad
 * @property {string} [environment]
 * @property {boolean} [skipFunctions]
 * @property {string[]} [service]
 * @property {string[]} [queries]
 * @property {string} [serviceLog] file
 * @property {string} [from]
 * @property {string} [app]
 * @property {number} workers
 *
 * @typedef {object} LoadInput
 * @property {Load} load
 * @property {Record<string, Service>} services
 * @property {Service} [overhead] what a response takes beyond wait and service time, where it is known
 * @property {number} resolutionMs of the client's clock; 0: exact
 * @property {KnownPool} [pool] the app's settings, where they are known
 * @property {string[]} notes what the figures cover
 * @property {string[]} warnings
 * @property {Record<string, unknown>} settings for the result
 * @property {Trace} [trace]
 */

/** Adds the options for the load and its service times. @param {Command} command */
export function withLoadOptions(command) {
  return command
    .option('--trace <file>', "replay a trace instead of a scenario, or an\nOpenTelemetry export, a CSV file or MongoDB's log;\n"
      + 'more of them, from pools of other sizes, show how\nqueries slow each other down', collect(String))
    .option('--environment <name>', 'environment of the scenario')
    .option('--skip-functions', 'leave out the function steps of the scenario:\nwhat their code does is not simulated')
    .option('--service <route=time>', 'service time of a query in ms: /slow=5000,\n'
      + '/x=exponential:MEAN or /x=lognormal:MEDIAN,SIGMA;\n/livez=none for a route without queries;\n/report=work:32 for work that the server\'s cores do;\nrepeatable', collect(String))
    .option('--server-cores <n>', 'cores that queries share; none: they never slow each\nother down (default: as the trace shows)', parseCores)
    .option('--queries <route=n>', 'queries of each request, one after another:\n/orders=3; repeatable', collect(String))
    .option('--service-log <file>', "MongoDB's log or a trace, for service times such as\n/x=log:find shop.orders")
    .option('--app <url>', 'take service times, overhead and pool settings from a\nrunning app (GET /pool)')
    .option('--from <result>', 'take service times and overhead from a result of\n`run mixed`, or service times and cores from one of\n`calibrate`')
    .option('--workers <n>', "Artillery's worker threads, which share each\narrivalRate",
      parseUpTo(MAX_WORKERS), WORKERS);
}

/**
 * @param {LoadOptions} options
 * @returns {Promise<LoadInput>}
 * @throws {Error} unless there is exactly one load; for a file that can't be read; for a route without a service time
 */
export async function readLoad({ trace: traces = [], ...options }) {
  const { scenario } = options;
  if (scenario && traces.length > 0) throw new Error('There are two loads, a scenario and a trace: give only one');
  if (traces.length > 0) return readTraceLoad(traces, options);
  if (scenario) return readScenarioLoad(scenario, options);
  throw new Error('There is no load: give an Artillery scenario, or --trace FILE');
}

/** @param {string[]} files @param {LoadOptions} options @returns {Promise<LoadInput>} */
async function readTraceLoad(files, { resample, environment, skipFunctions, service, serviceLog, queries, from, app, serverCores }) {
  if (environment ?? skipFunctions ?? service ?? serviceLog ?? queries ?? from ?? app) {
    throw new Error('--environment, --skip-functions, --service, --service-log, --queries, --from and --app need a scenario: '
      + 'a trace has its own service times');
  }
  const [file, ...otherFiles] = files;
  const [recorded, ...others] = await Promise.all(files.map((name) => readTrace(name)));
  const { pool, overhead } = readHeader(recorded.header, file);
  const separate = pool && separateRoutes(pool);
  const trace = serverCores === 'none' ? recorded : shareServer([recorded, ...others], {
    cores: serverCores, pool: recordedPool(recorded, pool), separateRoutes: separate,
  });
  const load = createTraceLoad(trace, { resample, separateRoutes: separate });
  return {
    load, services: load.services, overhead, resolutionMs: 0, trace,
    pool: pool && { settings: pool, app: 'the recorded app' },
    notes: [
      describeCallers(load.callers),
      ...describeSharing(trace, load),
      describeCoverage(overhead, 'in the recorded app', 'A trace by `pool-lab record` tells'),
      ...describeTraceQueries(trace),
      ...describeTraceRoutes(trace.routes),
    ],
    warnings: [trace, ...others].flatMap(({ warnings }) => warnings),
    settings: { trace: file, ...(others.length > 0 && { otherTraces: otherFiles }), recorded: trace.header, serverCores },
  };
}

/** @param {Record<string, any>} header of a trace @param {string} file @returns {{ pool?: AppPool, overhead?: Service }} */
function readHeader({ pool, overhead }, file) {
  try {
    if (pool !== undefined) checkAppPool(pool, 'pool');
    return { pool, overhead };
  } catch (cause) {
    throw new Error(`${file}, line 1: ${/** @type {Error} */ (cause).message}`, { cause });
  }
}

/** @param {Trace} trace @param {AppPool} [settings] @returns {PoolOptions | undefined} undefined where the size is unknown */
function recordedPool({ header: { maxPoolSize } }, settings) {
  if (typeof maxPoolSize !== 'number' || maxPoolSize === 0) return undefined;
  return settings ? poolOfApp({ ...settings, poolSize: maxPoolSize }) : { maxPoolSize };
}

/** @param {string} scenario file @param {LoadOptions} options @returns {Promise<LoadInput>} */
async function readScenarioLoad(scenario, {
  environment, skipFunctions, service = [], serviceLog, queries = [], from, app, workers, serverCores,
}) {
  const log = serviceLog === undefined ? undefined : await readLog(serviceLog, service);
  const [given, counts] = [parseServices(service, log?.times), parseQueries(queries)];
  const workload = await readScenario(scenario, { environment, skipFunctions });
  const earlier = from === undefined ? undefined : await readInputs(from);
  const cores = serverCores ?? earlier?.serverCores;
  const load = createScenarioLoad(workload, { workers, server: typeof cores === 'number' ? { cores } : undefined });
  const running = app === undefined ? undefined : await askApp(app);
  const overhead = running?.overhead ?? earlier?.overhead;
  const source = running?.overhead ? `of the app at ${running.url}` : `in ${from}`;
  const { services, warnings: unclear } = matchServices({ routes: load.routes, requests: workload.requests },
    { given, measured: { ...earlier?.services, ...running?.services }, queries: counts });
  requireBoth(services, cores);
  const warnings = [
    ...workload.warnings.map(({ line, message }) => `${scenario}, line ${line}: ${message}`),
    ...log?.warnings ?? [],
    ...unclear,
    ...foreseeLostUsers(workload, workers).map((message) => `${scenario}, ${message}.`),
  ];
  if (workers > 1 && workload.phases.some(({ arrivalRate }) => arrivalRate)) {
    warnings.push(`${workers} worker threads share each arrivalRate, as Artillery does on this machine, so users arrive `
      + 'in bunches. --workers 1 spaces them evenly. arrivalCount is spaced evenly on every machine.');
  }
  return {
    load, services, overhead,
    pool: running?.pool && { settings: running.pool, app: `the app at ${running.url}` },
    // A load test measures with this clock.
    resolutionMs: overhead ? RESOLUTION_MS : 0,
    notes: [describeCoverage(overhead, source)],
    warnings,
    settings: { scenario, environment, skipFunctions, services, workers, overhead, pool: running?.pool, serverCores: cores },
  };
}

/** Work needs cores, and cores need work. @param {Record<string, Service>} services @param {LoadOptions['serverCores']} cores */
function requireBoth(services, cores) {
  const works = Object.values(services).some(({ workShare = 0 }) => workShare > 0);
  if (works && cores === undefined) {
    throw new Error('A --service with work needs --server-cores N: how many cores of the server the queries share');
  }
  if (!works && typeof cores === 'number') {
    throw new Error(`--server-cores ${cores} needs a --service with work, such as --service /report=work:32`);
  }
}

/** @param {string} file @param {string[]} services as given */
async function readLog(file, services) {
  const log = await readServiceTimes(file);
  if (services.some((service) => service.includes('=log:'))) return log;
  throw new Error(`--service-log ${file}: no service time uses it. Add --service '/route=log:QUERY'. It has ${listQueries(log.times)}`);
}

/** @param {string} file */
async function readInputs(file) {
  const json = await readJson(file);
  const result = Object(json).lab === 'calibrate' ? json : toResult(json, file).result;
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
async function askApp(text) {
  const app = parseAppUrl('--app', text);
  const body = await fetchJson(app, '/pool');
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
  return { kind: 'sample', valuesMs: Array.from(overhead.valuesMs, (ms, index) => ms + tripsMs[index % tripsMs.length]) };
}
