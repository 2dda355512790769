import { Durations } from './durations.js';

/** @import { DurationSummary } from './durations.js' */
/** @import { ServerPool } from './server-pool.js' */

/**
 * @typedef {object} LifetimeSummary
 * @property {number} peakActive
 * @property {number} peakWaiting
 * @property {number} checkedOut
 * @property {number} operationsFailed uses of a connection in which an operation failed. The driver reports those that
 *   broke their connection (a lost server, an abort), and with `monitorCommands` all of them
 * @property {Record<string, number>} checkOutFailed by reason: timeout, connectionError, poolClosed
 * @property {number} created
 * @property {Record<string, number>} closed by reason: idle, stale, error, poolClosed, and abandoned for a connection
 *   that the driver dropped without an event. created minus the sum of closed is total
 * @property {number} cleared
 * @property {DurationSummary} wait from checkOutStarted to checkedOut, connecting included
 * @property {DurationSummary} use from checkedOut to checkedIn, failed operations included
 * @property {DurationSummary} connect opening a connection, handshake included
 */

/** What happened in one pool since it was created. */
export class Lifetime {
  peakActive = 0;
  peakWaiting = 0;
  checkedOut = 0;
  operationsFailed = 0;
  cleared = 0;
  /** @type {Record<string, number>} */
  checkOutFailed = {};
  wait = new Durations();
  use = new Durations();
  connect = new Durations();
}

/** @param {ServerPool[]} pools @returns {LifetimeSummary} sums; the peaks are sums of the pools' peaks */
export function summariseLifetime(pools) {
  const lifetimes = pools.map(({ lifetime }) => lifetime);
  /** @param {'peakActive' | 'peakWaiting' | 'checkedOut' | 'operationsFailed' | 'cleared'} counter */
  const sum = (counter) => lifetimes.reduce((total, lifetime) => total + lifetime[counter], 0);
  return {
    peakActive: sum('peakActive'),
    peakWaiting: sum('peakWaiting'),
    checkedOut: sum('checkedOut'),
    operationsFailed: sum('operationsFailed'),
    checkOutFailed: sumByKey(lifetimes.map(({ checkOutFailed }) => checkOutFailed)),
    created: pools.reduce((total, { connections }) => total + connections.created, 0),
    closed: sumByKey(pools.map(({ connections }) => connections.closed)),
    cleared: sum('cleared'),
    wait: merge(lifetimes.map(({ wait }) => wait)),
    use: merge(lifetimes.map(({ use }) => use)),
    connect: merge(lifetimes.map(({ connect }) => connect)),
  };
}

/** @param {Record<string, number>[]} counts */
function sumByKey(counts) {
  /** @type {Record<string, number>} */
  const sums = {};
  for (const [key, value] of counts.flatMap((each) => Object.entries(each))) sums[key] = (sums[key] ?? 0) + value;
  return sums;
}

/** @param {Durations[]} durations */
function merge(durations) {
  if (durations.length === 1) return durations[0].summary();
  const all = new Durations();
  for (const each of durations) all.add(each);
  return all.summary();
}
