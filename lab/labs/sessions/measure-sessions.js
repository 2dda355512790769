import { performance } from 'node:perf_hooks';
import { runClosedLoop } from '../../harness/loads/closed-loop.js';
import { createClient } from '../../../src/mongo/client.js';
import { monitorPool } from 'mongodb-pool-monitor';
import { findNewest } from './sessions-data.js';
import { leakStreams, countPool, describePool } from './sessions-pool.js';

/** @import { Context, Measurement } from '../../harness/run-lab.js' */
/** @import { SessionLabOptions, SessionVariant } from './plan-sessions.js' */
/** @import { SessionFigures } from './sessions-view.js' */

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
    const client = createClient(mongoUrl, {
      ...settings,
      poolSize: connections,
      minPoolSize: undefined,
      waitQueueTimeoutMs: poolTimeout,
    });
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

/**
 * Runs a closed loop, and notes how much of the time Node's thread, which runs all of the client, was not idle, and how much
 * CPU time this process got meanwhile, which is less where others use the cores.
 * @param {Parameters<typeof runClosedLoop>[0]} load
 * @param {AbortSignal} signal
 */
async function runTimed(load, signal) {
  const [before, used] = [performance.eventLoopUtilization(), process.cpuUsage()];
  const figures = await runClosedLoop(load, { signal });
  const { user, system } = process.cpuUsage(used);
  return {
    ...figures,
    threadBusy: performance.eventLoopUtilization(before).utilization,
    cpuShare: (user + system) / 1000 / figures.tookMs,
  };
}
