import { isDurationMs } from '../base/duration.js';
import { meanServiceMs } from '../simulator/service-time.js';

/** @import { Service } from '../simulator/service-time.js' */

/** No request makes more queries than this. */
export const MAX_QUERIES = 1000;

/**
 * Checks a service time that came from outside.
 *
 * @param {unknown} value
 * @returns {Service}
 * @throws {Error} saying what is wrong with it
 */
export function checkService(value) {
  const service = Object(value);
  const { kind, queries = 1, workShare = 0, valuesMs, ...numbers } = service;
  const values = kind === 'sample' ? valuesMs : Object.values(numbers);
  if (!(Array.isArray(values) && values.every(isDurationMs)))
    throw new Error('its numbers must be from 0 to 365 days, in ms');
  const meanMs = meanServiceMs(service);
  if (!isDurationMs(meanMs)) throw new Error('its mean must be from 0 to 365 days, in ms');
  if (!(Number.isInteger(queries) && queries >= 1 && queries <= MAX_QUERIES)) {
    throw new Error(`its queries must be a whole number from 1 to ${MAX_QUERIES}`);
  }
  if (!(workShare >= 0 && workShare <= 1)) throw new Error('its workShare must be a number from 0 to 1');
  return service;
}

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
