import { AsyncLocalStorage } from 'node:async_hooks';
import { monitorPool } from 'mongodb-pool-monitor';
import { watchThread } from '../../harness/environment.js';
import { runClosedLoop } from '../../harness/loads/closed-loop.js';
import { createClient } from '../../../src/mongo/client.js';
import { findNewest, watchCiphers } from './sessions-data.js';
import { WAITED_MS } from '../../harness/summarise-checkouts.js';

/** @import { Context, Measurement } from '../../harness/run-lab.js' */
/** @import { SessionLabOptions, SessionVariant } from './plan-sessions.js' */
/** @import { SessionFigures } from './sessions-view.js' */
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
function countPool(monitor) {
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
function describePool({ total, active, acquired, timesWaited, totalWaitMs, timeouts }) {
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
 * Opens change streams and leaves them open, like a session of mgo that nobody closed. Each sends getMore until the
 * client closes, and keeps a connection until the answer comes.
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

const STATS_EVERY_MS = 1000;
/** Longest warm-up: in its first second a client runs at half speed. */
const WARM_UP_MS = 1000;
const WARM_UP_CLIENTS = 10;
/** Longest measurement where the number of queries was ours to choose: a busy machine may need much longer for them. */
const ENOUGH_MS = 12_000;

/**
 * Workers that share a client.
 * @param {SessionVariant} variant
 * @param {SessionLabOptions} options
 * @param {Context} context
 * @returns {Promise<Measurement<SessionFigures>>}
 */
export async function measurePool(
  { name, settings: { workers, poolSize, queries } },
  options,
  { mongoUrl, settings, signal, report },
) {
  const { poolTimeout, stats, leaks = 0, maxAwait, secondClient } = options;
  const withinMs = options.queries ? Infinity : ENOUGH_MS;
  const shared = openClient(Number(poolSize));
  const leaky = secondClient ? openClient(leaks) : shared;
  const close = () => Promise.all([shared.client.close(), leaky.client.close()]);
  // A worker that waits for a connection without a limit does not see the signal.
  signal.addEventListener('abort', close);
  /** @type {NodeJS.Timeout | undefined} */
  let ticker;
  try {
    const wanted = Math.min(Number(poolSize), workers + (secondClient ? 0 : leaks));
    // The driver opens two connections at a time, so this may take several rounds.
    do await runClosedLoop({ workers: wanted, total: wanted, task }, { signal });
    while (shared.monitor.snapshot().totals.total < wanted);
    await runClosedLoop({ workers, total: queries, task, withinMs: WARM_UP_MS }, { signal });

    const readPool = countPool(shared.monitor);
    if (leaks > 0) await leakStreams(leaky.client, leaky.monitor, leaks, maxAwait);
    const reportPool = () => report(`${name}: ${describePool(readPool())}`);
    if (stats) ticker = setInterval(reportPool, STATS_EVERY_MS);
    const loop = await runTimed({ workers, total: queries, task, withinMs }, signal);
    if (stats) reportPool();
    const { total, timesWaited, totalWaitMs, timeouts } = readPool();
    const ratePerSec = ((loop.count - timeouts) / loop.tookMs) * 1000;
    return {
      measured: { ...loop, ratePerSec, failures: timeouts, opened: total, timesWaited, totalWaitMs },
      ...(timeouts > 0 && { failed: `${timeouts} queries got no connection within ${poolTimeout} ms` }),
    };
  } finally {
    clearInterval(ticker);
    signal.removeEventListener('abort', close);
    await close();
  }

  /** @param {number} connections */
  function openClient(connections) {
    const own = { poolSize: connections, minPoolSize: undefined, waitQueueTimeoutMs: poolTimeout };
    const client = createClient(mongoUrl, { ...settings, ...own });
    return { client, monitor: monitorPool(client) };
  }

  /** @param {number} n */
  async function task(n) {
    try {
      await findNewest(shared.client, n);
    } catch (error) {
      // The driver does not export this error's class. The pool counts these timeouts.
      if (/** @type {Error} */ (error).name !== 'MongoWaitQueueTimeoutError') throw error;
    }
  }
}

/**
 * Workers that open and close a client for each query.
 * @param {SessionVariant} variant
 * @param {SessionLabOptions} options
 * @param {Context} context
 * @returns {Promise<Measurement<SessionFigures>>}
 */
export async function measureClients({ settings: { workers, queries } }, options, { mongoUrl, settings, signal }) {
  let opened = 0;
  /** @param {number} n */
  async function task(n) {
    const client = createClient(mongoUrl, { serverSelectionTimeoutMs: settings.serverSelectionTimeoutMs });
    client.on('connectionCreated', () => {
      opened += 1;
    });
    try {
      await findNewest(client, n);
    } finally {
      await client.close();
    }
  }
  await runClosedLoop({ workers: Math.min(workers, WARM_UP_CLIENTS), total: WARM_UP_CLIENTS, task }, { signal });
  opened = 0;
  const loop = await runTimed({ workers, total: queries, task }, signal);
  return { measured: { ...loop, failures: 0, opened } };
}

/** @param {Parameters<typeof runClosedLoop>[0]} load @param {AbortSignal} signal */
async function runTimed(load, signal) {
  const readUse = watchThread();
  return { ...(await runClosedLoop(load, { signal })), ...readUse() };
}
