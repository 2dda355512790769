/** @import { Service } from 'mongodb-pool-predictor' */

/**
 * The service times of an earlier measurement. For `/fast` it is the service time before the load, or else the median
 * response at the largest pool, where requests wait least.
 *
 * @param {any} result of the mixed lab
 * @returns {Record<string, Service>} by route
 * @throws {Error} for anything else
 */
export function servicesOfResult(result) {
  if (result?.lab !== 'mixed' || !Array.isArray(result.variants)) {
    throw new Error('it is not a result of pool-lab run mixed');
  }
  const [largest] = result.variants
    .filter((/** @type {any} */ { measured }) => measured)
    .toSorted((/** @type {any} */ a, /** @type {any} */ b) => b.settings.poolSize - a.settings.poolSize);
  const slowMs = result.settings?.slowMs;
  const fastMs = largest?.measured.unloaded?.serviceMs ?? largest?.measured.routes?.['/fast']?.p50Ms;
  return {
    ...(typeof slowMs === 'number' && { '/slow': { kind: 'fixed', ms: slowMs } }),
    ...(typeof fastMs === 'number' && { '/fast': { kind: 'fixed', ms: fastMs } }),
  };
}
