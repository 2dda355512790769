import { TOLERANCE_MS, TOLERANCE_SHARE, describeLoad } from '../load-facts.js';
import { quantile } from '../quantile.js';
import { createRuns, simulateHere, UNLIMITED } from '../simulation-runs.js';
import { MIN_RUNS, samplesNeeded, upperLimit } from './confidence.js';
import { findSmallest } from './find-smallest.js';
import { compareFleet } from './fleet.js';
import { compareRemedies } from './remedies.js';
import { listEasier } from './slo.js';

/** @import { Fleet, FleetFacts } from './fleet.js' */
/** @import { Load } from '../load.js' */
/** @import { LoadFacts } from '../load-facts.js' */
/** @import { PoolOptions } from '../simulator/create-pool.js' */
/** @import { Remedy } from './remedies.js' */
/** @import { SimulateRuns, SimulationResult } from '../simulation-runs.js' */
/** @import { Service } from '../simulator/service-time.js' */
/** @import { Slo } from './slo.js' */

const MAX_RUNS = 100;
/** With more requests than this, a load gets MIN_RUNS. */
const LONG_LOAD = 10_000;

/**
 * @typedef {object} Judgement of one pool under one load
 * @property {{ slo: Slo, medianMs: number, upperMs: number, isMet: boolean }[]} goals upperMs: 95 of 100 runs do not
 *   exceed it; Infinity where requests fail
 * @property {boolean} isMet all goals are
 * @property {number} failureShare of the requests of all runs
 * @property {number} utilisation median over the runs
 * @property {number} peakWaiting median over the runs
 * @property {SimulationResult[]} runs
 *
 * @typedef {object} LoadStudy of the load at `factor` times its rate
 * @property {number} factor
 * @property {LoadFacts} facts
 * @property {(pool: PoolOptions) => Promise<Judgement>} judge
 * @property {number | null} smallest pool that meets all goals
 *
 * @typedef {Omit<Judgement, 'runs' | 'goals'> & { poolSize: number, factor: number,
 *   goals: { text: string, medianMs: number, upperMs: number, isMet: boolean }[] }} Row
 *
 * @typedef {object} Advice
 * @property {'size' | 'nothing' | 'notEnoughData' | 'tooManyConnections'} verdict
 * @property {number | null} poolSize the smallest that meets all goals at every load, even if the servers have no room
 * @property {{ slo: Slo, count: number, needed: number, isEnough: boolean, easier: string[] }[]} samples requests of each
 *   goal's route in one run; 0 when that run has enough, but another run has none. `easier`: percentiles below the goal's
 *   that need no more samples than there are
 * @property {number} seeds how many runs each figure comes from
 * @property {number} firstSeed of the first run
 * @property {{ factor: number, smallest: number | null, floor: number, meanActive: number, peakActive: number,
 *   bestMs: number[] }[]} loads bestMs: the upperMs of each goal without a limit on connections; the rest: see LoadFacts
 * @property {Row[]} rows the advised size, one less and one more
 * @property {number | null} noBenefitAfter more connections than these do not help, at the higher load
 * @property {Remedy[]} remedies
 * @property {FleetFacts | null} fleet
 */

/**
 * Finds the smallest pool with which a load meets its goals, in 95 of 100 runs with 95 % confidence.
 *
 * @param {object} options
 * @param {Load} options.load
 * @param {Record<string, Service>} options.services by route
 * @param {Slo[]} options.slos at least one
 * @param {number} [options.headroom] the goals must also hold at this many times the arrival rate, default 1.3
 * @param {number} [options.seeds] simulation runs of a random load, at least 59; default: 100, or 59 of a long load
 * @param {number} [options.firstSeed] see predict
 * @param {Service} [options.overhead] what a response takes beyond wait and service time, default 0
 * @param {number} [options.resolutionMs] of the client's clock, default 0: exact
 * @param {Fleet} [options.fleet]
 * @param {SimulateRuns} [options.simulateRuns] default: in this thread
 * @param {(step: string) => void} [options.onStep] called before each pool that is simulated
 * @returns {Promise<Advice>}
 * @throws {Error} for a goal whose route the load does not have; for too few seeds; for a missing or invalid service time
 */
