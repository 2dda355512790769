import { checkService } from 'mongodb-pool-predictor';

/** @import { Service } from 'mongodb-pool-predictor' */
/** @import { Samples } from '../report/result-types.js' */

/**
 * The service times and the overhead of an earlier measurement: those at the largest pool, where requests wait least.
 * Results of versions 0.1 and 0.2 have no samples: then `/slow` is the setting, and `/fast` the service time before the
 * load, or else the median response.
 *
 * @param {any} result of the mixed lab
 * @returns {{ services: Record<string, Service>, overhead?: Service }} services by route; overhead: undefined where it
 *   was not saved
 * @throws {Error} for anything else
 */
export function servicesOfResult(result) {
  if (result?.lab !== 'mixed' || !Array.isArray(result.variants))
    throw new Error('it is not a result of pool-lab run mixed');
  const [largest] = result.variants
    .filter((/** @type {any} */ { measured }) => measured)
    .toSorted((/** @type {any} */ a, /** @type {any} */ b) => b.settings.poolSize - a.settings.poolSize);
  const slowMs = result.settings?.slowMs;
  const fastMs = largest?.measured.unloaded?.serviceMs ?? largest?.measured.routes?.['/fast']?.p50Ms;
  /** @type {Samples[]} */
  const samples = largest?.repeats?.flatMap((/** @type {any} */ { samples = [] }) => samples) ?? [];
  const overheadsMs = samples.flatMap((sample) => sample.overheadsMs);
  const routes = [...new Set(samples.flatMap(({ services }) => Object.keys(services)))];
  return {
    services: {
      ...(typeof slowMs === 'number' && { '/slow': { kind: 'fixed', ms: slowMs } }),
      ...(typeof fastMs === 'number' && { '/fast': { kind: 'fixed', ms: fastMs } }),
      ...Object.fromEntries(
        routes.map((route) => [route, toService(samples.flatMap(({ services }) => services[route] ?? []))]),
      ),
    },
    ...(overheadsMs.length > 0 && { overhead: toService(overheadsMs) }),
  };
}

/** @param {number[]} valuesMs */
function toService(valuesMs) {
  return checkService({ kind: 'sample', valuesMs });
}
