import { AS_GOOD_MS, AS_GOOD_SHARE, describeLoad } from '../load-facts.js';
import { quantile } from '../quantile.js';
import { createRuns, UNLIMITED } from '../simulation-runs.js';
import { MIN_RUNS, samplesNeeded, upperLimit } from './confidence.js';
import { findSmallest } from './find-smallest.js';
import { compareFleet } from './fleet.js';
import { weighRemedies } from './remedies.js';

/** @import { Fleet, FleetFacts } from './fleet.js' */
/** @import { Load } from '../load.js' */
/** @import { LoadFacts } from '../load-facts.js' */
/** @import { PoolOptions } from '../simulator/create-pool.js' */
/** @import { Remedy } from './remedies.js' */
/** @import { SimulationResult } from '../simulation-runs.js' */
/** @import { Service } from '../simulator/service-time.js' */
/** @import { Slo } from './slo.js' */

const MAX_RUNS = 100;
/** A load with more requests than these is drawn no oftener than it must be. */
const LONG_LOAD = 10_000;

/**
 * @typedef {object} Judgement of one pool under one load
 * @property {{ slo: Slo, medianMs: number, upperMs: number, isMet: boolean }[]} goals upperMs: what 95 of 100 runs
 *   stay within; Infinity where requests fail
 * @property {boolean} isMet all of them
 * @property {number} failureShare of the requests of all runs
 * @property {number} utilisation median over runs
 * @property {number} peakWaiting the same
 * @property {SimulationResult[]} runs
 *
 * @typedef {object} LoadStudy the load at one rate
 * @property {number} factor times the rate
 * @property {LoadFacts} facts
 * @property {(pool: PoolOptions) => Judgement} judge
 * @property {number | null} smallest pool that meets all goals
 *
 * @typedef {Omit<Judgement, 'runs' | 'goals'> & { poolSize: number, factor: number,
 *   goals: { text: string, medianMs: number, upperMs: number, isMet: boolean }[] }} Row
 *
 * @typedef {object} Advice
 * @property {'size' | 'nothing' | 'notEnoughData' | 'tooManyConnections'} verdict
 * @property {number | null} poolSize the smallest that meets all goals at every load, even if the server has no room for it
 * @property {{ slo: Slo, count: number, needed: number, isEnough: boolean }[]} samples requests of the goals' routes in
 *   one run; 0 where these would be enough, but another run has none
 * @property {number} seeds how many runs each figure rests on
 * @property {{ factor: number, smallest: number | null, floor: number, busy: number, peakActive: number,
 *   bestMs: number[] }[]} loads bestMs: for each goal, what a pool without a limit gives
 * @property {Row[]} rows one step either side of the size
 * @property {number | null} noBenefitAfter connections that are as good as any number, at the higher load
 * @property {Remedy[]} remedies
 * @property {FleetFacts | null} fleet
 */

/**
 * The smallest pool with which a load meets its goals.
 *
 * @param {object} options
 * @param {Load} options.load
 * @param {Record<string, Service>} options.services
 * @param {Slo[]} options.slos at least one
 * @param {number} [options.headroom] the goals must hold at so many times the load as well, default 1.3
 * @param {number} [options.seeds] runs when anything is drawn; default: 100, or fewer of a long load
 * @param {Fleet} [options.fleet]
 * @param {(step: string) => void} [options.onStep] hears what is tried next
 * @returns {Advice}
 * @throws {Error} for a goal whose route the load does not have; for too few seeds
 */
