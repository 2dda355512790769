/**
 * How long a route's query keeps its connection:
 * - fixed: `ms`, always;
 * - exponential: mean `meanMs`;
 * - lognormal: median `medianMs`, and `sigma`, the standard deviation of the logarithm: its mean is
 *   medianMs * exp(sigma^2 / 2);
 * - sample: drawn with replacement from measured `valuesMs`.
 *
 * @typedef {{ kind: 'fixed', ms: number }
 *   | { kind: 'exponential', meanMs: number }
 *   | { kind: 'lognormal', medianMs: number, sigma: number }
 *   | { kind: 'sample', valuesMs: ArrayLike<number> }} Service
 */

/**
 * @param {Service | undefined} service
 * @param {import('./random.js').Random} random
 * @param {string} route for messages
 * @returns {() => number} draws one service time, in ms
 * @throws {Error} for an unknown kind; without a service it throws only when asked to draw one
 */
export function createServiceTime(service, random, route) {
  switch (service?.kind) {
    case undefined:
      return () => {
        throw new Error(`There is no service time for ${route}`);
      };
    case 'fixed':
      return () => service.ms;
    case 'exponential':
      return () => service.meanMs * random.exponential();
    case 'lognormal':
      return () => service.medianMs * Math.exp(service.sigma * random.normal());
    case 'sample':
      if (service.valuesMs.length === 0) throw new Error(`The sample of service times for ${route} is empty`);
      return () => service.valuesMs[Math.floor(random.uniform() * service.valuesMs.length)];
    default:
      throw new Error(`Unknown kind of service time "${/** @type {any} */ (service).kind}" for ${route}: `
        + 'allowed are fixed, exponential, lognormal and sample');
  }
}
