import { createClient } from '../../mongo/client.js';
import { DATABASE, seedCustomers } from '../../mongo/demo-data.js';
import { CAUSES } from './causes.js';
import { measureTrial } from './measure-trial.js';

/** @import { MongoClient } from 'mongodb' */
/** @import { Context, Prepared } from '../../harness/run-lab.js' */
/** @import { Surveyed } from './best-size.js' */
/** @import { CauseName, PreparedCause } from './causes.js' */
/** @import { SaturationOptions, SaturationPlan } from './plan-saturation.js' */

/** One to set up, one to read the server's load while the other sets tickets. */
const CONNECTIONS = 2;
/** A pool that keeps a few cores busy and is not too large. */
const CAPACITY_POOL = 4;

/**
 * @typedef {PreparedCause & { capacityPerSec: number | null, survey: Surveyed[] }} ReadyCause `capacityPerSec`: queries that
 *   the server can answer; null where no load needs it. `survey` fills up as sizes are measured.
 *
 * @typedef {object} Shared
 * @property {MongoClient} observer
 * @property {Map<CauseName, ReadyCause>} causes
 */

/**
 * @param {SaturationPlan} plan
 * @param {Context} context
 * @returns {Promise<Prepared<Shared>>}
 */
export async function prepareSaturation({ settings: options }, context) {
  const observer = createClient(context.mongoUrl, { ...context.settings, poolSize: CONNECTIONS, minPoolSize: undefined });
  const collection = `saturation_${process.pid}`;
  /** @type {Shared['causes']} */
  const causes = new Map();
  /** @type {Map<CauseName, string>} */
  const reasons = new Map();
  const undo = async () => {
    try {
      for (const { end } of causes.values()) await end?.();
      await observer.db(DATABASE).dropCollection(collection);
    } finally {
      await observer.close();
    }
  };
  try {
    await seedCustomers(observer);
    for (const cause of options.causes) {
      const reason = await prepareCause(cause);
      if (reason) reasons.set(cause, `${CAUSES[cause].label}: not measured: ${reason}`);
    }
    return { shared: { observer, causes }, skip: ({ settings }) => reasons.get(settings.cause), undo };
  } catch (error) {
    await undo().catch(() => {});
    throw error;
  }

  /** @param {CauseName} name @returns {Promise<string | undefined>} why it can't be measured */
  async function prepareCause(name) {
    if (name === 'tickets' && !context.isEmbedded && !options.changeTickets) {
      return 'others may use this MongoDB, too. --change-tickets lets the lab set its read tickets, and restore them.';
    }
    try {
      const cause = await CAUSES[name].prepare({ client: observer, collection, options, signal: context.signal });
      causes.set(name, { ...cause, capacityPerSec: null, survey: [] });
    } catch (error) {
      context.signal.throwIfAborted();
      if (name !== 'tickets') throw error;
      return /** @type {Error} */ (error).message;
    }
    const ready = /** @type {ReadyCause} */ (causes.get(name));
    const isNeeded = options.loads.some((load) => load !== 'closed');
    if (isNeeded) ready.capacityPerSec = await measureCapacity(ready, observer, options, context);
    return undefined;
  }
}

/** @param {ReadyCause} cause @param {MongoClient} observer @param {SaturationOptions} options @param {Context} context */
async function measureCapacity({ createHeavy, begin, end }, observer, options, context) {
  await begin?.();
  try {
    const { ratePerSec } = await measureTrial({
      poolSize: CAPACITY_POOL, ratePerSec: null, measureMs: options.measureMs, observer,
      createHeavy: (client) => createHeavy(client, false),
    }, options, context);
    return ratePerSec;
  } finally {
    await end?.();
  }
}
