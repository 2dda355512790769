import { runClosedLoop } from '../harness/closed-loop.js';

/** @import { MeasuredQuery } from './measured-queries.js' */

/**
 * Callers that sent their next query when they got the last answer.
 *
 * @typedef {object} LoadLevel
 * @property {number} callers
 * @property {number} fromMs the measurement began, after a warm-up
 * @property {number} untilMs it ended
 * @property {{ route: string, startedAtMs: number, endedAtMs: number }[]} runs of queries
 * @property {number} clientCores how busy this process was, in cores
 */

/** Share of a level in which the pool opens its connections: while a caller waits, the driver opens another one. */
const WARM_UP_SHARE = 0.25;
/** Longer levels would tell no more. */
export const MAX_LEVEL_MS = 10_000;
/** More than Node.js can send within a level. */
const MAX_RUNS = 250_000;

/**
 * Runs the queries in turns, at most `callers` at once.
 *
 * @param {MeasuredQuery[]} queries
 * @param {{ callers: number, forMs: number, signal: AbortSignal }} options no query starts later than forMs
 * @returns {Promise<LoadLevel>}
 */
export async function measureLevel(queries, { callers, forMs, signal }) {
  /** @type {LoadLevel['runs']} */
  const runs = [];
  const before = process.cpuUsage();
  const startedAtMs = performance.now();
  const { tookMs } = await runClosedLoop({
    workers: callers, total: MAX_RUNS, withinMs: forMs, signal,
    async task(index) {
      const { route, run } = queries[index % queries.length];
      const runStartedAtMs = performance.now();
      await run({ signal });
      runs.push({ route, startedAtMs: runStartedAtMs, endedAtMs: performance.now() });
    },
  });
  const { user, system } = process.cpuUsage(before);
  return {
    callers, runs, fromMs: startedAtMs + forMs * WARM_UP_SHARE, untilMs: startedAtMs + Math.min(forMs, tookMs),
    clientCores: (user + system) / 1000 / tookMs,
  };
}

/**
 * How much work the server did for the callers, in cores. A query that ran only partly within the time counts by that part, so
 * that a few long queries give a figure as well.
 *
 * @param {LoadLevel} level
 * @param {Record<string, number>} workMs of a query alone, by route
 * @param {{ fromMs: number, untilMs: number }} [within]
 * @returns {number} rate of the queries times their work
 */
export function workRate({ runs, ...level }, workMs, { fromMs, untilMs } = level) {
  const doneMs = runs.reduce((sum, { route, startedAtMs, endedAtMs }) => {
    const insideMs = Math.min(endedAtMs, untilMs) - Math.max(startedAtMs, fromMs);
    return insideMs <= 0 ? sum : sum + (insideMs / (endedAtMs - startedAtMs)) * workMs[route];
  }, 0);
  return doneMs / (untilMs - fromMs);
}

/**
 * The same for each half of the time, which shows how far two measurements differ.
 *
 * @param {LoadLevel} level
 * @param {Record<string, number>} workMs
 */
export function workRatesOfHalves(level, workMs) {
  const middleMs = (level.fromMs + level.untilMs) / 2;
  return [{ fromMs: level.fromMs, untilMs: middleMs }, { fromMs: middleMs, untilMs: level.untilMs }]
    .map((half) => workRate(level, workMs, half));
}
