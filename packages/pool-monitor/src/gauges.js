/** @import { ServerPool } from './server-pool.js' */

/**
 * @typedef {object} Gauges of this moment
 * @property {number} max most connections there may be to the servers that new queries go to; 0 means no limit
 * @property {number} min
 * @property {number} total idle + active + connecting
 * @property {number} idle ready for new queries
 * @property {number} active checked out
 * @property {number} connecting being opened
 * @property {number} waiting callers that wait for a connection, those included for whom one is being opened
 * @property {number} retiring of the total, those that finish their work where no new query goes: on a server that was
 *   the primary before, or on a client that another has taken over from. So total is at most max + retiring
 */

/**
 * The one reader of what a client has now. A driver keeps one pool for each server, also for a secondary that nobody
 * reads from and for a primary that has stepped down: there, only connections with work count.
 *
 * @param {ServerPool[]} pools of the client that takes new work
 * @param {ServerPool[]} [retiring] of clients that finish their work
 * @returns {Gauges}
 */
export function readGauges(pools, retiring = []) {
  const serving = listServing(pools);
  const gauges = {
    max: serving.some(({ limits }) => limits.max === 0) ? 0 : sumOf(serving, ({ limits }) => limits.max),
    min: sumOf(serving, ({ limits }) => limits.min),
    total: 0, idle: 0, active: 0, connecting: 0, waiting: 0, retiring: 0,
  };
  for (const pool of [...pools, ...retiring]) {
    pool.dropOrphans();
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
 * While there is none, as in an outage or an election, the one that was asked last stands for them.
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
