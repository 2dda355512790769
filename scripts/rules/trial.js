// Tries the rules on a load: the same simulation that `predict` shows.
import { createRunSimulator, predict, UNLIMITED } from 'mongodb-pool-predictor';
import { describeUse } from './load-use.js';
import { RULES } from './rules.js';

/** @import { TriedLoad } from './loads.js' */

/**
 * One rule on one load.
 *
 * @typedef {object} Row
 * @property {string} load
 * @property {string} source
 * @property {string} group even, varied or callers, see groupOf
 * @property {string} route whose requests wait most
 * @property {number} goalMs of its p95
 * @property {number} best the fewest connections that meet the goal
 * @property {number} bestMs p95 with these
 * @property {string} rule
 * @property {number | null} size null where the rule does not apply
 * @property {number | null} ms p95 of the route with that size
 * @property {number | null} lowMs its band, like the next; null where the load is not random
 * @property {number | null} highMs
 * @property {number | null} slower how many times as long as with the best size
 * @property {number | null} larger how many times as many connections as the best size
 * @property {string} verdict right; small: p95 is more than twice as long; large: more than twice the connections; none
 */

/** Sizes up to so many times the most connections that one run uses: other runs may use more. */
const MAX_SIZES = 2;
/** Simulation runs of a random load, the fewest with a 90 % band. */
const SEEDS = 19;
/** The goal: a p95 of at most so much more than without a limit on connections. */
const GOAL = { share: 0.1, ms: 1 };
/** More than this factor is wrong: of a p95, or of connections. */
const WRONG = 2;
/** Where durations or gaps vary by more than this share of their mean, a load is not even. */
const UNEVEN = { use: 1, gaps: 1.5 };
/** Digits of figures in the table. */
const DIGITS = 4;

/**
 * @param {TriedLoad} tried
 * @returns {Promise<Row[]>} one for each rule
 */
export async function tryRules(tried) {
  const { name, source, load, services, overhead, widen } = tried;
  const once = createRunSimulator({ load, services, overhead })({ pool: UNLIMITED, seed: 1, factor: 1 });
  const figuresAt = async (/** @type {number[]} */ sizes) => {
    const poolSizes = [...new Set([...sizes, UNLIMITED.maxPoolSize])].sort((a, b) => a - b);
    const found = await predict({ load, services, overhead, widen, poolSizes, seeds: SEEDS });
    return { facts: found.load, at: new Map(found.variants.map((each) => [each.settings.poolSize, each.predicted])) };
  };
  const { facts, at } = await figuresAt(Array.from({ length: once.peakActive * MAX_SIZES }, (_, index) => index + 1));
  const unlimited = /** @type {NonNullable<ReturnType<typeof at.get>>} */ (at.get(UNLIMITED.maxPoolSize));
  // Above the most that are in use at once, each size does the same.
  const figuresOf = (/** @type {number} */ size) => at.get(size) ?? unlimited;
  const p95Of = (/** @type {number} */ size, /** @type {string} */ of) => figuresOf(size).routes[of]?.p95Ms;
  const slowerOf = (/** @type {string} */ of) => p95Of(facts.floor, of) / unlimited.routes[of].p95Ms || 0;
  const route = Object.keys(unlimited.routes).reduce((a, b) => (slowerOf(b) > slowerOf(a) ? b : a));
  const goalMs = unlimited.routes[route].p95Ms * (1 + GOAL.share) + GOAL.ms;
  const meets = (/** @type {number} */ size) =>
    p95Of(size, route) <= goalMs && figuresOf(size).failures <= unlimited.failures;
  const best = /** @type {number} */ ([...at.keys()].find(meets));
  const bestMs = p95Of(best, route);

  const use = describeUse(tried, facts.usedShare);
  const runWith = (/** @type {number} */ size) => ({
    utilisation: at.has(size) ? figuresOf(size).utilisation : facts.meanActive / size,
    meanWaitMs: figuresOf(size).meanWaitMs,
  });
  const common = {
    ...{ load: name, source, group: groupOf(tried, use), route },
    ...{ goalMs: round(goalMs), best, bestMs: round(bestMs) },
  };
  return RULES.map(({ name: rule, sizeOf }) => {
    const size = sizeOf(use, runWith);
    if (size === null)
      return {
        ...common,
        ...{ rule, size, ms: null, lowMs: null, highMs: null, slower: null, larger: null, verdict: 'none' },
      };
    const { routes, low, high, failures } = figuresOf(size);
    const ms = failures > unlimited.failures ? Infinity : routes[route].p95Ms;
    const [slower, larger] = [ms / bestMs, size / best];
    const verdict = slower > WRONG ? 'small' : larger > WRONG ? 'large' : 'right';
    const [lowMs, highMs] = [low, high].map((end) => (end ? round(end.routes[route].p95Ms) : null));
    return {
      ...common,
      ...{ rule, size, ms: round(ms), lowMs, highMs, slower: round(slower), larger: round(larger), verdict },
    };
  });
}

/**
 * Sorts loads into callers who wait for answers, varied durations or arrivals, and even ones.
 * @param {TriedLoad} tried
 * @param {ReturnType<typeof describeUse>} use
 */
function groupOf({ isOfCallers }, { variationOfUse, variationOfGaps }) {
  if (isOfCallers) return 'callers';
  return variationOfUse > UNEVEN.use || variationOfGaps > UNEVEN.gaps ? 'varied' : 'even';
}

/** @param {number} value */
function round(value) {
  return Number(value.toPrecision(DIGITS));
}
