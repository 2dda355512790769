import { mean } from '../base/sample-statistics.js';
import { planInTurn, planTurns } from './request-plan.js';
import { findTail, redrawTail } from './tail.js';

/** @import { PlaceLimit } from './places.js' */
/** @import { Random } from './random.js' */
/** @import { RequestPlan } from './request-plan.js' */
/** @import { ServerOptions } from './shared-cores.js' */
/** @import { SampleTail } from './tail.js' */

/**
 * A service time, in ms: how long a query keeps its connection.
 * - fixed: always `ms`;
 * - exponential, with mean `meanMs`;
 * - lognormal, with median `medianMs`; `sigma` is the standard deviation of the logarithm;
 * - sample: drawn with replacement from measured `valuesMs`; with a `tail`, the largest of them are drawn anew;
 * - requests: one of the measured `requests` is drawn, with the times of its queries in order, and the rest of its
 *   response;
 * - none: the request makes no query, so it takes no connection.
 *
 * A request makes `queries` of them, one after another, each with a checkout of its own; default 1. The `workShare` of
 * each, from 0 to 1, is work for the server's cores, which other queries can slow down; the rest is a delay. Default 0.
 * The times are those of a query that runs alone. A `limit` is on requests of the route that run at once, default none.
 *
 * @typedef {({ kind: 'fixed', ms: number }
 *   | { kind: 'exponential', meanMs: number }
 *   | { kind: 'lognormal', medianMs: number, sigma: number }
 *   | { kind: 'sample', valuesMs: ArrayLike<number>, tail?: SampleTail }
 *   | { kind: 'requests', requests: MeasuredRequest[] }
 *   | { kind: 'none' }) & { queries?: number, workShare?: number, limit?: PlaceLimit }} Service
 *
 * @typedef {{ queriesMs: (number | number[])[], restMs: number }} MeasuredRequest queriesMs: one after another; a list
 *   has those at once. restMs: the time of its response beyond its queries and the waits for their connections
 */

/** @type {Service} */
export const NO_OVERHEAD = { kind: 'fixed', ms: 0 };

/** @param {Service} service @returns {number} connections that a request takes, one after another, on average */
export function queriesOf(service) {
  const { kind, queries = 1 } = service;
  if (kind === 'requests') return queryTimesOf(service.requests).length / service.requests.length;
  return kind === 'none' ? 0 : queries;
}

/**
 * @param {ServerOptions | undefined} server
 * @param {Record<string, Service>} services
 * @returns {boolean} whether queries slow each other down
 */
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
  const meanMs = meanServiceMs(service);
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
    case 'requests': {
      const timesMs = queryTimesOf(service.requests);
      return () => timesMs[Math.floor(random.uniform() * timesMs.length)];
    }
    case 'none':
      return () => 0;
  }
}

/**
 * @typedef {object} DrawnRequest
 * @property {RequestPlan} plan
 * @property {ArrayLike<number>} servicesMs of its queries
 * @property {number[]} drawnMs memory for them
 */

/**
 * @param {Service | undefined} service
 * @param {Random} random
 * @param {string} route for messages
 * @returns {(into: DrawnRequest) => void} draws a request
 * @throws {Error} as createServiceTime
 */
export function createRequestTimes(service, random, route) {
  if (service?.kind === 'requests') {
    const { requests } = service;
    /** @type {{ plan: RequestPlan, servicesMs: number[] }[]} */
    const planned = [];
    return (into) => {
      const index = Math.floor(random.uniform() * requests.length);
      const { plan, servicesMs } = (planned[index] ??= planMeasured(requests[index]));
      into.plan = plan;
      into.servicesMs = servicesMs;
    };
  }
  const drawOne = createServiceTime(service, random, route);
  const queries = service ? queriesOf(service) : 1;
  const plan = planInTurn(queries);
  if (queries === 1) {
    return (into) => {
      into.plan = plan;
      into.servicesMs = into.drawnMs;
      into.drawnMs[0] = drawOne();
    };
  }
  return (into) => {
    into.plan = plan;
    into.servicesMs = into.drawnMs;
    for (let query = queries - 1; query >= 0; query--) into.drawnMs[query] = drawOne();
  };
}

/** @param {MeasuredRequest} request of those at once, the longest starts first */
function planMeasured({ queriesMs, restMs }) {
  const turns = queriesMs.map((timesMs) => [timesMs].flat().toSorted((a, b) => b - a));
  return {
    plan: planTurns(
      turns.map(({ length }) => length),
      restMs,
    ),
    servicesMs: turns.flat(),
  };
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
  if (service.kind === 'requests') {
    const { requests } = service;
    return { ...service, requests: requests.map(() => requests[Math.floor(random.uniform() * requests.length)]) };
  }
  if (service.kind !== 'sample') return service;
  const { length } = service.valuesMs;
  const valuesMs = Float64Array.from({ length }, () => service.valuesMs[Math.floor(random.uniform() * length)]);
  return { ...service, valuesMs, tail: findTail(valuesMs) };
}

/** @param {Service} service @returns {number} the mean service time of one query */
export function meanServiceMs(service) {
  switch (service.kind) {
    case 'fixed':
      return service.ms;
    case 'exponential':
      return service.meanMs;
    case 'lognormal':
      return service.medianMs * Math.exp(service.sigma ** 2 / 2);
    case 'sample':
      return mean(Array.from(service.valuesMs));
    case 'requests':
      return queriesOf(service) > 0 ? mean(queryTimesOf(service.requests)) : 0;
    case 'none':
      return 0;
    default:
      throw new Error(
        `Unknown kind of service time ${JSON.stringify(/** @type {any} */ (service).kind)}: ` +
          'allowed are fixed, exponential, lognormal, sample, requests and none',
      );
  }
}

/** @param {MeasuredRequest[]} requests */
function queryTimesOf(requests) {
  return requests.flatMap(({ queriesMs }) => queriesMs.flat());
}
