import { checkService } from './check-service.js';

/** @import { Service } from '../simulator/service-time.js' */

/**
 * The service times that a running app tells.
 *
 * @param {any} pool what its `GET /pool` answered
 * @returns {Record<string, Service>} by route
 * @throws {Error} when there are none, or they cannot be
 */
export function servicesOfApp(pool) {
  const services = { ...slowService(pool?.slowMs), ...pool?.services };
  if (Object.keys(services).length === 0) throw new Error('its GET /pool tells neither services nor slowMs');
  return Object.fromEntries(Object.entries(services).map(([route, service]) => {
    try {
      return [route, checkService(service)];
    } catch (cause) {
      throw new Error(`its GET /pool, ${route}: ${/** @type {Error} */ (cause).message}`, { cause });
    }
  }));
}

/**
 * The service times of an earlier measurement. A fast query's is what it took before the load, or else its response
 * at the largest pool: there it waits least.
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
  const fastMs = largest?.measured.unloaded?.serviceMs ?? largest?.measured.routes?.['/fast']?.p50Ms;
  return {
    ...slowService(result.settings?.slowMs),
    ...(typeof fastMs === 'number' && { '/fast': { kind: 'fixed', ms: fastMs } }),
  };
}

/** @param {unknown} ms @returns {Record<string, Service>} */
function slowService(ms) {
  return typeof ms === 'number' ? { '/slow': { kind: 'fixed', ms } } : {};
}
