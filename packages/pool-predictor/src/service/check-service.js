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
