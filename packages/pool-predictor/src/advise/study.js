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
export const QUICK_RUNS = 8;

/**
 * @typedef {(pool: PoolOptions, options?: { goals?: Slo[], isQuick?: boolean }) => Promise<boolean>} Meets whether the
 *   pool meets these goals, default all, with no more runs than needed. Quick: with a few runs
 *
 * @typedef {object} LoadStudy of one reading of the load, at `factor` times its rate
 * @property {number} factor
 * @property {number} reading row in readingsOf(load)
 * @property {number[]} seeds of all runs
 * @property {SimulationResult[]} lookedAt a few runs without a limit on connections
 * @property {LoadFacts} facts from these
 * @property {boolean} isShared queries slow each other down on the server's cores
 * @property {(pool: PoolOptions, isQuick?: boolean) => Promise<Judgement>} judge from all runs, in the order of their
 *   seeds, or quickly from a few
 * @property {(pool: PoolOptions) => { text: string, ms: number } | null} missOf the goal that a pool misses by most, as
 *   far as its runs are known, and the longest time
 * @property {Meets} meets
 * @property {() => boolean} isMonotone whether a larger pool never answers later, as far as that is known
 */

/**
 * @param {object} options
 * @param {Load} options.load the reading that is studied
 * @param {number} [options.reading] see LoadStudy, default 0
 * @param {Record<string, Service>} options.services
 * @param {Slo[]} options.slos
 * @param {number[]} options.seeds of the runs
 * @param {number} options.factor
 * @param {(poolSize: number) => number} [options.marginAt] see advise
 * @param {SimulateRuns} options.simulateRuns
 * @returns {Promise<LoadStudy>}
 */
export async function studyLoad({
  load,
  reading = 0,
  services,
  slos,
  seeds,
  factor,
  marginAt = () => 0,
  simulateRuns,
}) {
  /** @type {Map<string, Map<number, SimulationResult>>} */
  const known = new Map();
  const knownOf = (/** @type {PoolOptions} */ pool) => known.get(JSON.stringify(pool)) ?? new Map();
  const quickSeeds = seeds.slice(0, QUICK_RUNS);
  // A run that misses a goal with one pool is likely to miss it with the next.
  let hardestFirst = seeds;
  let hasFailures = false;

  /** @param {PoolOptions} pool @param {number[]} wanted seeds */
  async function simulate(pool, wanted) {
    const results = knownOf(pool);
    known.set(JSON.stringify(pool), results);
    const missing = wanted.filter((seed) => !results.has(seed));
    for (const seed of missing) {
      const same = isUnlimitedAlike(load, pool) && takeUnlimited(knownOf(UNLIMITED).get(seed), pool);
      if (same) results.set(seed, same);
    }
    const left = missing.filter((seed) => !results.has(seed));
    if (left.length > 0) {
      const added = await simulateRuns(left.map((seed) => ({ pool, seed, factor, reading })));
      for (const [index, seed] of left.entries()) results.set(seed, added[index]);
      hasFailures ||= added.some(({ failures }) => failures > 0);
    }
    return wanted.map((seed) => /** @type {SimulationResult} */ (results.get(seed)));
  }

  const lookedAt = await simulate(UNLIMITED, quickSeeds);
  const facts = describeLoad(load, services, lookedAt);
  /** Where a run never used all connections, no request waited for one, so there is nothing to be wrong about. */
  const marginOf = (/** @type {PoolOptions} */ { maxPoolSize }) => {
    const margin = marginAt(maxPoolSize);
    return (/** @type {SimulationResult} */ { peakActive }) => (peakActive < maxPoolSize ? 0 : margin);
  };

  /** @type {Meets} */
  async function meets(pool, { goals = slos, isQuick = false } = {}) {
    if (goals.length === 0) return true;
    const marginIn = marginOf(pool);
    const count = isQuick ? quickSeeds.length : seeds.length;
    const mayMiss = countLeftOut(seeds.length);
    const misses = goals.map(() => 0);
    /** @type {Set<number>} */
    const hard = new Set();
    for (let [from, to] = [0, FIRST_RUNS]; from < count; [from, to] = [to, to * 2]) {
      const batch = hardestFirst.slice(from, Math.min(to, count));
      for (const [index, run] of (await simulate(pool, batch)).entries()) {
        for (const [goal, slo] of goals.entries()) {
          if (timeOf(run, slo) * (1 + marginIn(run)) < slo.limitMs) continue;
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
  return {
    ...{ factor, reading, seeds, lookedAt, facts },
    isShared: sharesCores(load.server, services),
    judge: async (pool, isQuick = false) =>
      judgeRuns(await simulate(pool, isQuick ? quickSeeds : seeds), slos, { marginIn: marginOf(pool), isQuick }),
    missOf(pool) {
      const runs = [...knownOf(pool).values()];
      const marginIn = marginOf(pool);
      const missed = slos
        .map((slo) => ({ slo, ms: Math.max(...runs.map((run) => timeOf(run, slo) * (1 + marginIn(run)))) }))
        .filter(({ slo, ms }) => ms >= slo.limitMs)
        .sort((a, b) => b.ms / b.slo.limitMs - a.ms / a.slo.limitMs);
      return missed.length > 0 ? { text: missed[0].slo.text, ms: missed[0].ms } : null;
    },
    meets,
    isMonotone: () => isOpen && !hasFailures,
  };
}

/**
 * Several studies as one: a pool has to meet the goals in all of them.
 *
 * @param {LoadStudy[]} studies
 * @returns {{ meets: Meets, search: (from: number, to: number, passes: Passes) => Promise<number | null>,
 *   findSize: (most: number) => Promise<number | null> }} search for the smallest size, see findSmallest; findSize: the
 *   smallest that meets all goals, up to `most`
 */
export function joinStudies(studies) {
  // What failed with one pool is likely to fail with the next. First comes the likely reading at the highest rate.
  let hardestFirst = studies.toSorted((a, b) => a.reading - b.reading || b.factor - a.factor);
  /** @type {Meets} */
  async function meets(pool, options) {
    for (const study of hardestFirst) {
      if (await study.meets(pool, options)) continue;
      hardestFirst = [study, ...hardestFirst.filter((each) => each !== study)];
      return false;
    }
    return true;
  }
  // With every connection more, each request of an open loop waits as long as before or shorter: J. Kiefer and
  // J. Wolfowitz, On the theory of queues with many servers (1955). A user who waits for an answer, or gives up, may
  // come at a worse moment. Queries that share cores are slowed down by each connection more.
  const search = (/** @type {number} */ from, /** @type {number} */ to, /** @type {Passes} */ passes) =>
    studies.some(({ isShared }) => isShared)
      ? findFirst(from, to, passes)
      : findSmallest(from, to, passes, () => studies.every(({ isMonotone }) => isMonotone()));
  return {
    meets,
    search,
    findSize: (most) => search(1, most, (maxPoolSize, isQuick) => meets({ maxPoolSize }, { isQuick })),
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
