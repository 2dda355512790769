/** @import { Random } from './random.js' */

/**
 * How long a query keeps its connection:
 * - fixed: `ms`, always;
 * - exponential: `meanMs` on average;
 * - lognormal: median `medianMs`; `sigma` is the standard deviation of the logarithm;
 * - sample: drawn from measured `valuesMs`, with replacement.
 *
 * @typedef {{ kind: 'fixed', ms: number }
 *   | { kind: 'exponential', meanMs: number }
 *   | { kind: 'lognormal', medianMs: number, sigma: number }
 *   | { kind: 'sample', valuesMs: ArrayLike<number> }} Service
 */

/**
 * @param {Service | undefined} service
 * @param {Random} random
 * @param {string} route for messages
 * @returns {() => number} draws one service time, in ms
 * @throws {Error} for a service that cannot be; for none at all only when one is drawn
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
    case 'sample':
      return () => service.valuesMs[Math.floor(random.uniform() * service.valuesMs.length)];
  }
}

/**
 * A sample that could as well have been measured: so many of its values, drawn with replacement (Efron's bootstrap,
 * 1979). What is predicted from several of them shows how little a small sample tells. Other services stay as they are.
 *
 * @param {Service} service
 * @param {Random} random
 * @returns {Service}
 */
export function resample(service, random) {
  if (service.kind !== 'sample') return service;
  const { valuesMs } = service;
  const { length } = valuesMs;
  return { kind: 'sample', valuesMs: Float64Array.from({ length }, () => valuesMs[Math.floor(random.uniform() * length)]) };
}

/**
 * @param {Service} service
 * @returns {{ meanMs: number, scv: number }} scv: variance / mean^2, the squared coefficient of variation
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
    default:
      throw new Error(`Unknown kind of service time ${JSON.stringify(/** @type {any} */ (service).kind)}: `
        + 'allowed are fixed, exponential, lognormal and sample');
  }
}

/** @param {number[]} valuesMs */
function sampleMoments(valuesMs) {
  const meanMs = valuesMs.reduce((sum, ms) => sum + ms, 0) / valuesMs.length;
  const variance = valuesMs.reduce((sum, ms) => sum + (ms - meanMs) ** 2, 0) / valuesMs.length;
  return { meanMs, scv: meanMs === 0 ? 0 : variance / meanMs ** 2 };
}
