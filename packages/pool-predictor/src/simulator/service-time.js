import { findTail, redrawTail } from './tail.js';

/** @import { Random } from './random.js' */
/** @import { ServerOptions } from './shared-cores.js' */
/** @import { Tail } from './tail.js' */

/**
 * A service time, in ms: how long a query keeps its connection.
 * - fixed: always `ms`;
 * - exponential, with mean `meanMs`;
 * - lognormal, with median `medianMs`; `sigma` is the standard deviation of the logarithm;
 * - sample: drawn with replacement from measured `valuesMs`; with a `tail`, the largest of them are drawn anew;
 * - none: the request makes no query, so it takes no connection.
 *
 * A request makes `queries` of them, one after another, each with a checkout of its own; default 1. The `workShare` of each,
 * from 0 to 1, is work for the server's cores, which other queries can slow down; the rest is a delay. Default 0. The times are
 * those of a query that runs alone.
 *
 * @typedef {({ kind: 'fixed', ms: number }
 *   | { kind: 'exponential', meanMs: number }
 *   | { kind: 'lognormal', medianMs: number, sigma: number }
 *   | { kind: 'sample', valuesMs: ArrayLike<number>, tail?: Tail }
 *   | { kind: 'none' }) & { queries?: number, workShare?: number }} Service
 */

/** @type {Service} */
export const NO_OVERHEAD = { kind: 'fixed', ms: 0 };

/** How many connections a request takes, one after another. @param {Service} service */
export function queriesOf({ kind, queries = 1 }) {
  return kind === 'none' ? 0 : queries;
}

/** Whether queries slow each other down. @param {ServerOptions | undefined} server @param {Record<string, Service>} services */
export function sharesCores(server, services) {
  return server !== undefined && Object.values(services).some(({ workShare = 0 }) => workShare > 0);
}

/**
 * @param {Service | undefined} service
 * @param {Random} random
 * @param {string} route for messages
 * @returns {() => number} draws one service time, in ms
 * @throws {Error} for an invalid service; a missing one throws only when it is drawn
 */
export function createServiceTime(service, random, route) {
  if (!service) {
    return () => {
      throw new Error(`There is no service time for ${route}`);
    };
  }
  const { meanMs } = serviceMoments(service);
  if (!(meanMs >= 0 && meanMs < Infinity)) {
    throw new Error(`The service time of ${route} must have a mean of at least 0 ms, not ${meanMs}`);
  }
  switch (service.kind) {
    case 'fixed':
      return () => service.ms;
    case 'exponential':
      return () => service.meanMs * random.exponential();
    case 'lognormal':
      return () => service.medianMs * Math.exp(service.sigma * random.normal());
    case 'sample': {
      const { valuesMs, tail } = service;
      const draw = () => valuesMs[Math.floor(random.uniform() * valuesMs.length)];
      return tail ? () => redrawTail(draw(), tail, random) : draw;
    }
    case 'none':
      return () => 0;
  }
}

/**
 * Draws a new sample of the same length from a measured one, with replacement: B. Efron's bootstrap (1979),
 * https://doi.org/10.1214/aos/1176344552. Predictions from several of them show how uncertain a small sample is. Other
 * services are returned unchanged.
 *
 * @param {Service} service
 * @param {Random} random
 * @returns {Service}
 */
export function resample(service, random) {
  if (service.kind !== 'sample') return service;
  const { length } = service.valuesMs;
  const valuesMs = Float64Array.from({ length }, () => service.valuesMs[Math.floor(random.uniform() * length)]);
  return { ...service, valuesMs, tail: findTail(valuesMs) };
}

/**
 * @param {Service} service
 * @returns {{ meanMs: number, scv: number }} of one query; scv: the squared coefficient of variation, variance / mean^2
 */
export function serviceMoments(service) {
  switch (service.kind) {
    case 'fixed':
      return { meanMs: service.ms, scv: 0 };
    case 'exponential':
      return { meanMs: service.meanMs, scv: 1 };
    case 'lognormal':
      return {
        meanMs: service.medianMs * Math.exp(service.sigma ** 2 / 2),
        scv: Math.exp(service.sigma ** 2) - 1,
      };
    case 'sample':
      return sampleMoments(Array.from(service.valuesMs));
    case 'none':
      return { meanMs: 0, scv: 0 };
    default:
      throw new Error(`Unknown kind of service time ${JSON.stringify(/** @type {any} */ (service).kind)}: `
        + 'allowed are fixed, exponential, lognormal, sample and none');
  }
}

/** @param {number[]} valuesMs */
function sampleMoments(valuesMs) {
  const meanMs = valuesMs.reduce((sum, ms) => sum + ms, 0) / valuesMs.length;
  const variance = valuesMs.reduce((sum, ms) => sum + (ms - meanMs) ** 2, 0) / valuesMs.length;
  return { meanMs, scv: meanMs === 0 ? 0 : variance / meanMs ** 2 };
}
