import {
  createScenarioLoad,
  overheadOfApp,
  openRecording,
  parseQueries,
  parseServices,
  servicesOfApp,
} from 'mongodb-pool-predictor';
import { readScenario } from 'mongodb-pool-predictor/node';
import { WORKERS } from '../../src/load-tests/artillery.js';
import { foreseeLostUsers } from '../harness/loads/artillery-load.js';
import { checkAppPool } from '../predictions/app-pool.js';
import { describeCallers } from '../predictions/describe-callers.js';
import {
  describeCoverage,
  describeMissing,
  describeOpenings,
  describePick,
  describeSharing,
  describeTraceQueries,
  describeTraceRoutes,
} from '../predictions/describe-input.js';
import { servicesOfResult } from '../predictions/result-services.js';
import { matchServices } from './match-services.js';
import { readShown } from './progress-bar.js';
import { HOW_TO_WATCH, askApp, parseAppUrl, timeRoundTrips } from './running-app.js';
import { collect, parseCores, parseUpTo, parseVariables } from './option-parsers.js';
import { readJson } from '../base/read-json.js';
import { toResult } from './result-file.js';

/** @import { Command } from 'commander' */
/** @import { AppPool, Load, RecordedTrace, Service } from 'mongodb-pool-predictor' */
/** @import { Trace } from 'mongodb-pool-predictor/node' */
/** @import { KnownPool } from '../predictions/app-pool.js' */

/** Artillery reports response times in whole milliseconds. */
const RESOLUTION_MS = 1;
/**
 * What Artillery and the app take from the end of a query to the same user's next one. Measured with `run mixed`'s app
 * on two cores that were idle otherwise, between a user's /slow and /fast: at least 3.5 ms, the median of 80 users 5.1.
 */
const TURNAROUND_MS = 5;
/** More threads than any machine has. */
const MAX_WORKERS = 1024;

/**
 * @typedef {object} LoadOptions
 * @property {string[]} [scenario] files, merged into the first
 * @property {string[]} [trace] files; the first is replayed
 * @property {string} [client] whose pool is predicted; see pickPool
 * @property {string} [process]
 * @property {string} [check] file of another trace
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
 * @property {Record<string, Service>} services
 * @property {Service} [overhead] what a response takes beyond wait and service time, where it is known
 * @property {number} resolutionMs of the client's clock; 0: exact
 * @property {KnownPool} [pool] the app's settings, where they are known
 * @property {string[]} [about] which of several pools it is
 * @property {string[]} notes what the figures cover
 * @property {string[]} warnings
 * @property {Record<string, unknown>} settings for the result
 * @property {Trace} [trace]
 * @property {Trace[]} [others] the same pool, in the other traces
 */

/** Adds the options of `artillery run` that a scenario needs. @param {Command} command */
export function withScenarioOptions(command) {
  return command
    .option('--environment <name>', 'environment of the scenario')
    .option('-c, --config <file>', 'file with the config of the scenario')
    .option('-v, --variables <json>', `variables of the scenario, such as '{"rate": 5}'`, parseVariables);
}

/** Adds the options for the load and its service times. @param {Command} command */
export function withLoadOptions(command) {
  return withScenarioOptions(command)
    .option(
      '--trace <file>',
      'replay a trace instead of a scenario; more of them, from pools of other sizes, show how queries ' +
        'slow each other down',
      collect(String),
    )
    .option('--client <name>', 'of a trace with several pools: the client to predict')
    .option('--process <pid>', 'of a trace with several processes: the one to predict')
    .option('--check <trace>', 'check --trace: does it predict this recording of the same load at another pool size?')
    .option('--skip-functions', 'leave out the function steps of the scenario: what their code does is not simulated')
    .option(
      '--service <route=time>',
      'service time of a query in ms: /slow=5000,\n' +
        '/x=exponential:MEAN or /x=lognormal:MEDIAN,SIGMA;\n' +
        "'/orders=12+30|40+5' for queries in turn, two at once;\n" +
        '/livez=none for a route without queries;\n' +
        "/report=work:32 for work that the server's cores do;\nrepeatable",
      collect(String),
    )
    .option(
      '--server-cores <n>',
      'cores that queries share; none: they never slow each other down (default: as the trace shows)',
      parseCores,
    )
    .option(
      '--queries <route=n>',
      'queries of each request, one after another:\n/orders=3; repeatable',
      collect(String),
    )
    .option('--app <url>', 'take service times, overhead and pool settings from a running app (GET /pool)')
    .option('--from <result>', 'take service times and overhead from a result of `run mixed`')
    .option(
      '--workers <n>',
      "Artillery's worker threads, which share each arrivalRate",
      parseUpTo(MAX_WORKERS),
      WORKERS,
    );
}

