import { WAITED_MS } from '../../harness/summarise-checkouts.js';
import { isStreamAsking } from './leak.js';

/** @import { PoolMonitor } from 'mongodb-pool-monitor' */

/**
 * @typedef {object} PoolFigures what mgo's statistics told of its pool
 * @property {number} total connections there are: mgo's sockets alive
 * @property {number} active of them in use
 * @property {number} acquired how often one was taken
 * @property {number} timesWaited how often that, or giving up, took a millisecond or more
 * @property {number} totalWaitMs all those waits
 * @property {number} timeouts how often the wait was too long
 */

const STREAM = 'a change stream';

/**
 * Count what a pool does for queries from now on. Change streams that share it are not counted.
 * @param {PoolMonitor} monitor
 * @returns {() => PoolFigures} what it did until then
 */
export function countPool(monitor) {
  const counts = { acquired: 0, timesWaited: 0, totalWaitMs: 0, timeouts: 0 };
  monitor.subscribe(({ type, checkout, durationMs, reason }) => {
    if (checkout && type === 'checkOutStarted' && isStreamAsking()) checkout.caller = STREAM;
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
