import { SERVER } from '../assumptions/server-assumptions.js';
import { countWork } from '../load/load-facts.js';
import { withCores } from '../load/load.js';
import { median } from '../base/sample-statistics.js';
import { simulateHere } from '../runs/simulation-runs.js';
import { sharesCores } from '../simulator/service-time.js';
import { findSlowdown } from '../predict/size-comparison.js';
import { listNumbers } from './find-smallest.js';
import { medianOver, timeOf } from './judgement.js';
import { joinStudies, studyLoad } from './study.js';

/** @import { LoadStudy } from './study.js' */
/** @import { RunInput, SimulateRuns } from '../runs/simulation-runs.js' */
/** @import { Slowdown } from '../predict/size-comparison.js' */
/** @import { Slo } from './slo.js' */

/** A size is judged by the median of this many runs, with the same seeds as each other size. */
const RUNS = 3;
/** Multiples of the cores to try. */
const CORE_RATIOS = [1.5, 2, 3, 4, 6, 8];

/**
 * What the server allows, with any pool.
 *
 * @typedef {object} Saturation
 * @property {number} cores that the queries share
 * @property {number} usedShare of them that the load needs on average, where no size meets the goals the one that they
 *   must hold at; from 1 on, requests pile up with any pool
 * @property {Slowdown | null} slowdown the upper end of the range of sizes, and the effect of twice as many connections
 * @property {{ instances: number, usedShare: number, slowdown: Slowdown | null } | null} fleet the same for all
 *   connections of all instances, if each of them brings this load to the server
 * @property {{ cores: number, poolSize: number } | null} enough where no size meets the goals: cores with which one
 *   does
 */

/**
 * @param {object} options
 * @param {RunInput} options.input
 * @param {SimulateRuns} options.simulateRuns
 * @param {LoadStudy[]} options.studies of the load as it is, and of the one that the goals must hold at
 * @param {Slo[]} options.slos
 * @param {boolean} options.isMet whether a size meets the goals
 * @param {number} [options.instances] default 1
 * @returns {Promise<Saturation | null>} null where queries do not slow each other down
 */
export async function findSaturation({ input, simulateRuns, studies, slos, isMet, instances = 1 }) {
  const {
    load: { server },
    services,
  } = input;
  if (!server || !sharesCores(server, services)) return null;
  const [{ facts, seeds }] = studies;
  const hardest = studies[studies.length - 1];
  const { usedShare } = facts;
  const findEnd = async (/** @type {number} */ factor) => {
    if (usedShare * factor < SERVER.busyShare) return null;
    const look = async (/** @type {number} */ poolSize) => {
      const pool = { maxPoolSize: poolSize };
      const runs = await simulateRuns(seeds.slice(0, RUNS).map((seed) => ({ pool, seed, factor })));
      const names = [...new Set(runs.flatMap(({ routes }) => Object.keys(routes)))];
      const routes = names.map((name) => [name, { p99Ms: medianOver(runs, name, 'p99Ms') }]);
      return { poolSize, routes: Object.fromEntries(routes) };
    };
    const sizes = [];
    for (const poolSize of listNumbers(1, facts.peakActive * factor)) sizes.push(await look(poolSize));
    const slowdown = findSlowdown(sizes, services);
    if (!slowdown) return null;
    const twice = await look(2 * slowdown.poolSize);
    return { ...slowdown, largerSize: twice.poolSize, largerMs: twice.routes[slowdown.route].p99Ms };
  };
  return {
    cores: server.cores,
    usedShare: isMet ? usedShare : countWork(hardest.facts, services) / server.cores,
    slowdown: await findEnd(1),
    fleet: instances > 1 ? { instances, usedShare: instances * usedShare, slowdown: await findEnd(instances) } : null,
    enough: isMet ? null : await findEnoughCores(input, slos, hardest),
  };
}

/**
 * Tries more and more cores. A number is searched for a size only if a few runs without a limit meet the goals.
 *
 * @param {RunInput} input @param {Slo[]} slos @param {LoadStudy} study
 */
async function findEnoughCores(input, slos, { factor, seeds }) {
  const now = Number(input.load.server?.cores);
  for (const cores of CORE_RATIOS.map((times) => Math.ceil(now * times))) {
    const load = withCores(input.load, cores);
    const { services } = input;
    const simulateRuns = simulateHere({ ...input, load });
    const study = await studyLoad({ load, services, slos, seeds, factor, simulateRuns });
    const medianOf = (/** @type {Slo} */ slo) => median(study.lookedAt.map((run) => timeOf(run, slo)));
    if (!slos.every((slo) => medianOf(slo) < slo.limitMs)) continue;
    const poolSize = await joinStudies([study]).findSize(study.facts.peakActive);
    if (poolSize !== null) return { cores, poolSize };
  }
  return null;
}
