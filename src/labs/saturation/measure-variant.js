import { chooseBestSize } from './best-size.js';
import { measureTrial } from './measure-trial.js';

/** @import { Context, Measurement } from '../../harness/run-lab.js' */
/** @import { ReadyCause, Shared } from './prepare.js' */
/** @import { SaturationFigures } from './saturation-figures.js' */
/** @import { SaturationPlan, SaturationVariant } from './plan-saturation.js' */

/**
 * @param {SaturationVariant} variant
 * @param {SaturationPlan} plan
 * @param {Context & { shared: Shared }} context
 * @returns {Promise<Measurement<SaturationFigures>>}
 */
export async function measureVariant({ settings: { cause: name, load, role, poolSize } }, plan, context) {
  const { observer, causes } = context.shared;
  const cause = /** @type {ReadyCause} */ (causes.get(name));
  const isControl = role === 'control';
  const { createHeavy, begin, end, survey, capacityPerSec } = cause;
  if (!isControl) await begin?.();
  try {
    const measured = await measureTrial({
      poolSize: poolSize ?? chooseBestSize(survey, plan.settings.reference),
      ratePerSec: load === 'closed' ? null : Number(capacityPerSec) * load,
      measureMs: plan.settings.measureMs,
      createHeavy: (client) => createHeavy(client, isControl),
      observer,
    }, plan.settings, context);
    if (role === 'size' && load === 'closed') {
      const { ratePerSec, heavy } = measured;
      survey.push({ poolSize: measured.poolSize, ratePerSec, heavyP99Ms: heavy.p99Ms ?? Infinity });
    }
    return {
      measured,
      ...(measured.timeouts > 0 && { warnings: [`${measured.timeouts} queries had no answer when the lab stopped waiting`] }),
    };
  } finally {
    await end?.();
  }
}
