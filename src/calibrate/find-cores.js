import { MAX_LEVEL_MS, workRate, workRatesOfHalves } from './load-level.js';

/** @import { LoadLevel } from './load-level.js' */

/** A server that does at least so much more with more callers was not full. */
const MIN_GROWTH = 1.05;
/** Levels that reach this share of the best one are past the knee. */
const NEAR_BEST = 0.95;
/** This process runs JavaScript on one core. Above this share of it, it is slower than the server. */
const CLIENT_FULL_CORES = 0.9;
/** A shorter level would tell nothing. */
const MIN_LEVEL_MS = 100;
/** Of the time for a level, the rest is for the queries that still run at its end. */
const LEVEL_SHARE = 0.8;

/**
 * @typedef {object} Levels
 * @property {LoadLevel[]} levels
 * @property {'full' | 'callers' | 'client' | 'time'} end why there are no more: the server was full, the number of callers is the
 *   largest allowed, this process was full, or the time was up
 *
 * @typedef {object} CoresFound
 * @property {number} cores whose work the server does at once
 * @property {[low: number, high: number] | null} range null where nothing limits it
 * @property {number} seen the most that was measured
 */

/** @param {number} maxCallers @returns {number[]} 2, 4, 8 and so on, up to that */
export function listLevels(maxCallers) {
  const levels = [];
  for (let callers = 2; callers < maxCallers; callers *= 2) levels.push(callers);
  return [...levels, maxCallers];
}

/**
 * Runs the queries with more and more callers, until the server is full. That is believed when it does less than 5 % more twice:
 * the second time with as many callers, or with more where the server reports at least as many cores as there were callers. At the
 * time limit once is enough.
 *
 * @param {(options: { callers: number, forMs: number, signal: AbortSignal }) => Promise<LoadLevel>} measure see measureLevel
 * @param {object} options
 * @param {Record<string, number>} options.workMs of a query alone, by route
 * @param {number} options.alone cores that one caller keeps busy
 * @param {number | null} options.numCores that the server reports
 * @param {number} options.maxCallers
 * @param {() => number} options.leftMs until the time limit, from 0
 * @param {AbortSignal} options.signal aborted at the time limit as well
 * @param {(callers: number) => void} options.onLevel
 * @returns {Promise<Levels>} at the time limit, the levels that are complete
 * @throws {Error} when there are none
 */
export async function raiseLoad(measure, { workMs, alone, numCores, maxCallers, leftMs, signal, onLevel }) {
  /** @type {LoadLevel[]} */
  const levels = [];
  const steps = listLevels(maxCallers);
  let best = alone;
  let stalled = 0;
  for (let step = 0; step < steps.length;) {
    const callers = steps[step];
    onLevel(callers);
    const possibleMs = leftMs() * LEVEL_SHARE;
    const forMs = Math.min(MAX_LEVEL_MS, Math.max(MIN_LEVEL_MS, possibleMs / (steps.length - step + 1 - stalled)));
    if (possibleMs < MIN_LEVEL_MS) return endInTime(levels, stalled);
    try {
      levels.push(await measure({ callers, forMs, signal }));
    } catch (error) {
      if (signal.aborted && levels.length > 0) return endInTime(levels, stalled);
      throw error;
    }
    const [last] = levels.slice(-1);
    const rate = workRate(last, workMs);
    stalled = rate < best * MIN_GROWTH ? stalled + 1 : 0;
    best = Math.max(best, rate);
    if (last.clientCores > CLIENT_FULL_CORES) return { levels, end: 'client' };
    if (stalled === 2) return { levels, end: 'full' };
    const isRepeated = stalled === 1 && (callers > (numCores ?? 0) || callers === maxCallers);
    if (!isRepeated) step++;
  }
  return { levels, end: 'callers' };
}

/** @param {LoadLevel[]} levels @param {number} stalled how often the server did no more @returns {Levels} */
function endInTime(levels, stalled) {
  if (levels.length === 0) throw new Error('The time limit left no time to run queries at once. Use a larger --seconds.');
  return { levels, end: stalled > 0 ? 'full' : 'time' };
}

/**
 * How many cores' worth of work the server does at once: rate of the queries times their work alone, at the level where that is
 * largest (the utilisation law: busy = rate times service time; P. Denning and J. Buzen, 1978,
 * https://doi.org/10.1145/356733.356735). A server that was not full has at least as many; then the number that it reports
 * counts, if it does.
 *
 * @param {Levels} measured
 * @param {Record<string, number>} workMs of a query alone, by route
 * @param {number | null} numCores that the server reports; it has no more
 * @returns {CoresFound} range: of the halves of all levels past the knee, or from what was measured to what the server reports
 */
export function findCores({ levels, end }, workMs, numCores) {
  const most = numCores ?? Infinity;
  const limit = (/** @type {number} */ cores) => Math.min(most, cores);
  const rates = levels.map((level) => workRate(level, workMs));
  const best = Math.max(...rates);
  const seen = limit(best);
  if (end !== 'full') return { cores: numCores ?? seen, range: numCores === null ? null : [seen, numCores], seen };
  const pastKnee = levels.filter((_, index) => rates[index] >= best * NEAR_BEST);
  const halves = pastKnee.flatMap((level) => workRatesOfHalves(level, workMs)).map(limit);
  return { cores: seen, range: [Math.min(...halves), Math.max(...halves)], seen };
}
