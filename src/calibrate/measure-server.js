import { quantile } from 'mongodb-pool-predictor';
import { findCores, raiseLoad } from './find-cores.js';
import { measureLevel } from './load-level.js';
import { readIdleCores, timeAlone } from './time-alone.js';
import { shareOfCpu, sharesOfSlowdown } from './work-share.js';

/** @import { CoresFound, Levels } from './find-cores.js' */
/** @import { MeasuredQuery } from './measured-queries.js' */
/** @import { Alone, ReadLoad } from './time-alone.js' */

/** Shares of the time limit: to see what the server does anyway, and to run the queries one at a time. */
const IDLE_SHARE = 0.05;
const MAX_IDLE_MS = 1000;
const ALONE_SHARE = 0.45;
/**
 * Queries with less than this part of the largest share of work are not run at once with others: while a caller waits for a
 * delay, it makes the server do nothing.
 */
const MIN_WORKING = 0.5;

/**
 * @typedef {object} ServerFigures
 * @property {(Alone & { workShare: number })[]} queries
 * @property {number | null} idleCores that the server was busy with before; null where it does not tell
 * @property {number | null} numCores that the server reports
 * @property {Levels | null} load null where no query is work
 * @property {CoresFound | null} found the same
 */

/**
 * Measures each query alone, and then how much of their work the server does at once.
 *
 * @param {MeasuredQuery[]} queries
 * @param {object} options
 * @param {ReadLoad} options.readLoad
 * @param {number} options.limitMs for everything, by performance.now()
 * @param {number} options.maxCallers
 * @param {AbortSignal} options.signal aborted at the time limit as well
 * @param {(what: string) => void} options.onStep
 * @returns {Promise<ServerFigures>}
 */
export async function measureServer(queries, { readLoad, limitMs, maxCallers, signal, onStep }) {
  const leftMs = () => Math.max(0, limitMs - performance.now());
  onStep('what the server does anyway');
  const idleCores = await readIdleCores(readLoad, { forMs: Math.min(MAX_IDLE_MS, leftMs() * IDLE_SHARE), signal });
  const forMs = leftMs() * ALONE_SHARE / queries.length;
  /** @type {Alone[]} */
  const alone = [];
  for (const query of queries) {
    onStep(`${query.route} alone`);
    alone.push(await timeAlone(query, { readLoad, idleCores, forMs, signal }));
  }
  const { cores: numCores } = await readLoad({ signal });
  const told = alone.map(({ cpuMs, meanMs }) => (cpuMs === null ? null : shareOfCpu({ cpuMs, meanMs })));
  // Until the slowdown tells, all of the time counts as work.
  const assumed = told.map((share) => share ?? 1);
  const mostWork = Math.max(...assumed);
  if (mostWork === 0) return { queries: withShares(alone, assumed), idleCores, numCores, load: null, found: null };

  const working = queries.filter((_, index) => assumed[index] >= mostWork * MIN_WORKING);
  const workMs = worksOf(alone, assumed);
  const load = await raiseLoad((options) => measureLevel(working, options), {
    workMs, alone: busyAlone(alone, workMs, working), numCores, maxCallers, leftMs, signal,
    onLevel: (callers) => onStep(`${callers} at once`),
  });
  const shares = told.includes(null) ? sharesOfLoad(alone, load) : assumed;
  const isWork = shares.some((share) => share > 0);
  return {
    queries: withShares(alone, shares), idleCores, numCores, load,
    found: isWork ? findCores(load, worksOf(alone, shares), numCores) : null,
  };
}

/** @param {Alone[]} alone @param {number[]} shares */
function withShares(alone, shares) {
  return alone.map((one, index) => ({ ...one, workShare: shares[index] }));
}

/** @param {Alone[]} alone @param {number[]} shares @returns {Record<string, number>} ms of work by route */
function worksOf(alone, shares) {
  return Object.fromEntries(alone.map(({ route, meanMs }, index) => [route, meanMs * shares[index]]));
}

/**
 * Cores that one caller keeps busy who runs the queries in turns.
 *
 * @param {Alone[]} alone
 * @param {Record<string, number>} workMs
 * @param {MeasuredQuery[]} queries
 */
function busyAlone(alone, workMs, queries) {
  const routes = new Set(queries.map(({ route }) => route));
  const used = alone.filter(({ route }) => routes.has(route));
  const sum = (/** @type {(one: Alone) => number} */ value) => used.reduce((total, one) => total + value(one), 0);
  return sum(({ route }) => workMs[route]) / sum(({ meanMs }) => meanMs);
}

/** The slowdown at the last level, which has the most callers. @param {Alone[]} alone @param {Levels} load */
function sharesOfLoad(alone, { levels }) {
  const { runs, fromMs } = levels[levels.length - 1];
  // Medians, because a pause of the machine must not look like work.
  const aloneMs = alone.map(({ tookMs }) => quantile(tookMs, 0.5));
  const loadedMs = alone.map(({ route }, index) => {
    const counted = runs.filter((run) => run.route === route && run.endedAtMs > fromMs);
    return counted.length === 0 ? aloneMs[index] : quantile(counted.map((run) => run.endedAtMs - run.startedAtMs), 0.5);
  });
  return sharesOfSlowdown(aloneMs, loadedMs);
}
