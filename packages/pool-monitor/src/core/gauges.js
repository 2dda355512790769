/** @import { ServerPool } from './server-pool.js' */

/**
 * @typedef {object} Gauges
 * @property {number} max the largest number of connections to the servers that new queries go to; 0 means no limit
 * @property {number} min
 * @property {number} total idle + active + connecting
 * @property {number} idle ready for new queries
 * @property {number} active checked out
 * @property {number} connecting being opened
 * @property {number} waiting callers without a connection, including those a connection is being opened for
 * @property {number} retiring the part of total that is still in use where no new query goes, on a former primary or on
 *   a client that was replaced. So total is at most max + retiring
 */

/**
 * Reads the gauges, the same way everywhere. The driver keeps a pool for each server, also for a secondary that nobody
 * reads from and for a former primary. In those pools only connections with work count.
 *
 * @param {ServerPool[]} pools of the client that takes new work
 * @param {ServerPool[]} [retiring] of replaced clients that finish their work
 * @returns {Gauges}
 */
export function readGauges(pools, retiring = []) {
  const serving = listServing(pools);
  const gauges = {
    // All pools of a client have the same limits: with one that has none, the sum is 0 as well.
    max: sumOf(serving, ({ limits }) => limits.max),
    min: sumOf(serving, ({ limits }) => limits.min),
    total: 0,
    idle: 0,
    active: 0,
    connecting: 0,
    waiting: 0,
    retiring: 0,
  };
  for (const pool of [...pools, ...retiring]) {
    pool.abandoned.dropOld();
    const { idle, active, connecting } = pool.connections.states;
    const isServing = serving.includes(pool);
    gauges.total += active + connecting + (isServing ? idle : 0);
    gauges.idle += isServing ? idle : 0;
    gauges.active += active;
    gauges.connecting += connecting;
    gauges.waiting += pool.waiting;
    gauges.retiring += isServing ? 0 : active + connecting;
  }
  return gauges;
}

/**
 * During an outage or an election no pool serves, so the pool that was used last stands in.
 * @param {ServerPool[]} pools
 */
function listServing(pools) {
  const serving = pools.filter(({ isServing }) => isServing);
  if (serving.length > 0) return serving;
  return pools.toSorted((a, b) => b.queue.lastStartedMs - a.queue.lastStartedMs).slice(0, 1);
}

/** @param {ServerPool[]} pools @param {(pool: ServerPool) => number} of */
function sumOf(pools, of) {
  return pools.reduce((sum, pool) => sum + of(pool), 0);
}
