import { WAITED_MS } from '../../harness/summarise-checkouts.js';
import { isStreamCheckout } from './leak.js';

/** @import { PoolMonitor } from 'mongodb-pool-monitor' */

/**
 * @typedef {object} PoolFigures as in mgo's statistics
 * @property {number} total open connections: mgo's sockets alive
 * @property {number} active of them in use
 * @property {number} acquired checkouts
 * @property {number} timesWaited checkouts and timeouts that took a millisecond or more
 * @property {number} totalWaitMs of these
 * @property {number} timeouts checkouts that failed by the wait-queue timeout
 */

const STREAM = 'a change stream';

/**
 * Counts what a pool does for queries from now on. Change streams that share it are not counted.
 * @param {PoolMonitor} monitor
 * @returns {() => PoolFigures} reads the counts
 */
export function countPool(monitor) {
  const counts = { acquired: 0, timesWaited: 0, totalWaitMs: 0, timeouts: 0 };
  monitor.subscribe(({ type, checkout, durationMs, reason }) => {
    if (checkout && type === 'checkOutStarted' && isStreamCheckout()) checkout.caller = STREAM;
    if (checkout?.caller === STREAM) return;
    if (type === 'checkedOut') counts.acquired += 1;
    else if (type === 'checkOutFailed' && reason === 'timeout') counts.timeouts += 1;
    else return;
    if (durationMs < WAITED_MS) return;
    counts.timesWaited += 1;
    counts.totalWaitMs += durationMs;
  });
  return () => {
    const { total, active } = monitor.snapshot().totals;
    return { total, active, ...counts };
  };
}

/** @param {PoolFigures} figures */
export function describePool({ total, active, acquired, timesWaited, totalWaitMs, timeouts }) {
  return `sockets alive ${total}, in use ${active}, times acquired ${acquired}, times waited ${timesWaited}, `
    + `total wait ${(totalWaitMs / 1000).toFixed(1)} s, timeouts ${timeouts}`;
}
