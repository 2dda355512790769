import { countRuns } from '../run-count.js';
import { createRuns, isRandom, simulateHere, UNLIMITED } from '../simulation-runs.js';
import { MIN_RUNS, samplesNeeded } from './confidence.js';
import { findSmallest } from './find-smallest.js';
import { compareFleet } from './fleet.js';
import { isAsGood } from './judgement.js';
import { compareWithNoise, splitResponse } from './overhead.js';
import { compareRemedies } from './remedies.js';
import { findSaturation } from './saturation.js';
import { listEasier } from './slo.js';
import { studyLoad } from './study.js';

/** @import { Fleet, FleetFacts } from './fleet.js' */
/** @import { Judgement } from './judgement.js' */
/** @import { Load } from '../load.js' */
/** @import { LoadStudy } from './study.js' */
/** @import { Noise, Parts } from './overhead.js' */
/** @import { Progress } from '../run-count.js' */
/** @import { Remedy } from './remedies.js' */
/** @import { SimulateRuns, SimulationResult } from '../simulation-runs.js' */
/** @import { Service } from '../simulator/service-time.js' */
/** @import { Saturation } from './saturation.js' */
/** @import { Slo } from './slo.js' */

const MAX_RUNS = 99;
/** With more requests than this, a load gets MIN_RUNS. */
const LONG_LOAD = 10_000;

/**
 * @typedef {Omit<Judgement, 'runs' | 'goals'> & { poolSize: number, factor: number,
 *   goals: { text: string, medianMs: number, upperMs: number, isMet: boolean }[] }} Row
 *
 * @typedef {object} Sample of a goal's route
 * @property {Slo} slo
 * @property {number} count requests in one run; 0 when that run has enough, but another run has none
 * @property {number} needed
 * @property {boolean} isEnough
 * @property {string[]} easier percentiles below the goal's that need no more samples than there are
 *
 * @typedef {object} Advice
 * @property {'size' | 'nothing' | 'notEnoughData' | 'belowNoise' | 'tooManyConnections'} verdict
 * @property {number | null} poolSize the smallest that meets all goals at every load, even if the servers have no room
 * @property {Sample[]} samples of each goal
 * @property {number} seeds how many runs each figure comes from
 * @property {number} firstSeed of the first run
 * @property {Noise[] | null} noise of each goal; null when the overhead is known
 * @property {Parts[] | null} parts of each goal's responses; null when the overhead is not known
 * @property {{ factor: number, smallest: number | null, floor: number, meanActive: number, peakActive: number,
 *   bestMs: number[] }[]} loads bestMs: the upperMs of each goal without a limit on connections; the rest: see LoadFacts
 * @property {Row[]} rows the advised size, one less and one more
 * @property {number | null} noBenefitAfter more connections than these do not help, at the higher load
 * @property {Remedy[]} remedies that the servers have room for
 * @property {FleetFacts | null} fleet
 * @property {Saturation | null} saturation null where queries do not slow each other down
 */

/**
 * Finds the smallest pool with which a load meets its goals, in 95 of 100 runs with 95 % confidence.
 *
 * @param {object} options
 * @param {Load} options.load
 * @param {Record<string, Service>} options.services by route
 * @param {Slo[]} options.slos at least one
 * @param {number} [options.headroom] the goals must also hold at this many times the arrival rate, default 1.3
 * @param {number} [options.seeds] simulation runs of a random load, at least 59; default: 99, or 59 of a long load
 * @param {number} [options.firstSeed] of the first run; each other run has the next one; default 1
 * @param {Service} [options.overhead] what a response takes beyond wait and service time. Without it the figures are wait
 *   plus service time, and a goal that leaves no room for the rest gets no verdict
 * @param {number} [options.resolutionMs] of the client's clock, default 0: exact
 * @param {Fleet} [options.fleet]
 * @param {SimulateRuns} [options.simulateRuns] default: in this thread
 * @param {(progress: Progress) => void} [options.onProgress] called after each run
 * @returns {Promise<Advice>}
 * @throws {Error} for a goal whose route the load does not have; for too few seeds; for a missing or invalid service time
 */
