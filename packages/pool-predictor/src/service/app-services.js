import { checkService } from './check-service.js';

/** @import { Service } from '../simulator/service-time.js' */

/**
 * Reads the service times that a running app reports: its `services` by route, and `slowMs` for `/slow`.
 *
 * @param {any} pool the body of its `GET /pool`
 * @returns {Record<string, Service>} by route
 * @throws {Error} when there are none, or they are invalid
 */
export function servicesOfApp(pool) {
  const { slowMs, services: reported } = pool ?? {};
  const services = { ...(typeof slowMs === 'number' && { '/slow': { kind: 'fixed', ms: slowMs } }), ...reported };
  if (Object.keys(services).length === 0) throw new Error('its GET /pool has neither services nor slowMs');
  return Object.fromEntries(Object.entries(services).map(([route, service]) => [route, checkReported(service, route)]));
}

/**
 * Reads the overhead that a running app reports: what its responses took beyond waits and uses.
 *
 * @param {any} pool the body of its `GET /pool`
 * @returns {Service | undefined} undefined when it reports none
 * @throws {Error} when it is invalid
 */
export function overheadOfApp(pool) {
  return pool?.overhead === undefined ? undefined : checkReported(pool.overhead, 'overhead');
}

/** @param {unknown} value @param {string} name */
function checkReported(value, name) {
  try {
    return checkService(value);
  } catch (cause) {
    throw new Error(`its GET /pool, ${name}: ${/** @type {Error} */ (cause).message}`, { cause });
  }
}