export function advise({ load, services, slos, headroom = 1.3, seeds: asked, fleet, onStep = () => {} }) {
  const stray = slos.find(({ route }) => !load.routes.includes(route));
  if (stray) throw new Error(`"${stray.text}": the load has no route ${stray.route}, only ${load.routes.join(', ')}`);
  const [once] = createRuns({ load, services, seeds: 1 }).simulateAll(UNLIMITED);
  const seeds = load.isDrawn(services) ? asked ?? (once.requests > LONG_LOAD ? MIN_RUNS : MAX_RUNS) : 1;
  if (load.isDrawn(services) && seeds < MIN_RUNS) {
    throw new Error(`${seeds} runs are too few: at least ${MIN_RUNS} are needed`);
  }

  const drawn = createRuns({ load, services, seeds }).simulateAll(UNLIMITED);
  const samples = slos.map((slo) => {
    const counts = drawn.map(({ routes }) => routes[slo.route]?.count ?? 0);
    const needed = samplesNeeded(slo.share);
    const count = counts[0] >= needed && counts.includes(0) ? 0 : counts[0];
    return { slo, count, needed, isEnough: count >= needed };
  });
  /** @type {Omit<Advice, 'verdict' | 'poolSize'>} */
  const nothing = { samples, seeds, loads: [], rows: [], noBenefitAfter: null, remedies: [], fleet: null };
  if (!samples.every(({ isEnough }) => isEnough)) return { ...nothing, verdict: 'notEnoughData', poolSize: null };

  const factors = headroom === 1 ? [1] : [1, headroom];
  const studies = factors.map((factor) => studyLoad({ load, services, slos, seeds, factor, onStep }));
  const loads = studies.map(({ factor, facts, smallest, judge }) => ({
    factor, smallest, floor: facts.floor, busy: facts.busy, peakActive: facts.peakActive,
    bestMs: judge(UNLIMITED).goals.map(({ upperMs }) => upperMs),
  }));
  if (studies.some(({ smallest }) => smallest === null)) {
    return { ...nothing, verdict: 'nothing', poolSize: null, loads };
  }
  const poolSize = findCommonSize(studies);
  const hardest = studies[studies.length - 1];
  const { floor, peakActive } = hardest.facts;
  const enough = Math.max(poolSize, floor);
  const fleetFacts = fleet ? compareFleet(fleet, poolSize) : null;
  return {
    ...nothing,
    verdict: fleetFacts?.fits === false ? 'tooManyConnections' : 'size',
    poolSize,
    loads,
    rows: [poolSize - 1, poolSize, poolSize + 1].filter((size) => size > 0)
      .flatMap((size) => studies.map(({ factor, judge }) => describeRow(size, factor, judge({ maxPoolSize: size })))),
    noBenefitAfter: findSmallest(enough, Math.max(enough, peakActive), (size) => isAsGood(
      hardest.judge({ maxPoolSize: size }), hardest.judge(UNLIMITED))),
    remedies: weighRemedies({ study: hardest, services, slos, poolSize }),
    fleet: fleetFacts,
  };
}

/**
 * @param {object} options
 * @param {Load} options.load
 * @param {Record<string, Service>} options.services
 * @param {Slo[]} options.slos
 * @param {number} options.seeds
 * @param {number} options.factor
 * @param {(step: string) => void} options.onStep
 * @returns {LoadStudy}
 */
function studyLoad({ load, services, slos, seeds, factor, onStep }) {
  const runs = createRuns({ load, services, seeds, factor });
  /** @type {Map<string, Judgement>} */
  const known = new Map();

  /** @param {PoolOptions} pool */
  function judge(pool) {
    const key = JSON.stringify(pool);
    let judgement = known.get(key);
    if (!judgement) {
      onStep(pool === UNLIMITED ? `load x${factor}, no limit` : `load x${factor}, ${pool.maxPoolSize} connections`);
      judgement = judgeRuns(runs.simulateAll(pool), slos);
      known.set(key, judgement);
    }
    return judgement;
  }

  const facts = describeLoad(load, services, judge(UNLIMITED).runs, factor);
  const smallest = findSmallest(1, facts.peakActive, (maxPoolSize) => judge({ maxPoolSize }).isMet);
  return { factor, facts, judge, smallest };
}

/**
 * What is enough for one load need not be enough for another: where users wait for their answers, a few connections more
 * may have them come at a worse moment.
 * @param {LoadStudy[]} studies each of which has a size that is enough
 */
function findCommonSize(studies) {
  let size = Math.max(...studies.map(({ smallest }) => Number(smallest)));
  while (!studies.every(({ judge }) => judge({ maxPoolSize: size }).isMet)) size++;
  return size;
}

/** @param {SimulationResult[]} runs @param {Slo[]} slos @returns {Judgement} */
function judgeRuns(runs, slos) {
  const goals = slos.map((slo) => {
    // Users who never get as far as that route, because of what failed before, have no answer from it either.
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
    upperMs <= best.goals[index].upperMs * (1 + AS_GOOD_SHARE) + AS_GOOD_MS));
}

/** @param {number} poolSize @param {number} factor @param {Judgement} judgement @returns {Row} */
function describeRow(poolSize, factor, { goals, isMet, failureShare, utilisation, peakWaiting }) {
  return {
    poolSize, factor, isMet, failureShare, utilisation, peakWaiting,
    goals: goals.map(({ slo, ...goal }) => ({ text: slo.text, ...goal })),
  };
}
