import { Checkouts, monitorPool } from 'mongodb-pool-monitor';
import { createClient } from '../../mongo/client.js';
import { customersOf, pickEmail } from '../../mongo/demo-data.js';
import { createServerLoadReader } from '../../mongo/server-load.js';
import { createKinds, drawArrivals } from './draw-arrivals.js';
import { runCallers, sendArrivals } from './run-load.js';
import { summariseQueries } from './saturation-figures.js';
import { createServerSampler } from './watch-server.js';

/** @import { MongoClient } from 'mongodb' */
/** @import { PoolMonitor } from 'mongodb-pool-monitor' */
/** @import { Context } from '../../harness/run-lab.js' */
/** @import { Kind } from './draw-arrivals.js' */
/** @import { Load, Send } from './run-load.js' */
/** @import { SaturationFigures } from './saturation-figures.js' */
/** @import { SaturationOptions } from './plan-saturation.js' */

/** Opening hundreds of connections two at a time would take longer than measuring. */
const MAX_CONNECTING = 100;

/**
 * One load on one pool.
 *
 * @typedef {object} Trial
 * @property {number} poolSize
 * @property {number | null} ratePerSec of open arrivals; null for a closed loop
 * @property {number} measureMs
 * @property {(client: MongoClient) => () => Promise<unknown>} createHeavy
 * @property {MongoClient} observer reads the server's load
 */

/**
 * Opens a pool and all its connections, puts the load on it, and reads what pool and server say meanwhile.
 *
 * @param {Trial} trial
 * @param {SaturationOptions} options
 * @param {Context} context
 * @returns {Promise<SaturationFigures>}
 */
export async function measureTrial(trial, options, { mongoUrl, settings, signal }) {
  const { poolSize, ratePerSec, measureMs, createHeavy, observer } = trial;
  const client = createClient(mongoUrl, {
    ...settings, poolSize, minPoolSize: undefined, maxConnecting: MAX_CONNECTING, waitQueueTimeoutMs: undefined,
  });
  const monitor = monitorPool(client);
  // A caller that waits for a connection does not see the signal.
  const close = () => client.close();
  signal.addEventListener('abort', close);
  const sampler = createServerSampler(createServerLoadReader(observer));
  try {
    await openAll(client, monitor, poolSize, signal);
    /** @type {Load} */
    const load = {
      measureMs, send: createSend(client, monitor, createHeavy(client)), onStart: sampler.start, onEnd: sampler.stop, signal,
    };
    const outcome = ratePerSec === null
      ? await runCallers({ ...load, callers: options.callers, nextKind: createKinds(options.share) })
      : await sendArrivals({ ...load, arrivals: drawArrivals({ ratePerSec, withinMs: measureMs, share: options.share }) });
    return { poolSize, sentPerSec: ratePerSec, ...summariseQueries(outcome), server: sampler.summarise() };
  } finally {
    signal.removeEventListener('abort', close);
    await sampler.stop().catch(() => {});
    monitor.close();
    await client.close();
  }
}

/** @param {MongoClient} client @param {PoolMonitor} monitor @param {() => Promise<unknown>} heavy @returns {Send} */
function createSend(client, monitor, heavy) {
  const checkouts = new Checkouts({ maxKept: 1 });
  checkouts.watch(monitor);
  const customers = customersOf(client);
  /** @type {Record<Kind, () => Promise<unknown>>} */
  const queries = { heavy, cheap: () => customers.findOne({ email: pickEmail() }) };
  return (kind) => checkouts.run({ route: kind }, async (request) => {
    await queries[kind]();
    return { waitMs: request.waitMs, useMs: request.useMs };
  });
}

/** @param {MongoClient} client @param {PoolMonitor} monitor @param {number} poolSize @param {AbortSignal} signal */
async function openAll(client, monitor, poolSize, signal) {
  const customers = customersOf(client);
  while (monitor.snapshot().totals.total < poolSize) {
    signal.throwIfAborted();
    await Promise.all(Array.from({ length: poolSize }, () => customers.findOne({ email: pickEmail() })));
  }
}