export async function advise({
  load, services, slos, headroom = 1.3, seeds: givenSeeds, firstSeed = 1, overhead, resolutionMs = 0, fleet, onStep = () => {},
  simulateRuns = simulateHere({ load, services, overhead, resolutionMs }),
}) {
  const unknown = slos.find(({ route }) => !load.routes.includes(route));
  if (unknown) throw new Error(`"${unknown.text}": the load has no route ${unknown.route}, only ${load.routes.join(', ')}`);
  const [once] = await createRuns({ simulateRuns, seeds: 1, firstSeed }).simulateAll(UNLIMITED);
  const isRandom = load.isRandom(services) || (overhead !== undefined && overhead.kind !== 'fixed') || resolutionMs > 0;
  const seeds = isRandom ? givenSeeds ?? (once.requests > LONG_LOAD ? MIN_RUNS : MAX_RUNS) : 1;
  if (isRandom && seeds < MIN_RUNS) {
    throw new Error(`${seeds} runs are too few: at least ${MIN_RUNS} are needed`);
  }

  const drawn = await createRuns({ simulateRuns, seeds, firstSeed }).simulateAll(UNLIMITED);
  const samples = slos.map((slo) => {
    const counts = drawn.map(({ routes }) => routes[slo.route]?.count ?? 0);
    const needed = samplesNeeded(slo.share);
    const count = counts[0] >= needed && counts.includes(0) ? 0 : counts[0];
    const easier = listEasier(slo).filter(({ share }) => samplesNeeded(share) <= count).map(({ name }) => name);
    return { slo, count, needed, isEnough: count >= needed, easier };
  });
  /** @type {Omit<Advice, 'verdict' | 'poolSize'>} */
  const nothing = { samples, seeds, firstSeed, loads: [], rows: [], noBenefitAfter: null, remedies: [], fleet: null };
  if (!samples.every(({ isEnough }) => isEnough)) return { ...nothing, verdict: 'notEnoughData', poolSize: null };

  const factors = headroom === 1 ? [1] : [1, headroom];
  /** @type {LoadStudy[]} */
  const studies = [];
  for (const factor of factors) studies.push(await studyLoad({ load, services, slos, seeds, firstSeed, factor, onStep, simulateRuns }));
  const loads = await Promise.all(studies.map(async ({ factor, facts, smallest, judge }) => ({
    factor, smallest, floor: facts.floor, meanActive: facts.meanActive, peakActive: facts.peakActive,
    bestMs: (await judge(UNLIMITED)).goals.map(({ upperMs }) => upperMs),
  })));
  if (studies.some(({ smallest }) => smallest === null)) {
    return { ...nothing, verdict: 'nothing', poolSize: null, loads };
  }
  const poolSize = await findCommonSize(studies);
  const hardest = studies[studies.length - 1];
  const { floor, peakActive } = hardest.facts;
  const enough = Math.max(poolSize, floor);
  const rows = [];
  for (const size of [poolSize - 1, poolSize, poolSize + 1].filter((candidate) => candidate > 0)) {
    for (const { factor, judge } of studies) rows.push(describeRow(size, factor, await judge({ maxPoolSize: size })));
  }
  const fleetFacts = fleet ? compareFleet(fleet, poolSize) : null;
  return {
    ...nothing,
    verdict: fleetFacts?.fits === false ? 'tooManyConnections' : 'size',
    poolSize,
    loads,
    rows,
    noBenefitAfter: await findSmallest(enough, Math.max(enough, peakActive), async (size) => isAsGood(
      await hardest.judge({ maxPoolSize: size }), await hardest.judge(UNLIMITED))),
    remedies: await compareRemedies({ study: hardest, services, slos, poolSize }),
    fleet: fleetFacts,
  };
}

/**
 * @param {Required<Pick<Parameters<typeof advise>[0], 'load' | 'services' | 'slos' | 'seeds' | 'firstSeed' | 'onStep' | 'simulateRuns'>>
 *   & { factor: number }} options
 * @returns {Promise<LoadStudy>}
 */
async function studyLoad({ load, services, slos, seeds, firstSeed, factor, onStep, simulateRuns }) {
  const runs = createRuns({ simulateRuns, seeds, firstSeed, factor });
  /** @type {Map<string, Promise<Judgement>>} */
  const known = new Map();

  /** @param {PoolOptions} pool */
  function judge(pool) {
    const key = JSON.stringify(pool);
    let judgement = known.get(key);
    if (!judgement) {
      onStep(pool === UNLIMITED ? `load x${factor}, no limit` : `load x${factor}, ${pool.maxPoolSize} connections`);
      judgement = runs.simulateAll(pool).then((results) => judgeRuns(results, slos));
      known.set(key, judgement);
    }
    return judgement;
  }

  const facts = describeLoad(load, services, (await judge(UNLIMITED)).runs, factor);
  const smallest = await findSmallest(1, facts.peakActive, async (maxPoolSize) => (await judge({ maxPoolSize })).isMet);
  return { factor, facts, judge, smallest };
}

/**
 * The largest of the smallest sizes may not be enough for all loads: users wait for their answers, so more connections
 * can make them send their next requests at a worse moment.
 * @param {LoadStudy[]} studies each with a size that is enough
 */
async function findCommonSize(studies) {
  for (let size = Math.max(...studies.map(({ smallest }) => Number(smallest))); ; size++) {
    const judgements = await Promise.all(studies.map(({ judge }) => judge({ maxPoolSize: size })));
    if (judgements.every(({ isMet }) => isMet)) return size;
  }
}

/** @param {SimulationResult[]} runs @param {Slo[]} slos @returns {Judgement} */
function judgeRuns(runs, slos) {
  const goals = slos.map((slo) => {
    // No request reached the route because earlier ones failed: that misses the goal.
    const values = runs.map(({ routes: { [slo.route]: route } }) => (route?.count > 0 ? route.all[slo.figure] : Infinity));
    const upperMs = upperLimit(values);
    return { slo, medianMs: quantile(values, 0.5), upperMs, isMet: upperMs < slo.limitMs };
  });
  /** @param {(run: SimulationResult) => number} figure */
  const sum = (figure) => runs.reduce((total, run) => total + figure(run), 0);
  /** @param {(run: SimulationResult) => number} figure */
  const median = (figure) => quantile(runs.map(figure), 0.5);
  return {
    goals,
    isMet: goals.every(({ isMet }) => isMet),
    failureShare: sum(({ failures }) => failures) / sum(({ requests }) => requests),
    utilisation: median(({ utilisation }) => utilisation),
    peakWaiting: median(({ peakWaiting }) => peakWaiting),
    runs,
  };
}

/** @param {Judgement} judgement @param {Judgement} best */
function isAsGood(judgement, best) {
  return judgement.goals.every(({ upperMs }, index) => (
    upperMs <= best.goals[index].upperMs * (1 + TOLERANCE_SHARE) + TOLERANCE_MS));
}

/** @param {number} poolSize @param {number} factor @param {Judgement} judgement @returns {Row} */
function describeRow(poolSize, factor, { goals, isMet, failureShare, utilisation, peakWaiting }) {
  return {
    poolSize, factor, isMet, failureShare, utilisation, peakWaiting,
    goals: goals.map(({ slo, ...goal }) => ({ text: slo.text, ...goal })),
  };
}
