// The 40 loads that the rules are tried on: those of the lessons and the seeds' experiments, recordings of the corpus,
// and random ones.
import path from 'node:path';
import {
  createRandom,
  createRunSimulator,
  createScenarioLoad,
  judgeTrust,
  meanServiceMs,
  openRecording,
  UNLIMITED,
} from 'mongodb-pool-predictor';
import { readScenario, readTrace } from 'mongodb-pool-predictor/node';
import { mean } from 'mongodb-pool-predictor/statistics';
import { slugOf } from '../../benchmarks/predicted-vs-measured/recorded-loads.js';
import { CORPUS, TRACE_END } from '../corpus/recordings.js';

/** @import { Load, Service, Trust } from 'mongodb-pool-predictor' */

/**
 * @typedef {object} TriedLoad
 * @property {string} name
 * @property {string} source of the load: lesson, corpus or random
 * @property {Load} load
 * @property {Record<string, Service>} services by route
 * @property {Service} [overhead]
 * @property {Trust['widen']} [widen]
 * @property {boolean} isOfCallers most requests come from callers who wait for the answer to their last one
 * @property {number} recordedSize connections of the pool that it was recorded with, or DEFAULTS.runningSize
 * @property {number} cores of the server
 * @property {Checkouts} checkouts
 *
 * @typedef {{ startedMs: number[], useMs: number[], endedMs: number[] }} Checkouts what a user can record: when each
 *   operation asked for a connection, how long it had one, and when it gave it back
 */

/** What rules ask for, and a load does not say. */
export const DEFAULTS = { cores: 2, spindles: 1, serverLimit: 500, members: 3, runningSize: 5 };

/** Queries of each worker of a lab. */
const QUERIES = 30;
const RANDOM_LOADS = 12;
const SEED = 57;

/** Kinds of load of the corpus, and the pool size of the recording that is used. @type {Record<string, number>} */
const RECORDED = {
  'one query': 2,
  'sequential queries': 8,
  'parallel queries': 2,
  populate: 8,
  'find with getMore': 8,
  'slow beside fast': 2,
  'callers alone': 8,
  'callers who think': 2,
  'callers beside open traffic': 8,
  waves: 8,
  'CPU-bound, 0.3 of the server': 8,
  'CPU-bound, 0.8 of the server': 8,
  'cache hits': 2,
  'queries in a loop': 8,
  'an export beside other traffic': 2,
  'a server 8 ms away': 8,
};

const fixed = (/** @type {number} */ ms) => ({ kind: /** @type {const} */ ('fixed'), ms });
const request = { kind: /** @type {const} */ ('request'), route: '/a' };

/** Load tests of the lessons; how long /slow takes in them, as in their labs. */
const TESTS = ['mixed', 'slow-only', 'fast-only', 'burst', 'ramp', 'users-and-admins', 'remedies'];
const SLOW_MS = { remedies: 1000, others: 5000 };

/** All loads, in the order of the table. @returns {Record<string, () => Promise<TriedLoad>>} by name */
export function listLoads() {
  /** @type {Record<string, () => Promise<TriedLoad>>} */
  const loads = { 'examples/ordinary-minute.jsonl': () => openTrace('examples/ordinary-minute.jsonl', 'lesson') };
  for (const name of TESTS) {
    const file = `loadtests/${name}.yaml`;
    const slowMs = name === 'remedies' ? SLOW_MS.remedies : SLOW_MS.others;
    loads[file] = async () => openWorkload(file, 'lesson', await readTest(file, slowMs));
  }
  for (const [name, made] of Object.entries(LABS)) loads[name] = async () => openWorkload(name, 'lesson', made);
  for (const kind of Object.keys(RECORDED)) {
    const name = nameOf(kind);
    loads[name] = () => openTrace(fileOf(kind), 'corpus', name);
  }
  for (let number = 1; number <= RANDOM_LOADS; number++)
    loads[`random-${number}`] = async () => openWorkload(`random-${number}`, 'random', drawLoad(number));
  return loads;
}

/** The load of a kind of the corpus, in the table. @param {string} kind */
export function nameOf(kind) {
  return `corpus/loads/${slugOf(kind)}/recorded-at-${RECORDED[kind]}`;
}

/** @param {string} kind of the corpus @returns {string} the recording that is used */
export function fileOf(kind) {
  return path.join(CORPUS, '..', `${nameOf(kind)}${TRACE_END}`);
}

/**
 * @typedef {object} MadeLoad
 * @property {any} workload
 * @property {Record<string, Service>} services by route
 * @property {{ cores: number }} [server] whose cores the queries share
 * @property {boolean} [isOfCallers]
 */

/** The experiments of the labs `utilisation`, `sessions` and `inserts`. @type {Record<string, MadeLoad>} */
const LABS = {
  'utilisation-50': openLoad(5),
  'utilisation-90': openLoad(9),
  'sessions-100-workers': closedLoad(100, 4, 0.5),
  'inserts-128-callers': closedLoad(128, 2, 1),
};

/** @param {string} file @param {number} slowMs @returns {Promise<MadeLoad>} */
async function readTest(file, slowMs) {
  const services = { '/slow': fixed(slowMs), '/fast': fixed(2) };
  return { workload: await readScenario(file), services };
}

