import { countRuns, createRuns, isRandom, readingsOf, rememberRuns, simulateHere } from '../runs/simulation-runs.js';
import { UNLIMITED } from '../simulator/create-pool.js';
import { MIN_RUNS, samplesNeeded } from './confidence.js';
import { describeSize, describeStudy, findBestSizes, findSizeNow } from './advised-size.js';
import { findDenial } from './denial.js';
import { findFirstSize } from './first-size.js';
import { compareWithNoise, splitResponse } from './overhead.js';
import { findSaturation } from './saturation.js';
import { listEasier } from './slo.js';
import { joinStudies, studyLoad } from './study.js';

/** @import { Fleet, FleetFacts } from './fleet.js' */
/** @import { Judgement } from './judgement.js' */
/** @import { Load } from '../load/load.js' */
/** @import { AdviceRow, RuleSize, Smaller, StudiedLoad } from './advised-size.js' */
/** @import { Denial } from './denial.js' */
/** @import { FirstSize } from './first-size.js' */
/** @import { Noise, ResponseParts } from './overhead.js' */
/** @import { RunProgress, SimulateRuns } from '../runs/simulation-runs.js' */
/** @import { Remedy } from './remedies.js' */
/** @import { SimulationResult } from '../simulator/simulate.js' */
/** @import { Service } from '../simulator/service-time.js' */
/** @import { Saturation } from './saturation.js' */
/** @import { Slo } from './slo.js' */
/** @import { LoadStudy } from './study.js' */

const MAX_RUNS = 99;
/** Sizes up to so many times the most connections that a few runs use: other runs may use more. */
const MAX_SIZES = 2;
/** A load with more requests in a run gets only MIN_RUNS runs. */
const MIN_LONG_LOAD_REQUESTS = 3000;

/**
 * @typedef {object} GoalSamples of a goal's route
 * @property {Slo} slo
 * @property {number} count requests in one run; 0 when that run has enough, but another run has none
 * @property {number} needed
 * @property {boolean} isEnough
 * @property {string[]} easier percentiles below the goal's that need no more samples than there are
 *
 * @typedef {object} Advice
 * @property {'size' | 'nothing' | 'notEnoughData' | 'belowNoise' | 'tooManyConnections' | 'denied'} verdict denied: the
 *   recording is not what the simulation gives
 * @property {number | null} poolSize the smallest that meets all goals, at every load and in every reading of it, even
 *   if the servers have no room
 * @property {number | null} sizeNow the smallest that meets all goals at the load as it is, without headroom; null
 *   where there is none, or that is not sure
 * @property {GoalSamples[]} samples of each goal
 * @property {number} seeds how many runs each figure comes from
 * @property {number} firstSeed of the first run
 * @property {Noise[] | null} noise of each goal; null when the overhead is known
 * @property {ResponseParts[] | null} parts of each goal's responses, where no size meets the goals; null when the
 *   overhead is not known
 * @property {Denial | null} denial
 * @property {number | null} fewest callers who could have sent all requests of a recording: the other reading of it;
 *   null if there is none, or it differs only in work outside of requests
 * @property {StudiedLoad[]} loads
 * @property {AdviceRow[]} rows see AdvisedSize, like the next three
 * @property {Smaller | null} smaller
 * @property {RuleSize | null} rule null where no size is advised
 * @property {Remedy[]} remedies
 * @property {FleetFacts | null} fleet
 * @property {Saturation | null} saturation null where queries do not slow each other down
 */

/**
 * Finds the smallest pool with which a load meets its goals, in 95 of 100 runs with 95 % confidence, in all readings of
 * the load.
 *
 * @param {object} options
 * @param {Load} options.load
 * @param {Record<string, Service>} options.services by route
 * @param {Slo[]} options.slos at least one
 * @param {number} [options.headroom] the goals must also hold at this many times the arrival rate, default 1.3
 * @param {number} [options.seeds] simulation runs of a random load, at least 59; default: 99, or 59 of a long load
 * @param {number} [options.firstSeed] of the first run; each other run has the next one; default 1
 * @param {Service} [options.overhead] what a response takes beyond wait and service time. Without it the figures are
 *   wait plus service time, and a goal that leaves no room for the rest gets no verdict
 * @param {number} [options.resolutionMs] of the client's clock, default 0: exact
 * @param {(poolSize: number) => number} [options.marginAt] by which share of it a time may be longer than
 *   simulated, see judgeTrust; default: not longer
 * @param {Fleet} [options.fleet]
 * @param {SimulateRuns} [options.simulateRuns] default: in this thread
 * @param {(progress: RunProgress) => void} [options.onProgress] called after each run
 * @param {(first: FirstSize) => void} [options.onFirst] called once with a first figure, long before the advice, which
 *   replaces it; not called if a few runs find no size, or if the load is not random
 * @returns {Promise<Advice>}
 * @throws {Error} for a goal whose route the load does not have; for too few seeds; for a missing or invalid service
 *   time
 */
