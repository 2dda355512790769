import { Checkouts, monitorPool, createServerLoadReader } from 'mongodb-pool-monitor';
import { busyCores } from 'mongodb-pool-page';
import { createClient } from '../../../src/mongo/client.js';
import { seedCustomers, customersOf, pickEmail } from '../../../src/mongo/demo-data.js';
import { calibrateWork, createWorkQuery } from '../../../src/mongo/work-query.js';
import { createKinds, drawArrivals, runCallers, sendArrivals } from './run-load.js';
import { summariseQueries } from './saturation-figures.js';
import { chooseBestSize, mostOf } from './survey.js';

/** @import { Context, Measurement, Prepared } from '../../harness/run-lab.js' */
/** @import { SaturationFigures } from './saturation-figures.js' */
/** @import { SaturationPlan, SaturationVariant, SaturationOptions } from './saturation-lab.js' */
/** @import { MongoClient } from 'mongodb' */
/** @import { PoolMonitor, ServerStatusLoad } from 'mongodb-pool-monitor' */
/** @import { QueryKind, Send, TrialLoad } from './run-load.js' */
/** @import { Surveyed } from './survey.js' */

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
async function measureTrial(trial, options, { mongoUrl, settings, signal }) {
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
    const send = createSend(client, monitor, createHeavy(client));
    /** @type {TrialLoad} */
    const load = { measureMs, send, onStart: addReading, onEnd: addReading, signal };
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

/** A pool that keeps a few cores busy and is not too large, for runs without a survey. */
const CAPACITY_POOL = 4;

/**
 * @typedef {Pick<Trial, 'observer' | 'createHeavy'>} ServerUnderLoad
 *
 * @typedef {ServerUnderLoad & { capacityPerSec: number | null, survey: Surveyed[] }} Shared `capacityPerSec`: queries
 *   that the server can answer; null where no load needs it, or the survey shows it. `survey` fills up as sizes are
 *   measured.
 */

/**
 * @param {SaturationPlan} plan
 * @param {Context} context
 * @returns {Promise<Prepared<Shared>>}
 */
export async function prepareSaturation({ settings: options }, context) {
  const observer = createClient(context.mongoUrl, { ...context.settings, poolSize: 1, minPoolSize: undefined });
  context.onEnd(() => observer.close());
  await seedCustomers(observer);
  const speed = await calibrateWork(observer, { signal: context.signal });
  /** @param {MongoClient} client */
  const createHeavy = (client) => {
    const work = createWorkQuery(client, speed);
    return () => work(options.heavyMs);
  };
  const isNeeded = !options.loads.includes('closed');
  const capacityPerSec = isNeeded ? await measureCapacity({ observer, createHeavy }, options, context) : null;
  return { shared: { observer, createHeavy, capacityPerSec, survey: [] } };
}

/** @param {ServerUnderLoad} server @param {SaturationOptions} options @param {Context} context */
async function measureCapacity(server, options, context) {
  const { ratePerSec } = await measureTrial(
    { ...server, poolSize: CAPACITY_POOL, ratePerSec: null, measureMs: options.measureMs },
    options,
    context,
  );
  return ratePerSec;
}

/**
 * @param {SaturationVariant} variant
 * @param {SaturationPlan} plan
 * @param {Context & { shared: Shared }} context
 * @returns {Promise<Measurement<SaturationFigures>>}
 */
export async function measureVariant({ settings: { load, role, poolSize } }, plan, context) {
  const { observer, createHeavy, survey, capacityPerSec } = context.shared;
  const measured = await measureTrial(
    {
      poolSize: poolSize ?? chooseBestSize(survey, plan.settings.reference),
      ratePerSec: load === 'closed' ? null : (capacityPerSec ?? mostOf(survey)) * load,
      measureMs: plan.settings.measureMs,
      createHeavy,
      observer,
    },
    plan.settings,
    context,
  );
  if (role === 'size' && load === 'closed') {
    const { ratePerSec, heavy } = measured;
    survey.push({ poolSize: measured.poolSize, ratePerSec, heavyP99Ms: heavy.p99Ms ?? Infinity });
  }
  return {
    measured,
    ...(measured.timeouts > 0 && {
      warnings: [`${measured.timeouts} queries had no answer when the lab stopped waiting`],
    }),
  };
}