export async function advise({
  load, services, slos, headroom = 1.3, seeds: givenSeeds, firstSeed = 1, overhead, resolutionMs = 0, fleet, onProgress = () => {},
  simulateRuns = simulateHere({ load, services, overhead, resolutionMs }),
}) {
  const unknown = slos.find(({ route }) => !load.routes.includes(route));
  if (unknown) throw new Error(`"${unknown.text}": the load has no route ${unknown.route}, only ${load.routes.join(', ')}`);
  const [once] = await createRuns({ simulateRuns, seeds: 1, firstSeed }).simulateAll(UNLIMITED);
  const hasBand = isRandom({ load, services, overhead, resolutionMs });
  const count = hasBand ? givenSeeds ?? (once.requests > LONG_LOAD ? MIN_RUNS : MAX_RUNS) : 1;
  if (hasBand && count < MIN_RUNS) {
    throw new Error(`${count} runs are too few: at least ${MIN_RUNS} are needed`);
  }
  const seeds = Array.from({ length: count }, (_, index) => firstSeed + index);
  const factors = headroom === 1 ? [1] : [1, headroom];
  const counter = countRuns(simulateRuns, onProgress);
  const stages = planStages(once.peakActive * headroom, factors, load);
  const expectFrom = (/** @type {number} */ stage) => (
    counter.expect(count * stages.slice(stage).reduce((sum, pools) => sum + pools, 0)));
  const study = (/** @type {number} */ factor) => studyLoad({
    load, services, slos, seeds, factor, simulateRuns: counter.simulateRuns, onStep: counter.begin });

  expectFrom(0);
  const studies = [await study(1)];
  const samples = slos.map((slo) => countSamples(slo, studies[0].unlimited.runs));
  /** @type {Omit<Advice, 'verdict' | 'poolSize'>} */
  const nothing = {
    samples, seeds: count, firstSeed, noise: null, parts: null, loads: [], rows: [], noBenefitAfter: null, remedies: [],
    fleet: null, saturation: null,
  };
  if (!samples.every(({ isEnough }) => isEnough)) return { ...nothing, verdict: 'notEnoughData', poolSize: null };

  for (const factor of factors.slice(1)) studies.push(await study(factor));
  const bestMs = slos.map((_, goal) => Math.max(...studies.map(({ unlimited }) => unlimited.goals[goal].upperMs)));
  const known = {
    ...nothing,
    noise: overhead ? null : slos.map((slo, goal) => compareWithNoise(slo, bestMs[goal], samples[goal].count)),
    parts: overhead
      ? slos.map((slo, goal) => splitResponse(slo, services[slo.route], overhead, samples[goal].count, seeds))
      : null,
  };
  const isBelowNoise = known.noise?.some(({ isBelow }) => isBelow) ?? false;
  if (isBelowNoise && slos.every(({ limitMs }, goal) => bestMs[goal] < limitMs)) {
    return { ...known, verdict: 'belowNoise', poolSize: null };
  }
  const loads = [];
  for (const [index, { factor, facts: { floor, meanActive, peakActive }, unlimited, search, meets }] of studies.entries()) {
    expectFrom(index + 1);
    const smallest = await search(1, peakActive, (maxPoolSize) => meets({ maxPoolSize }));
    loads.push({ factor, smallest, floor, meanActive, peakActive, bestMs: unlimited.goals.map(({ upperMs }) => upperMs) });
  }
  const poolSize = await findCommonSize(studies, loads.map(({ smallest }) => smallest));
  const saturation = await findSaturation({
    input: { load, services, overhead, resolutionMs }, simulateRuns: counter.simulateRuns, studies, slos, seeds,
    isMet: poolSize !== null, instances: fleet?.instances,
  });
  if (poolSize === null || isBelowNoise) {
    return { ...known, verdict: poolSize === null ? 'nothing' : 'belowNoise', poolSize: null, loads, saturation };
  }
  expectFrom(stages.length - 1);
  const hardest = studies[studies.length - 1];
  const rows = await describeRows(studies, poolSize);
  const { floor, peakActive } = hardest.facts;
  const enough = Math.max(poolSize, floor);
  const fleetFacts = fleet ? compareFleet(fleet, poolSize) : null;
  return {
    ...known,
    verdict: fleetFacts?.fits === false ? 'tooManyConnections' : 'size',
    poolSize,
    loads,
    rows,
    noBenefitAfter: await findSmallest(enough, Math.max(enough, peakActive), async (size) => isAsGood(
      await hardest.judge({ maxPoolSize: size }), hardest.unlimited)),
    remedies: await compareRemedies({ study: hardest, services, slos, poolSize, fleet }),
    fleet: fleetFacts,
    saturation,
  };
}

/**
 * How many pools each stage may simulate: no limit at the first load; the searches, one for each load; all that follows.
 *
 * @param {number} peakActive
 * @param {number[]} factors
 * @param {Load} load
 */
function planStages(peakActive, factors, load) {
  const halvings = Math.ceil(Math.log2(peakActive + 1));
  const searches = load.routes.length > 1 ? 5 : 1;
  return [factors.length, ...factors.map(() => halvings), 3 * factors.length + searches * halvings];
}

/** @param {Slo} slo @param {SimulationResult[]} runs @returns {Sample} */
function countSamples(slo, runs) {
  const counts = runs.map(({ routes }) => routes[slo.route]?.count ?? 0);
  const needed = samplesNeeded(slo.share);
  const count = counts[0] >= needed && counts.includes(0) ? 0 : counts[0];
  const easier = listEasier(slo).filter(({ share }) => samplesNeeded(share) <= count).map(({ name }) => name);
  return { slo, count, needed, isEnough: count >= needed, easier };
}

/**
 * The largest of the smallest sizes may not be enough for all loads: users wait for their answers, so more connections
 * can make them send their next requests at a worse moment.
 *
 * @param {LoadStudy[]} studies
 * @param {(number | null)[]} smallest size of each
 * @returns {Promise<number | null>}
 */
async function findCommonSize(studies, smallest) {
  if (smallest.includes(null)) return null;
  // With more connections than these, no request waits at any load.
  const most = Math.max(...studies.map(({ facts }) => facts.peakActive));
  for (let maxPoolSize = Math.max(...smallest.map(Number)); maxPoolSize <= most; maxPoolSize++) {
    let isMet = true;
    for (const { meets } of studies) isMet &&= await meets({ maxPoolSize });
    if (isMet) return maxPoolSize;
  }
  return null;
}

/** @param {LoadStudy[]} studies @param {number} poolSize @returns {Promise<Row[]>} */
async function describeRows(studies, poolSize) {
  const rows = [];
  for (const size of [poolSize - 1, poolSize, poolSize + 1].filter((candidate) => candidate > 0)) {
    for (const { factor, judge } of studies) {
      const { goals, isMet, failureShare, utilisation, peakWaiting } = await judge({ maxPoolSize: size });
      rows.push({
        poolSize: size, factor, isMet, failureShare, utilisation, peakWaiting,
        goals: goals.map(({ slo, ...goal }) => ({ text: slo.text, ...goal })),
      });
    }
  }
  return rows;
}
