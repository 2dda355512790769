import { readFile } from 'node:fs/promises';
import os from 'node:os';
import { servicesOfApp, servicesOfResult } from '../predict/known-services.js';
import { createScenarioLoad } from '../predict/load.js';
import { parseServices } from '../predict/parse-service.js';
import { readScenario } from '../predict/read-scenario.js';
import { collect, parsePositive } from './options.js';

/** @import { Command } from 'commander' */
/** @import { Load } from '../predict/load.js' */
/** @import { Service } from '../predict/service-time.js' */

/** Artillery's own choice: a worker thread for each processor but one. */
const WORKERS = Math.max(1, os.cpus().length - 1);

/** How long to wait for a running app's answer. */
const APP_TIMEOUT_MS = 5000;

/**
 * @typedef {object} LoadOptions
 * @property {string} [scenario] file
 * @property {string} [environment]
 * @property {string[]} [service]
 * @property {string} [from]
 * @property {string} [app]
 * @property {number} workers
 *
 * @typedef {object} KnownLoad
 * @property {Load} load
 * @property {Record<string, Service>} services
 * @property {string[]} warnings
 * @property {Record<string, unknown>} settings what to record of it
 */

/**
 * The options that say what load comes, and how long its queries take.
 * @param {Command} command
 */
export function withLoadOptions(command) {
  return command
    .option('--environment <name>', "one of the scenario's environments")
    .option('--service <route=time>', 'how long a query of a route takes, in ms: /slow=5000,\n'
      + '/x=exponential:MEAN or /x=lognormal:MEDIAN,SIGMA; repeatable', collect(String))
    .option('--app <url>', 'a running app that tells service times at GET /pool')
    .option('--from <result>', 'result file of `run mixed` to take service times from')
    .option('--workers <n>', "Artillery's worker threads, over which it splits an\narrivalRate", parsePositive, WORKERS);
}

/**
 * @param {LoadOptions} options
 * @returns {Promise<KnownLoad>}
 * @throws {Error} for a scenario that can't be read, or a route without a service time
 */
export async function readLoad({ scenario, environment, service = [], from, app, workers }) {
  const given = parseServices(service);
  if (!scenario) throw new Error('There is no load: give --scenario FILE');
  const workload = await readScenario(scenario, { environment });
  const load = createScenarioLoad(workload, { workers });
  const known = {
    ...(from && servicesOfFile(await readJson(from), from)),
    ...(app && await servicesAt(app)),
    ...given,
  };
  const stray = Object.keys(given).find((route) => !load.routes.includes(route));
  if (stray) throw new Error(`--service ${stray}: the load has no such route, only ${load.routes.join(', ')}`);
  const services = pickServices(load.routes, known);
  const warnings = workload.warnings.map(({ line, message }) => `${scenario}, line ${line}: ${message}`);
  if (workers > 1 && workload.phases.some(({ arrivalRate }) => arrivalRate)) {
    warnings.push(`arrivalRate is split over ${workers} worker threads, as Artillery does on this machine: users come in `
      + 'bunches. --workers 1 spaces them evenly, and arrivalCount does so everywhere.');
  }
  return { load, services, warnings, settings: { scenario, environment, services, workers } };
}

/**
 * @param {string[]} routes
 * @param {Record<string, Service>} known
 * @returns {Record<string, Service>}
 */
function pickServices(routes, known) {
  const missing = routes.filter((route) => !known[route]);
  if (missing.length > 0) {
    throw new Error(`There is no service time for ${missing.join(', ')}: give ${
      missing.map((route) => `--service ${route}=MS`).join(' ')}, or take them from a running app (--app URL) or an `
      + 'earlier run (--from RESULT.json)');
  }
  return Object.fromEntries(routes.map((route) => [route, known[route]]));
}

/** @param {any} result @param {string} file */
function servicesOfFile(result, file) {
  try {
    return servicesOfResult(result);
  } catch (cause) {
    throw new Error(`--from ${file}: ${/** @type {Error} */ (cause).message}`, { cause });
  }
}

/** @param {string} file */
async function readJson(file) {
  const text = await readFile(file, 'utf8').catch((cause) => {
    throw new Error(`${file} can't be read: ${cause.message}`, { cause });
  });
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new Error(`${file} is not JSON: ${/** @type {Error} */ (cause).message}`, { cause });
  }
}

/** @param {string} url */
async function servicesAt(url) {
  try {
    const response = await fetch(new URL('/pool', url), {
      headers: { Accept: 'application/json' }, signal: AbortSignal.timeout(APP_TIMEOUT_MS),
    });
    if (!response.ok) throw new Error(`its GET /pool answered HTTP ${response.status}`);
    return servicesOfApp(await response.json());
  } catch (cause) {
    const { message, cause: reason } = /** @type {Error} */ (cause);
    throw new Error(`--app ${url}: ${reason instanceof Error ? reason.message : message}`, { cause });
  }
}
