import { Checkouts, monitorPool } from 'mongodb-pool-monitor';
import { busyCores } from 'mongodb-pool-page';
import { createClient } from '../../../src/mongo/client.js';
import { customersOf, pickEmail } from '../../../src/mongo/demo-data.js';
import { createServerLoadReader } from 'mongodb-pool-monitor';
import { createKinds, drawArrivals, runCallers, sendArrivals } from './run-load.js';
import { summariseQueries } from './saturation-figures.js';

/** @import { MongoClient } from 'mongodb' */
/** @import { PoolMonitor } from 'mongodb-pool-monitor' */
/** @import { Context } from '../../harness/run-lab.js' */
/** @import { ServerStatusLoad } from 'mongodb-pool-monitor' */
/** @import { QueryKind, Send, TrialLoad } from './run-load.js' */
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
 * Opens a pool and all its connections, puts the load on it, and reads how many cores the server kept busy meanwhile.
 *
 * @param {Trial} trial
 * @param {SaturationOptions} options
 * @param {Context} context
 * @returns {Promise<SaturationFigures>}
 */
export async function measureTrial(trial, options, { mongoUrl, settings, signal }) {
  const { poolSize, ratePerSec, measureMs, createHeavy, observer } = trial;
  const client = createClient(mongoUrl, {
    ...settings,
    poolSize,
    minPoolSize: undefined,
    maxConnecting: MAX_CONNECTING,
    waitQueueTimeoutMs: undefined,
  });
  const monitor = monitorPool(client);
  // A caller that waits for a connection does not see the signal.
  const close = () => client.close();
  signal.addEventListener('abort', close);
  const readServer = createServerLoadReader(observer);
  /** @type {ServerStatusLoad[]} */
  const readings = [];
  const addReading = async () => {
    readings.push(await readServer());
  };
  try {
    await openAll(client, monitor, poolSize, signal);
    /** @type {TrialLoad} */
    const load = {
      measureMs,
      send: createSend(client, monitor, createHeavy(client)),
      onStart: addReading,
      onEnd: addReading,
      signal,
    };
    const outcome =
      ratePerSec === null
        ? await runCallers({ ...load, callers: options.callers, nextKind: createKinds(options.share) })
        : await sendArrivals({
            ...load,
            arrivals: drawArrivals({ ratePerSec, withinMs: measureMs, share: options.share }),
          });
    const [before, after] = readings;
    return {
      poolSize,
      sentPerSec: ratePerSec,
      ...summariseQueries(outcome),
      server: { cores: after.cores, coresBusy: busyCores(before, after) },
    };
  } finally {
    signal.removeEventListener('abort', close);
    monitor.close();
    await client.close();
  }
}

/** @param {MongoClient} client @param {PoolMonitor} monitor @param {() => Promise<unknown>} heavy @returns {Send} */
function createSend(client, monitor, heavy) {
  const checkouts = new Checkouts({ maxKept: 1 });
  checkouts.watch(monitor);
  const customers = customersOf(client);
  /** @type {Record<QueryKind, () => Promise<unknown>>} */
  const queries = { heavy, cheap: () => customers.findOne({ email: pickEmail() }) };
  return (kind) =>
    checkouts.run({ route: kind }, async (request) => {
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
