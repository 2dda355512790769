// A thread of advice.js: receives { first, step, loads }, sends the check of each load.
import { parentPort, workerData } from 'node:worker_threads';
import { advise, simulate, UNLIMITED } from 'mongodb-pool-predictor';
import { createQuestion } from './advice-loads.js';
import { binomialTail, fisherTail } from './exact-tests.js';

/** @import { Advice, PoolOptions } from 'mongodb-pool-predictor' */
/** @import { Question } from './advice-loads.js' */

/**
 * @typedef {object} Check of one load
 * @property {number} number
 * @property {import('./advice-loads.js').Kind} kind
 * @property {string} verdict
 * @property {string[]} wrong
 * @property {boolean} isMoreWorse one of the next sizes misses a goal that the smallest meets
 * @property {boolean} failsBinarySearch a binary search alone would find another size
 */

const FRESH_RUNS = 400;
/** Far away from the seeds of advise. */
const FIRST_FRESH = 1e6;
const MISS_SHARE = 0.05;
const IMPOSSIBLE = 1e-4;
/** How many sizes above the smallest are tried, to see whether more is worse. */
const ABOVE = 2;

const { first, step, loads } = workerData;
for (let number = first; number < loads; number += step) parentPort?.postMessage(await checkLoad(number));

/** @param {number} number @returns {Promise<Check>} */
async function checkLoad(number) {
  const question = createQuestion(number);
  const { kind, load, services, overhead, slos, headroom } = question;
  /** @param {PoolOptions} pool @param {number} seed @param {number} factor */
  const simulateRun = (pool, seed, factor) => simulate({
    workload: load.workload, services, overhead, arrivals: load.arrivals(seed, factor), pool, seed });
  const advice = await advise({
    load, services, overhead, slos, headroom, simulateRuns: async (runs) => (
      runs.map(({ pool, seed, factor }) => simulateRun(pool, seed, factor))),
  });
  const factors = headroom === 1 ? [1] : [1, headroom];
  /** @param {PoolOptions} pool @param {number} seed @param {number} factor the time of each goal */
  const timesOf = (pool, seed, factor) => {
    const { routes } = simulateRun(pool, seed, factor);
    return slos.map(({ route, figure }) => (routes[route]?.count > 0 ? routes[route].all[figure] : Infinity));
  };
  const force = bruteForce({ timesOf, factors, slos, runs: advice.seeds, simulateRun });
  const fresh = advice.seeds === 1 ? 1 : FRESH_RUNS;
  /** @type {string[]} */
  const wrong = [];
  const expected = expect(advice, question, force);
  if (advice.verdict !== expected.verdict || advice.poolSize !== expected.poolSize) {
    wrong.push(`${advice.verdict} ${advice.poolSize}, not ${expected.verdict} ${expected.poolSize}`);
  }
  if (advice.poolSize !== null) {
    const missed = force.countMisses(advice.poolSize, FIRST_FRESH, fresh);
    if (missed.some((count) => binomialTail(fresh, MISS_SHARE, count) < IMPOSSIBLE)) {
      wrong.push(`${advice.poolSize} is too small: ${missed.join(', ')} of ${fresh} runs miss the goals`);
    }
    const fewer = advice.poolSize - 1;
    if (fewer > 0) {
      const [before, after] = [force.countMisses(fewer, 1, advice.seeds), force.countMisses(fewer, FIRST_FRESH, fresh)];
      const agree = before.some((count, index) => (
        count > force.allowed && fisherTail(count, advice.seeds, after[index], fresh) >= IMPOSSIBLE));
      if (!agree) wrong.push(`${fewer} would be enough: ${after.join(', ')} of ${fresh} runs miss the goals`);
    }
  }
  return {
    number, kind, verdict: advice.verdict, wrong, isMoreWorse: force.isMoreWorse(), failsBinarySearch: force.bisect() !== force.smallest,
  };
}

/**
 * Every size, one after another.
 *
 * @param {object} options
 * @param {(pool: PoolOptions, seed: number, factor: number) => number[]} options.timesOf
 * @param {(pool: PoolOptions, seed: number, factor: number) => { peakActive: number }} options.simulateRun
 * @param {number[]} options.factors
 * @param {Question['slos']} options.slos
 * @param {number} options.runs
 */
function bruteForce({ timesOf, simulateRun, factors, slos, runs }) {
  // The most misses of all runs that still show, with 95 % confidence, that no more than 5 % of runs miss.
  let allowed = -1;
  while (runs > 1 && 1 - binomialTail(runs, MISS_SHARE, allowed + 2) <= 0.05) allowed++;
  allowed = Math.max(0, allowed);
  const seeds = Array.from({ length: runs }, (_, index) => index + 1);

  /** @param {number} maxPoolSize @param {number} from seed @param {number} count @param {number} [enough] misses @returns one of each goal at each load */
  function countMisses(maxPoolSize, from, count, enough = Infinity) {
    return factors.flatMap((factor) => {
      const missed = slos.map(() => 0);
      for (let seed = from; seed < from + count && missed.every((misses) => misses <= enough); seed++) {
        for (const [goal, ms] of timesOf({ maxPoolSize }, seed, factor).entries()) if (!(ms < slos[goal].limitMs)) missed[goal]++;
      }
      return missed;
    });
  }

  /** @type {Map<number, boolean>} */
  const known = new Map();
  /** @param {number} size */
  function isEnough(size) {
    if (!known.has(size)) known.set(size, countMisses(size, 1, runs, allowed).every((count) => count <= allowed));
    return Boolean(known.get(size));
  }

  const most = Math.max(...factors.flatMap((factor) => seeds.map((seed) => simulateRun(UNLIMITED, seed, factor).peakActive)));
  const sizes = Array.from({ length: most }, (_, index) => index + 1);
  const smallest = sizes.find(isEnough) ?? null;
  return {
    allowed,
    countMisses,
    smallest,
    isMoreWorse: () => smallest !== null && sizes.slice(smallest, smallest + ABOVE).some((size) => !isEnough(size)),
    bisect() {
      if (!isEnough(most)) return null;
      let [low, high] = [1, most];
      while (low < high) {
        const middle = (low + high) >> 1;
        if (isEnough(middle)) high = middle;
        else low = middle + 1;
      }
      return high;
    },
    /** The time of each goal that no more than the allowed runs exceed, at the worse load, without a limit. */
    bestMs: () => slos.map((_, goal) => Math.max(...factors.map((factor) => (
      seeds.map((seed) => timesOf(UNLIMITED, seed, factor)[goal]).sort((a, b) => b - a)[allowed])))),
  };
}

/** @param {Advice} advice @param {Question} question @param {ReturnType<typeof bruteForce>} force */
function expect({ verdict, noise }, { slos, overhead }, { smallest, bestMs }) {
  if (verdict === 'notEnoughData') return { verdict, poolSize: null };
  const times = bestMs();
  const isRefused = overhead === undefined && times.some((ms, goal) => slos[goal].limitMs - ms < Number(noise?.[goal].noiseMs));
  if (isRefused && (smallest !== null || times.every((ms, goal) => ms < slos[goal].limitMs))) {
    return { verdict: 'belowNoise', poolSize: null };
  }
  return { verdict: smallest === null ? 'nothing' : 'size', poolSize: smallest };
}