/**
 * @param {LoadOptions} options
 * @returns {Promise<LoadInput>}
 * @throws {Error} unless there is exactly one load; for a file that can't be read; for a route without a service time
 */
export async function readLoad({ trace: traces = [], ...options }) {
  const { scenario = [] } = options;
  if (scenario.length > 0 && traces.length > 0) throw new Error('Give either a scenario or --trace, not both');
  if ((options.client ?? options.process) !== undefined && traces.length === 0)
    throw new Error('--client and --process need --trace: a scenario has one pool');
  if (options.check !== undefined && traces.length === 0)
    throw new Error('--check needs --trace: a scenario has nothing recorded');
  if (traces.length > 0) return readTraceLoad(traces, options);
  if (scenario.length > 0) return readScenarioLoad(scenario, options);
  throw new Error(
    'Nothing to predict: pass an Artillery scenario, such as loadtests/mixed.yaml, or --trace FILE (pool-lab record)',
  );
}

/** @param {string[]} files @param {LoadOptions} options @returns {Promise<LoadInput>} */
async function readTraceLoad(
  files,
  { environment, config, variables, skipFunctions, service, queries, from, app, ...options },
) {
  if (environment ?? config ?? variables ?? skipFunctions ?? service ?? queries ?? from ?? app) {
    throw new Error(
      '--environment, --config, --variables, --skip-functions, --service, --queries, --from and --app need a ' +
        'scenario: a trace has its own service times',
    );
  }
  const traces = [];
  for (const file of files) traces.push(await readShown(file));
  return loadTraces(traces, options);
}

/**
 * @param {RecordedTrace[]} traces the first is replayed
 * @param {Pick<LoadOptions, 'client' | 'process' | 'serverCores'>} options
 * @returns {LoadInput & { trace: Trace }}
 */
function loadTraces(traces, options) {
  const [first, ...otherTraces] = traces;
  checkHeader(first);
  const { picked, trace, load, overhead, settings: pool, others } = openRecording(traces, options);
  return {
    load,
    services: load.services,
    overhead,
    resolutionMs: 0,
    trace,
    pool: pool && { settings: pool, app: 'the recorded app' },
    about: describePick(picked),
    notes: [
      describeCallers(load.callers),
      ...describeSharing(trace, load),
      load.isMeasured
        ? 'The times are whole responses, from the start of a request to its end, as the app saw them.'
        : describeCoverage(overhead, 'in the recorded app', 'A trace by `pool-lab record` shows'),
      ...describeTraceQueries(trace),
      ...describeOpenings(trace),
      ...describeTraceRoutes(trace.routes),
      ...describeMissing(first),
    ],
    others,
    warnings: [trace, ...others].flatMap(({ warnings }) => warnings),
    settings: {
      trace: first.file,
      ...(others.length > 0 && { otherTraces: otherTraces.map(({ file }) => file) }),
      recorded: trace.header,
      serverCores: options.serverCores,
    },
  };
}

/** @param {RecordedTrace} trace @throws {Error} if the settings in its header are none */
function checkHeader({ file, version, header: { pool } }) {
  try {
    // From version 3 on, each pool has its own size. An app that closes its clients at once has none to name.
    const sizes = version >= 3 ? { poolSize: 0 } : {};
    if (pool !== undefined) checkAppPool({ ...sizes, .../** @type {object} */ (pool) }, 'pool');
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
    services,
    overhead,
    pool: running?.pool && { settings: running.pool, app: `the app at ${running.url}` },
    // A load test measures with this clock.
    resolutionMs: overhead ? RESOLUTION_MS : 0,
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
  const json = await readJson(file);
  if (Object(json).lab === 'calibrate') {
    throw new Error(
      `--from ${file}: calibrations are no longer read. Pass the times and cores in it as options instead, such as ` +
        '--service /report=work:32 --server-cores 2',
    );
  }
  const { result } = toResult(json, file);
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
