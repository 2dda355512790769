import { createScenarioLoad, createTraceLoad, parseServices, servicesOfApp } from 'mongodb-pool-predictor';
import { readScenario, readTrace } from 'mongodb-pool-predictor/node';
import { WORKERS } from '../harness/artillery.js';
import { servicesOfResult } from '../predictions/result-services.js';
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
 * @property {string[]} [service]
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
    .option('--service <route=time>', 'service time of a route in ms: /slow=5000,\n'
      + '/x=exponential:MEAN or /x=lognormal:MEDIAN,SIGMA; repeatable', collect(String))
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
async function readTraceLoad(file, { resample, environment, service, from, app }) {
  if (environment ?? service ?? from ?? app) {
    throw new Error('--environment, --service, --from and --app need a scenario: '
      + 'a trace has its own service times');
  }
  const trace = await readTrace(file);
  const load = createTraceLoad(trace, { resample });
  const settings = { trace: file, recorded: trace.header };
  return { load, services: load.services, warnings: trace.warnings, settings, trace };
}

/** @param {string} scenario file @param {LoadOptions} options @returns {Promise<LoadInput>} */
async function readScenarioLoad(scenario, { environment, service = [], from, app, workers }) {
  const given = parseServices(service);
  const workload = await readScenario(scenario, { environment });
  const load = createScenarioLoad(workload, { workers });
  const known = {
    ...(from && await servicesOfFile(from)),
    ...(app && await servicesAt(app)),
    ...given,
  };
  const unknown = Object.keys(given).find((route) => !load.routes.includes(route));
  if (unknown) throw new Error(`--service ${unknown}: the load has no such route, only ${load.routes.join(', ')}`);
  const services = pickServices(load.routes, known);
  const warnings = workload.warnings.map(({ line, message }) => `${scenario}, line ${line}: ${message}`);
  if (workers > 1 && workload.phases.some(({ arrivalRate }) => arrivalRate)) {
    warnings.push(`${workers} worker threads share each arrivalRate, as Artillery does on this machine, so users arrive `
      + 'in bunches. --workers 1 spaces them evenly. arrivalCount is spaced evenly on every machine.');
  }
  return { load, services, warnings, settings: { scenario, environment, services, workers } };
}

/** @param {string[]} routes @param {Record<string, Service>} known @returns {Record<string, Service>} */
function pickServices(routes, known) {
  const missing = routes.filter((route) => !known[route]);
  if (missing.length > 0) {
    throw new Error(`There is no service time for ${missing.join(', ')}: give ${
      missing.map((route) => `--service ${route}=MS`).join(' ')}, or take them from a running app (--app URL) or an `
      + 'earlier run (--from RESULT.json)');
  }
  return Object.fromEntries(routes.map((route) => [route, known[route]]));
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
