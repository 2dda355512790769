import {
  createRunSimulator,
  createScenarioLoad,
  hideUncertain,
  judgeTrust,
  openRecording,
  parseServices,
  poolOfApp,
  predict,
  readTraceText,
  parseYaml,
  createWorkload,
} from 'mongodb-pool-predictor';
import { checkAppPool } from '../../lab/predictions/app-pool.js';
import { explainHidden } from '../../lab/predictions/explain-check.js';

/** @import { AppPool, Load, Service, Trust } from 'mongodb-pool-predictor' */
/** @import { Trip } from 'mongodb-pool-page/page/traffic-picture.js' */

/** More vehicles than anyone watches. */
export const MAX_SHOWN = 20_000;
/** Keeping each request of a larger load takes too long. */
const MAX_WATCHED = 200_000;

/**
 * What a screen simulates: a scenario with its service times, or a trace.
 *
 * @typedef {object} Preset
 * @property {string} [yaml] an Artillery scenario
 * @property {string} [trace] instead of it: the text of a trace
 * @property {string[]} [services] as for `pool-lab predict --service`
 * @property {number} [cores] of the server, for services with work
 * @property {number[]} poolSizes ascending
 * @property {number} pool the size that is shown in the tunnel, one of them
 * @property {Omit<AppPool, 'poolSize'>} [limits]
 *
 * @typedef {Awaited<ReturnType<typeof predict>>
 *   & { simulated: { requests: number, tookMs: number }, warnings: string[] }} Prediction
 *
 * @typedef {object} Input
 * @property {Load} load
 * @property {Record<string, Service>} services by route
 * @property {Service} [overhead]
 * @property {AppPool} [recordedPool] the settings of a recorded app
 * @property {() => Trust} [judge] how far predictions from a recording can be trusted
 * @property {string[]} warnings
 */

/**
 * The figures of each pool size, the same as `pool-lab predict` prints for the same input.
 *
 * @param {Preset} preset
 * @returns {Promise<Prediction>}
 */
export async function predictPreset(preset) {
  const { warnings, judge, ...input } = await readPreset(preset);
  const trust = judge?.();
  const simulated = { requests: 0, tookMs: 0 };
  const beganAtMs = performance.now();
  const simulateRun = createRunSimulator(input);
  const prediction = await predict({
    ...input,
    poolSizes: preset.poolSizes,
    widen: trust?.widen,
    poolOf: (poolSize) => poolOfApp({ ...input.recordedPool, ...preset.limits, poolSize }),
    async simulateRuns(runs, onRun = () => {}) {
      return runs.map((run) => {
        const result = simulateRun(run);
        simulated.requests += result.requests;
        onRun();
        return result;
      });
    },
  });
  simulated.tookMs = performance.now() - beganAtMs;
  if (!trust) return { ...prediction, simulated, warnings };
  const { variants, hidden } = hideUncertain(trust, prediction.variants);
  return { ...prediction, variants, simulated, warnings: [...warnings, ...hidden.map(explainHidden)] };
}

/**
 * The first requests of one run, for the tunnel.
 *
 * @param {Preset} preset
 * @returns {Promise<{ trips: Trip[], lanes: number, endMs: number, isCut: boolean }>} trips in the order of their
 *   arrival; lanes: of all clients together
 */
export async function watchPreset(preset) {
  const { recordedPool, ...input } = await readPreset(preset);
  const pool = poolOfApp({ ...recordedPool, ...preset.limits, poolSize: preset.pool });
  const run = { pool, seed: 1, factor: 1 };
  const { requests } = createRunSimulator(input)(run);
  const lanes = pool.maxPoolSize;
  if (requests > MAX_WATCHED) return { trips: [], lanes, endMs: 0, isCut: true };
  const { records = [] } = createRunSimulator({ ...input, keepRequests: true })(run);
  const trips = records
    .map(({ route, arrivedAtMs, startedAtMs, finishedAtMs, outcome }) => ({
      route,
      arrivedAtMs,
      startedAtMs,
      finishedAtMs,
      outcome,
    }))
    .sort((a, b) => a.arrivedAtMs - b.arrivedAtMs)
    .slice(0, MAX_SHOWN);
  return {
    trips,
    lanes,
    isCut: records.length > trips.length,
    endMs: trips.reduce((end, { finishedAtMs }) => Math.max(end, finishedAtMs), 0),
  };
}

/**
 * @param {Preset} preset
 * @returns {Promise<Input>}
 * @throws {Error} saying what is wrong with the scenario or the trace
 */
async function readPreset({ yaml = '', trace, services = [], cores }) {
  if (trace !== undefined) return readRecording(trace, cores);
  const { warnings, ...workload } = readYaml(yaml);
  const load = createScenarioLoad(workload, { workers: 1, server: cores ? { cores } : undefined });
  const given = parseServices(services);
  const missing = load.routes.filter((route) => !Object.hasOwn(given, route));
  if (missing.length > 0) throw new Error(`There is no service time for ${missing.join(', ')}`);
  return {
    load,
    services: Object.fromEntries(load.routes.map((route) => [route, given[route]])),
    warnings: warnings.map(({ line, message }) => `Line ${line}: ${message}`),
  };
}

/** As `pool-lab predict --trace` does. @param {string} text @param {number} [cores] */
async function readRecording(text, cores) {
  const recorded = await readTraceText(text);
  if (recorded.header.pool !== undefined) checkAppPool(recorded.header.pool, 'pool');
  const recording = openRecording([recorded], { serverCores: cores });
  const { trace, load, overhead, settings } = recording;
  const judge = () => judgeTrust({ ...recording, serverCores: cores }, null);
  return { load, services: load.services, overhead, recordedPool: settings, warnings: trace.warnings, judge };
}

/** @param {string} yaml */
function readYaml(yaml) {
  const file = 'The scenario';
  return createWorkload(parseYaml(yaml, file), { file });
}

/** The routes of a scenario, to ask for their service times. @param {string} yaml @returns {string[]} */
export function listRoutesOf(yaml) {
  return createScenarioLoad(readYaml(yaml)).routes;
}
