import { WAITED_MS } from '../../harness/summarise-checkouts.js';
import { AsyncLocalStorage } from 'node:async_hooks';
import { watchCiphers } from './sessions-data.js';

/** @import { PoolMonitor } from 'mongodb-pool-monitor' */

/**
 * @typedef {object} PoolStatistics as in mgo's statistics
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
 * @returns {() => PoolStatistics} reads the counts
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

/** @param {PoolStatistics} figures */
export function describePool({ total, active, acquired, timesWaited, totalWaitMs, timeouts }) {
  return (
    `sockets alive ${total}, in use ${active}, times acquired ${acquired}, times waited ${timesWaited}, ` +
    `total wait ${(totalWaitMs / 1000).toFixed(1)} s, timeouts ${timeouts}`
  );
}

/** True in the async context of a change stream. @type {AsyncLocalStorage<true>} */
const streams = new AsyncLocalStorage();

/** Whether a change stream is checking out a connection at this moment. */
function isStreamCheckout() {
  return streams.getStore() === true;
}

/**
 * Opens change streams and leaves them open, like a session of mgo that nobody closed. Each sends getMore until the client
 * closes, and keeps a connection until the answer comes.
 * @param {import('mongodb').MongoClient} client
 * @param {import('mongodb-pool-monitor').PoolMonitor} monitor the client's
 * @param {number} count from 1
 * @param {number} [maxAwaitMs] how long the server holds back an answer, default the server's
 * @returns {Promise<void>} resolves once they hold as many connections as they can
 * @throws what the driver throws, for example where there is no replica set
 */
export async function leakStreams(client, monitor, count, maxAwaitMs) {
  // First each opens. Then they send getMore, as many at a time as there are connections.
  const enough = count + Math.min(count, client.options.maxPoolSize);
  let checkouts = 0;
  /** @type {() => void} */
  let unsubscribe = () => {};
  const held = new Promise((resolve) => {
    unsubscribe = monitor.subscribe(({ type }) => {
      if (type === 'checkedOut' && ++checkouts === enough) resolve(undefined);
    });
  });
  // After this nobody listens to a stream's end.
  const ends = streams.run(true, () => Array.from({ length: count }, () => watchCiphers(client, maxAwaitMs).next()));
  await Promise.race([held, ...ends]);
  unsubscribe();
}