export async function advise({
  load,
  services,
  slos,
  headroom = 1.3,
  seeds: givenSeeds,
  firstSeed = 1,
  overhead,
  resolutionMs = 0,
  marginAt = () => 0,
  fleet,
  onProgress = () => {},
  onFirst,
  simulateRuns = simulateHere({ load, services, overhead, resolutionMs }),
}) {
  requireRoutes(load, slos);
  const [once] = await createRuns({ simulateRuns, seeds: 1, firstSeed }).simulateAll(UNLIMITED);
  const count = isRandom({ load, services, overhead, resolutionMs }) ? chooseRunCount(givenSeeds, once.requests) : 1;
  const seeds = Array.from({ length: count }, (_, index) => firstSeed + index);
  const factors = headroom === 1 ? [1] : [1, headroom];
  const readings = readingsOf(load);
  const progress = { pools: planPools(once.peakActive, factors, load), runs: count };
  const counted = rememberRuns(countRuns(simulateRuns, onProgress, progress));
  const studyAll = async () => {
    /** @type {LoadStudy[]} */
    const studied = [];
    const input = { services, slos, seeds, marginAt, simulateRuns: counted };
    for (const [reading, read] of readings.entries())
      for (const factor of factors) studied.push(await studyLoad({ ...input, load: read, reading, factor }));
    return studied;
  };
  const studies = await studyAll();
  const samples = slos.map((slo) => countSamples(slo, studies[0].lookedAt));
  const common = joinStudies(studies);
  const known = {
    ...{ poolSize: null, sizeNow: null, samples, seeds: count, firstSeed, noise: null, parts: null, denial: null },
    fewest: readings.length > 1 ? (load.callers?.fewest ?? null) : null,
    loads: studies.map(describeStudy),
    ...{ rows: [], smaller: null, rule: null, remedies: [], fleet: null, saturation: null },
  };
  if (!samples.every(({ isEnough }) => isEnough)) return { ...known, verdict: 'notEnoughData' };
  const most = MAX_SIZES * Math.max(...studies.map(({ facts }) => facts.peakActive));
  // Studies of its own, with the same runs: the advice is the same with and without it.
  const first = onFirst && count > 1 ? await findFirstSize(await studyAll(), most) : null;
  if (first) onFirst?.(first);
  const denial = await findDenial(load, studies[0], slos);
  if (denial) return { ...known, verdict: 'denied', denial };

  const noise = overhead ? null : await compareGoals({ studies, slos, samples });
  const isBelowNoise = noise?.some(({ isBelow }) => isBelow) ?? false;
  if (isBelowNoise && noise?.every(({ bestMs }, goal) => bestMs < slos[goal].limitMs))
    return { ...known, noise, verdict: 'belowNoise' };
  const poolSize = await common.findSize(most);
  const saturation = await findSaturation({
    input: { load, services, overhead, resolutionMs },
    simulateRuns: counted,
    studies: studies.filter(({ reading }) => reading === 0),
    slos,
    isMet: poolSize !== null,
    instances: fleet?.instances,
  });
  if (poolSize === null) {
    const parts =
      overhead &&
      slos.map((slo, goal) => splitResponse(slo, services[slo.route], overhead, samples[goal].count, seeds));
    const loads = await findBestSizes(studies);
    const sizeNow = await findSizeNow(studies, most, loads);
    return { ...known, noise, parts: parts ?? null, verdict: 'nothing', sizeNow, loads, saturation };
  }
  if (isBelowNoise) return { ...known, noise, verdict: 'belowNoise', saturation };
  return { ...known, noise, saturation, ...(await describeSize({ studies, poolSize, services, slos, fleet })) };
}

/** @param {Load} load @param {Slo[]} slos @throws {Error} naming a goal whose route the load does not have */
function requireRoutes({ routes }, slos) {
  const unknown = slos.find(({ route }) => !routes.includes(route));
  if (unknown) throw new Error(`"${unknown.text}": the load has no route ${unknown.route}, only ${routes.join(', ')}`);
}

/** @param {number | undefined} given @param {number} requests of one run @throws {Error} for too few */
function chooseRunCount(given, requests) {
  const count = given ?? (requests > MIN_LONG_LOAD_REQUESTS ? MIN_RUNS : MAX_RUNS);
  if (count < MIN_RUNS) throw new Error(`${count} runs are too few: at least ${MIN_RUNS} are needed`);
  return count;
}

/**
 * Compares each goal with the noise of a response.
 *
 * @param {{ studies: LoadStudy[], slos: Slo[], samples: GoalSamples[] }} goals
 * @returns {Promise<Noise[]>}
 */
async function compareGoals({ studies, slos, samples }) {
  /** @type {Judgement['goals'][]} */
  const best = [];
  for (const study of studies) best.push((await study.judge(UNLIMITED)).goals);
  return slos.map((slo, goal) =>
    compareWithNoise(slo, Math.max(...best.map((goals) => goals[goal].upperMs)), samples[goal].count),
  );
}

/**
 * Estimates the number of pools to simulate.
 *
 * @param {number} peakActive
 * @param {number[]} factors
 * @param {Load} load
 */
function planPools(peakActive, factors, load) {
  const halvings = Math.ceil(Math.log2(peakActive + 1));
  const searches = (load.routes.length > 1 ? 3 : 1) + factors.length - 1;
  return readingsOf(load).length * factors.length * 3 + searches * halvings;
}

/** @param {Slo} slo @param {SimulationResult[]} runs @returns {GoalSamples} */
function countSamples(slo, runs) {
  const counts = runs.map(({ routes }) => routes[slo.route]?.count ?? 0);
  const needed = samplesNeeded(slo.share);
  const count = counts[0] >= needed && counts.includes(0) ? 0 : counts[0];
  const easier = listEasier(slo)
    .filter(({ share }) => samplesNeeded(share) <= count)
    .map(({ name }) => name);
  return { slo, count, needed, isEnough: count >= needed, easier };
}
