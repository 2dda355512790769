import { measureTrial } from './measure-trial.js';
import { createClient } from '../../../src/mongo/client.js';
import { seedCustomers } from '../../../src/mongo/demo-data.js';
import { calibrateWork, createWorkQuery } from '../../../src/mongo/work-query.js';

/** @import { Context, Measurement, Prepared } from '../../harness/run-lab.js' */
/** @import { SaturationFigures } from './saturation-figures.js' */
/** @import { SaturationPlan, SaturationVariant, SaturationOptions } from './plan-saturation.js' */
/** @import { MongoClient } from 'mongodb' */
/** @import { Trial } from './measure-trial.js' */

/** A pool that keeps a few cores busy and is not too large, for runs without a survey. */
const CAPACITY_POOL = 4;

/**
 * @typedef {Pick<Trial, 'observer' | 'createHeavy'>} ServerUnderLoad
 *
 * @typedef {ServerUnderLoad & { capacityPerSec: number | null, survey: Surveyed[] }} Shared `capacityPerSec`: queries that the
 *   server can answer; null where no load needs it, or the survey shows it. `survey` fills up as sizes are measured.
 */

/**
 * @param {SaturationPlan} plan
 * @param {Context} context
 * @returns {Promise<Prepared<Shared>>}
 */
export async function prepareSaturation({ settings: options }, context) {
  const observer = createClient(context.mongoUrl, { ...context.settings, poolSize: 1, minPoolSize: undefined });
  try {
    await seedCustomers(observer);
    const speed = await calibrateWork(observer, { signal: context.signal });
    /** @param {MongoClient} client */
    const createHeavy = (client) => {
      const work = createWorkQuery(client, speed);
      return () => work(options.heavyMs);
    };
    const isNeeded = !options.loads.includes('closed');
    const capacityPerSec = isNeeded ? await measureCapacity({ observer, createHeavy }, options, context) : null;
    return { shared: { observer, createHeavy, capacityPerSec, survey: [] }, undo: () => observer.close() };
  } catch (error) {
    await observer.close().catch(() => {});
    throw error;
  }
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

/** @typedef {{ poolSize: number, ratePerSec: number, heavyP99Ms: number }} Surveyed one pool size, measured once */

/** @param {Surveyed[]} survey @returns {number} the most queries per second */
function mostOf(survey) {
  return Math.max(...survey.map(({ ratePerSec }) => ratePerSec));
}

/** A size that answers fewer queries than this share of the most is no candidate, however quickly it answers them. */
const ENOUGH = 0.8;

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

/**
 * The best pool size below the reference: of those that answer at least 80 % as many queries as any other, the one whose heavy
 * queries have the lowest p99. It is chosen from the survey, and compared in separate measurements. If the same measurements
 * served both purposes, the best size would partly be the luckiest one.
 *
 * @param {Surveyed[]} survey
 * @param {number} reference
 * @returns {number}
 * @throws {Error} if no size below the reference was measured
 */
export function chooseBestSize(survey, reference) {
  const smaller = survey.filter(({ poolSize }) => poolSize < reference);
  if (smaller.length === 0) throw new Error(`no pool size below ${reference} was measured`);
  const [best] = smaller
    .filter(({ ratePerSec }) => ratePerSec >= ENOUGH * mostOf(smaller))
    .toSorted((a, b) => a.heavyP99Ms - b.heavyP99Ms || a.poolSize - b.poolSize);
  return best.poolSize;
}
