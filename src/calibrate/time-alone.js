import { setTimeout as sleep } from 'node:timers/promises';
import { busyCores } from 'mongodb-pool-monitor/live';

/** @import { ServerLoad } from '../mongo/server-load.js' */
/** @import { MeasuredQuery } from './measured-queries.js' */

/** @typedef {(options: { signal: AbortSignal }) => Promise<ServerLoad>} ReadLoad */

/**
 * A query that ran alone, one at a time.
 *
 * @typedef {object} Alone
 * @property {string} route
 * @property {number[]} tookMs each run
 * @property {number} meanMs
 * @property {number | null} cpuMs the server's processor time for one run; null where the server does not tell
 */

/** Fewer runs say nothing about what differs from one to the next. */
const MIN_RUNS = 3;

/**
 * How much the server does anyway, in cores.
 *
 * @param {ReadLoad} readLoad
 * @param {{ forMs: number, signal: AbortSignal }} options
 * @returns {Promise<number | null>} null where the server does not tell
 */
export async function readIdleCores(readLoad, { forMs, signal }) {
  const before = await readLoad({ signal });
  await sleep(forMs, undefined, { signal });
  return busyCores(before, await readLoad({ signal }));
}

/**
 * Runs a query again and again, one at a time. The first run opens the connection and does not count.
 *
 * @param {MeasuredQuery} query
 * @param {{ readLoad: ReadLoad, idleCores: number | null, forMs: number, signal: AbortSignal }} options idleCores: is
 *   taken off the processor time; forMs: at least three runs, however long they take
 * @returns {Promise<Alone>}
 */
export async function timeAlone({ route, run }, { readLoad, idleCores, forMs, signal }) {
  await run({ signal });
  /** @type {number[]} */
  const tookMs = [];
  const before = await readLoad({ signal });
  const endsAtMs = performance.now() + forMs;
  while (tookMs.length < MIN_RUNS || performance.now() < endsAtMs) {
    const startedAtMs = performance.now();
    await run({ signal });
    tookMs.push(performance.now() - startedAtMs);
  }
  const after = await readLoad({ signal });
  const busy = busyCores(before, after);
  const cpuMs = busy === null ? null : Math.max(0, busy - (idleCores ?? 0)) * (after.atMs - before.atMs);
  return {
    route, tookMs,
    meanMs: tookMs.reduce((sum, ms) => sum + ms, 0) / tookMs.length,
    cpuMs: cpuMs === null ? null : cpuMs / tookMs.length,
  };
}
