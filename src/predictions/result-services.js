/** @import { Service } from 'mongodb-pool-predictor' */

/**
 * The service times and the overhead of an earlier measurement. Those of `/fast` were measured before the load. Results of
 * versions 0.1 and 0.2 have no samples: then `/fast` is the median, or else the median response at the largest pool,
 * where requests wait least.
 *
 * @param {any} result of the mixed lab
 * @returns {{ services: Record<string, Service>, overhead?: Service }} services by route; overhead: undefined where it was
 *   not saved
 * @throws {Error} for anything else
 */
export function servicesOfResult(result) {
  if (result?.lab !== 'mixed' || !Array.isArray(result.variants)) {
    throw new Error('it is not a result of pool-lab run mixed');
  }
  const slowMs = result.settings?.slowMs;
  const servicesMs = sampleOf(result, 'servicesMs');
  const overheadsMs = sampleOf(result, 'overheadsMs');
  if (servicesMs.length > 0 && overheadsMs.length > 0) {
    return {
      services: {
        // The query of /slow sleeps and then does what every query does.
        ...(typeof slowMs === 'number' && { '/slow': { kind: 'sample', valuesMs: servicesMs.map((ms) => slowMs + ms) } }),
        '/fast': { kind: 'sample', valuesMs: servicesMs },
      },
      overhead: { kind: 'sample', valuesMs: overheadsMs },
    };
  }
  const [largest] = result.variants
    .filter((/** @type {any} */ { measured }) => measured)
    .toSorted((/** @type {any} */ a, /** @type {any} */ b) => b.settings.poolSize - a.settings.poolSize);
  const fastMs = largest?.measured.unloaded?.serviceMs ?? largest?.measured.routes?.['/fast']?.p50Ms;
  return {
    services: {
      ...(typeof slowMs === 'number' && { '/slow': { kind: 'fixed', ms: slowMs } }),
      ...(typeof fastMs === 'number' && { '/fast': { kind: 'fixed', ms: fastMs } }),
    },
  };
}

/** @param {any} result @param {'servicesMs' | 'overheadsMs'} name @returns {number[]} of all variants */
function sampleOf({ variants }, name) {
  return variants.flatMap((/** @type {any} */ { repeats = [] }) => (
    repeats.flatMap((/** @type {any} */ { samples }) => samples?.[name] ?? [])));
}
