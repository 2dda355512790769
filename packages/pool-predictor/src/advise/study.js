import { describeLoad } from '../load/load-facts.js';
import { isUnlimitedAlike, takeUnlimited } from '../runs/simulation-runs.js';
import { UNLIMITED } from '../simulator/create-pool.js';
import { queriesOf, sharesCores } from '../simulator/service-time.js';
import { countLeftOut } from './confidence.js';
import { findFirst, findSmallest } from './find-smallest.js';
import { judgeRuns, timeOf } from './judgement.js';

/** @import { Passes } from './find-smallest.js' */
/** @import { Judgement } from './judgement.js' */
/** @import { Load } from '../load/load.js' */
/** @import { LoadFacts } from '../load/load-facts.js' */
/** @import { PoolOptions } from '../simulator/create-pool.js' */
/** @import { Service } from '../simulator/service-time.js' */
/** @import { SimulateRuns } from '../runs/simulation-runs.js' */
/** @import { SimulationResult } from '../simulator/simulate.js' */
/** @import { Slo } from './slo.js' */
/** @import { FlowStep } from '../simulator/flow.js' */

/** This many runs are enough to reject most pools that are too small ... */
const FIRST_RUNS = 2;
/** ... and so many, the hardest ones so far, to find the size that all runs then have to confirm. */
const QUICK_RUNS = 8;

/**
 * @typedef {object} LoadStudy of the load at `factor` times its rate
 * @property {number} factor
 * @property {LoadFacts} facts
 * @property {boolean} isShared queries slow each other down on the server's cores
 * @property {Judgement} unlimited without a limit on connections
 * @property {(pool: PoolOptions) => Promise<Judgement>} judge simulates all runs
 * @property {(pool: PoolOptions, options?: { goals?: Slo[], isQuick?: boolean }) => Promise<boolean>} meets whether the
 *   pool meets these goals, default all: the same as judge finds, with no more runs than needed. Quick: with a few runs
 * @property {(from: number, to: number, passes: Passes) => Promise<number | null>} search for the smallest size, see
 *   findSmallest
 */

/**
 * @param {object} options
 * @param {Load} options.load
 * @param {Record<string, Service>} options.services
 * @param {Slo[]} options.slos
 * @param {number[]} options.seeds of the runs
 * @param {number} options.factor
 * @param {(poolSize: number) => number} [options.marginAt] see advise
 * @param {SimulateRuns} options.simulateRuns
 * @returns {Promise<LoadStudy>}
 */
export async function studyLoad({ load, services, slos, seeds, factor, marginAt = () => 0, simulateRuns }) {
  /** @type {Map<string, Map<number, SimulationResult>>} */
  const known = new Map();
  // A run that misses a goal with one pool is likely to miss it with the next.
  let hardestFirst = seeds;
  let hasFailures = false;

  /** @param {PoolOptions} pool @param {number[]} wanted seeds */
  async function simulate(pool, wanted) {
    const key = JSON.stringify(pool);
    const results = known.get(key) ?? new Map();
    known.set(key, results);
    const missing = wanted.filter((seed) => !results.has(seed));
    for (const seed of missing) {
      const same = isUnlimitedAlike(load, pool) && takeUnlimited(known.get(JSON.stringify(UNLIMITED))?.get(seed), pool);
      if (same) results.set(seed, same);
    }
    const left = missing.filter((seed) => !results.has(seed));
    if (left.length > 0) {
      const added = await simulateRuns(left.map((seed) => ({ pool, seed, factor })));
      for (const [index, seed] of left.entries()) results.set(seed, added[index]);
      hasFailures ||= added.some(({ failures }) => failures > 0);
    }
    return wanted.map((seed) => /** @type {SimulationResult} */ (results.get(seed)));
  }

  const unlimited = judgeRuns(await simulate(UNLIMITED, seeds), slos);
  const facts = describeLoad(load, services, unlimited.runs);
  // With as many connections as are ever in use, no request waits for one, so there is nothing to be wrong about.
  const marginOf = (/** @type {PoolOptions} */ { maxPoolSize }) =>
    maxPoolSize < facts.peakActive ? marginAt(maxPoolSize) : 0;
  const judge = async (/** @type {PoolOptions} */ pool) => judgeRuns(await simulate(pool, seeds), slos, marginOf(pool));

  /** @type {LoadStudy['meets']} */
  async function meets(pool, { goals = slos, isQuick = false } = {}) {
    if (goals.length === 0) return true;
    // Other goals are themselves simulated, with the same error.
    const margin = goals === slos ? marginOf(pool) : 0;
    const count = isQuick ? Math.min(QUICK_RUNS, seeds.length) : seeds.length;
    const mayMiss = countLeftOut(seeds.length);
    const misses = goals.map(() => 0);
    /** @type {Set<number>} */
    const hard = new Set();
    for (let [from, to] = [0, FIRST_RUNS]; from < count; [from, to] = [to, to * 2]) {
      const batch = hardestFirst.slice(from, Math.min(to, count));
      for (const [index, run] of (await simulate(pool, batch)).entries()) {
        for (const [goal, slo] of goals.entries()) {
          if (timeOf(run, slo) * (1 + margin) < slo.limitMs) continue;
          misses[goal]++;
          hard.add(batch[index]);
        }
      }
      if (misses.some((count) => count > mayMiss)) {
        hardestFirst = [...hard, ...hardestFirst.filter((seed) => !hard.has(seed))];
        return false;
      }
    }
    return true;
  }

  const isOpen = isOpenLoop(load, services);
  const isShared = sharesCores(load.server, services);
  return {
    factor,
    facts,
    isShared,
    unlimited,
    judge,
    meets,
    // With every connection more, each request of an open loop waits as long as before or shorter: J. Kiefer and
    // J. Wolfowitz, On the theory of queues with many servers (1955). A user who waits for an answer, or gives up, may
    // come at a worse moment. Queries that share cores are slowed down by each connection more.
    search: (from, to, passes) =>
      isShared
        ? findFirst(from, to, (size) => passes(size))
        : findSmallest(from, to, passes, () => isOpen && !hasFailures),
  };
}

/**
 * Tells whether no checkout waits for the end of another.
 * @param {Load} load
 * @param {Record<string, Service>} services
 */
function isOpenLoop(load, services) {
  if (load.routes.some((route) => mayHaveSeveral(services[route]))) return false;
  if (load.workload) return load.workload.scenarios.every(({ steps }) => countRequests(steps) <= 1);
  for (const { requests } of load.arrivals(1, 1)) if (requests) return false;
  return true;
}

/** Whether a request may have several queries. @param {Service} service */
function mayHaveSeveral(service) {
  if (service.kind !== 'requests') return queriesOf(service) > 1;
  return service.requests.some(({ queriesMs }) => queriesMs.flat().length > 1);
}

/** @param {FlowStep[]} steps @returns {number} */
function countRequests(steps) {
  return steps.reduce((sum, step) => {
    if (step.kind === 'loop') return sum + step.count * countRequests(step.steps);
    return sum + (step.kind === 'request' ? 1 : 0);
  }, 0);
}
