import { createScenarioLoad, createTraceLoad, parseQueries, parseServices, servicesOfApp } from 'mongodb-pool-predictor';
import { readScenario, readTrace } from 'mongodb-pool-predictor/node';
import { WORKERS } from '../harness/artillery.js';
import { servicesOfResult } from '../predictions/result-services.js';
import { matchServices } from './match-services.js';
import { fetchJson, parseAppUrl } from './running-app.js';
import { collect, parseUpTo } from './option-parsers.js';
import { readResult } from './result-file.js';

/** @import { Command } from 'commander' */
/** @import { Load, Service } from 'mongodb-pool-predictor' */
/** @import { Trace } from 'mongodb-pool-predictor/node' */

/** More threads than any machine has. */
const MAX_WORKERS = 1024;

/**
 * @typedef {object} LoadOptions
 * @property {string} [scenario] file
 * @property {string} [trace] file
 * @property {boolean} [resample] see createTraceLoad
 * @property {string} [environment]
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
 * @property {string[]} warnings
 * @property {Record<string, unknown>} settings for the result
 * @property {Trace} [trace]
 */

/** Adds the options for the load and its service times. @param {Command} command */
export function withLoadOptions(command) {
  return command
    .option('--trace <file>', 'replay a trace instead of a scenario')
    .option('--environment <name>', 'environment of the scenario')
    .option('--skip-functions', 'leave out the function steps of the scenario:\nwhat their code does is not simulated')
    .option('--service <route=time>', 'service time of a query in ms: /slow=5000,\n'
      + '/x=exponential:MEAN or /x=lognormal:MEDIAN,SIGMA;\n/livez=none for a route without queries; repeatable', collect(String))
    .option('--queries <route=n>', 'queries of each request, one after another:\n/orders=3; repeatable', collect(String))
    .option('--app <url>', 'take service times from a running app (GET /pool)')
    .option('--from <result>', 'take service times from a result of `run mixed`')
    .option('--workers <n>', "Artillery's worker threads, which share each\narrivalRate",
      parseUpTo(MAX_WORKERS), WORKERS);
}

/**
 * @param {LoadOptions} options
 * @returns {Promise<LoadInput>}
 * @throws {Error} unless there is exactly one load; for a file that can't be read; for a route without a service time
 */
export async function readLoad({ trace, ...options }) {
  const { scenario } = options;
  if (scenario && trace) throw new Error('There are two loads, a scenario and a trace: give only one');
  if (trace) return readTraceLoad(trace, options);
  if (scenario) return readScenarioLoad(scenario, options);
  throw new Error('There is no load: give an Artillery scenario, or --trace FILE');
}

/** @param {string} file @param {LoadOptions} options @returns {Promise<LoadInput>} */
async function readTraceLoad(file, { resample, environment, skipFunctions, service, queries, from, app }) {
  if (environment ?? skipFunctions ?? service ?? queries ?? from ?? app) {
    throw new Error('--environment, --skip-functions, --service, --queries, --from and --app need a scenario: '
      + 'a trace has its own service times');
  }
  const trace = await readTrace(file);
  const load = createTraceLoad(trace, { resample });
  const settings = { trace: file, recorded: trace.header };
  return { load, services: load.services, warnings: trace.warnings, settings, trace };
}

/** @param {string} scenario file @param {LoadOptions} options @returns {Promise<LoadInput>} */
async function readScenarioLoad(scenario, {
  environment, skipFunctions, service = [], queries = [], from, app, workers,
}) {
  const [given, counts] = [parseServices(service), parseQueries(queries)];
  const workload = await readScenario(scenario, { environment, skipFunctions });
  const load = createScenarioLoad(workload, { workers });
  const measured = { ...(from && await servicesOfFile(from)), ...(app && await servicesAt(app)) };
  const { services, warnings: unclear } = matchServices(
    { routes: load.routes, requests: workload.requests }, { given, measured, queries: counts });
  const warnings = [...workload.warnings.map(({ line, message }) => `${scenario}, line ${line}: ${message}`), ...unclear];
  if (workers > 1 && workload.phases.some(({ arrivalRate }) => arrivalRate)) {
    warnings.push(`${workers} worker threads share each arrivalRate, as Artillery does on this machine, so users arrive `
      + 'in bunches. --workers 1 spaces them evenly. arrivalCount is spaced evenly on every machine.');
  }
  return { load, services, warnings, settings: { scenario, environment, skipFunctions, services, workers } };
}

/** @param {string} file */
async function servicesOfFile(file) {
  const { result } = await readResult(file);
  try {
    return servicesOfResult(result);
  } catch (cause) {
    throw new Error(`--from ${file}: ${/** @type {Error} */ (cause).message}`, { cause });
  }
}

/** @param {string} text */
async function servicesAt(text) {
  const app = parseAppUrl('--app', text);
  const pool = await fetchJson(app, '/pool');
  try {
    return servicesOfApp(pool);
  } catch (cause) {
    throw new Error(`--app ${app.url}: ${/** @type {Error} */ (cause).message}`, { cause });
  }
}