/** Lesson 12's requests of 100 ms, which arrive at random. @param {number} ratePerSec @returns {MadeLoad} */
function openLoad(ratePerSec) {
  return {
    workload: {
      phases: [{ durationMs: 40_000, arrivalRate: ratePerSec, mode: 'poisson' }],
      scenarios: [{ steps: [request] }],
    },
    services: { '/a': fixed(100) },
  };
}

/**
 * Workers who each send a query when their last one is answered, to a server whose cores they share.
 *
 * @param {number} callers
 * @param {number} ms of a query that is alone
 * @param {number} workShare of it that needs a core
 * @returns {MadeLoad}
 */
function closedLoad(callers, ms, workShare) {
  return {
    workload: {
      phases: [{ durationMs: 100, arrivalCount: callers }],
      scenarios: [{ steps: [{ kind: 'loop', count: QUERIES, steps: [request] }] }],
    },
    services: { '/a': { kind: 'lognormal', medianMs: ms, sigma: 0.4, workShare } },
    server: { cores: DEFAULTS.cores },
    isOfCallers: true,
  };
}

/** Draws arrivals, routes and times: always the same for a number. @param {number} number @returns {MadeLoad} */
function drawLoad(number) {
  const random = createRandom(SEED, `random load ${number}`);
  const between = (/** @type {number} */ low, /** @type {number} */ high) => low * (high / low) ** random.uniform();
  const routes = Array.from({ length: 1 + Math.floor(random.uniform() * 3) }, (_, index) => `/route${index}`);
  /** @type {Record<string, Service>} */
  const services = {};
  for (const route of routes) {
    const medianMs = between(2, 200);
    const isFixed = random.uniform() < 0.25;
    services[route] = isFixed ? fixed(medianMs) : { kind: 'lognormal', medianMs, sigma: between(0.2, 1.2) };
  }
  const scenarios = routes.map((route) => ({ weight: between(1, 9), steps: [{ ...request, route }] }));
  const meanMs = mean(routes.map((route) => meanServiceMs(services[route])));
  const inUse = between(0.5, 12);
  const ratePerSec = Math.max(2, Math.round((inUse * 1000) / meanMs));
  const kind = ['poisson', 'bursts', 'callers'][(number - 1) % 3];
  const steady = { durationMs: (1200 / ratePerSec) * 1000, arrivalRate: ratePerSec, mode: 'poisson' };
  if (kind === 'poisson') return { workload: { phases: [steady], scenarios }, services };
  if (kind === 'bursts') {
    const part = { ...steady, durationMs: steady.durationMs / 12 };
    const burst = { ...part, durationMs: part.durationMs / 4, arrivalRate: ratePerSec * 4 };
    const phases = Array.from({ length: 6 }, () => [{ ...part, arrivalRate: Math.max(1, ratePerSec / 2) }, burst]);
    return { workload: { phases: phases.flat(), scenarios }, services };
  }
  const callers = Math.ceil(between(4, 40));
  const pauseMs = Math.max(1, meanMs * (callers / inUse - 1));
  return {
    workload: {
      phases: [{ durationMs: 100, arrivalCount: callers }],
      scenarios: scenarios.map(({ weight, steps }) => {
        const pause = { kind: 'think', ms: pauseMs, jitterMs: pauseMs / 2 };
        return { weight, steps: [{ kind: 'loop', count: Math.ceil(1200 / callers), steps: [...steps, pause] }] };
      }),
    },
    services,
    isOfCallers: true,
  };
}

/** @param {string} name @param {string} source @param {MadeLoad} made @returns {TriedLoad} */
function openWorkload(name, source, { workload, services, server, isOfCallers = false }) {
  const load = createScenarioLoad(workload, { server });
  const simulateRun = createRunSimulator({ load, services, keepRequests: true });
  const { records = [] } = simulateRun({ pool: UNLIMITED, seed: 1, factor: 1 });
  const started = records.toSorted((a, b) => a.arrivedAtMs - b.arrivedAtMs);
  return {
    ...{ name, source, load, services, isOfCallers },
    recordedSize: DEFAULTS.runningSize,
    cores: server?.cores ?? DEFAULTS.cores,
    checkouts: {
      startedMs: started.map(({ arrivedAtMs }) => arrivedAtMs),
      useMs: started.map(({ startedAtMs, finishedAtMs }) => finishedAtMs - startedAtMs),
      endedMs: started.map(({ finishedAtMs }) => finishedAtMs),
    },
  };
}

/**
 * @param {string} file
 * @param {string} source
 * @param {string} [name] default: the file's
 * @returns {Promise<TriedLoad>}
 * @throws {Error} if nothing can be predicted from the recording
 */
async function openTrace(file, source, name = file) {
  const recording = openRecording([await readTrace(file)]);
  const { trace, load, overhead } = recording;
  const trust = judgeTrust(recording, null);
  if (trust.refusal) throw new Error(`${name} can't be predicted: ${trust.refusal.code}`);
  const startedMs = Array.from(trace.checkOutStartedMs);
  const useMs = Array.from(trace.useMs);
  return {
    ...{ name, source, load, overhead, services: load.services, widen: trust.widen },
    isOfCallers: Number(load.callers?.callersShare) > 0.5,
    recordedSize: trust.recordedSize,
    cores: /** @type {any} */ (trace.header).server?.cores ?? DEFAULTS.cores,
    checkouts: { startedMs, useMs, endedMs: startedMs.map((ms, row) => ms + trace.waitMs[row] + useMs[row]) },
  };
}
