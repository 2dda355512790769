import { checkService } from './check-service.js';

/** @import { Service } from '../simulator/service-time.js' */

const ALLOWED = 'write ROUTE=MS, ROUTE=exponential:MEAN_MS or ROUTE=lognormal:MEDIAN_MS,SIGMA, '
  + 'such as /slow=5000 or /fast=lognormal:2,0.5';

/** @param {string} text such as /slow=5000 @returns {{ route: string, service: Service }} */
export function parseService(text) {
  const equals = text.lastIndexOf('=');
  const route = text.slice(0, equals);
  if (equals === -1 || !route.startsWith('/')) throw new Error(`"${text}" has no route: ${ALLOWED}`);
  const [, kind = 'fixed', list] = /^(?:([a-z]+):)?(.*)$/s.exec(text.slice(equals + 1)) ?? [];
  const numbers = list.split(',').map((part) => (part.trim() === '' ? NaN : Number(part)));
  try {
    return { route, service: checkService(toService(kind, numbers)) };
  } catch (cause) {
    throw new Error(`"${text}" is not a service time: ${ALLOWED}, up to 365 days`, { cause });
  }
}

/** @param {string} kind @param {number[]} numbers */
function toService(kind, numbers) {
  const [first, second] = numbers;
  if (kind === 'fixed' && numbers.length === 1) return { kind, ms: first };
  if (kind === 'exponential' && numbers.length === 1) return { kind, meanMs: first };
  if (kind === 'lognormal' && numbers.length === 2) return { kind, medianMs: first, sigma: second };
  return undefined;
}

/**
 * Parses service times, in ms: `/slow=5000`, `/x=exponential:MEAN` or `/x=lognormal:MEDIAN,SIGMA`.
 *
 * @param {string[]} texts
 * @returns {Record<string, Service>} by route
 * @throws {Error} naming the text that is wrong and what is allowed
 */
export function parseServices(texts) {
  /** @type {Record<string, Service>} */
  const services = {};
  for (const { route, service } of texts.map(parseService)) {
    if (services[route]) throw new Error(`${route} has two service times: give only one`);
    services[route] = service;
  }
  return services;
}
