// Random loads whose truth only the benchmark knows, and what a user would know about them.
import { createScenarioLoad, createTraceLoad, simulate } from 'mongodb-pool-predictor';
import { createRandom } from 'test-support/random.js';

/** @import { Load, PoolOptions, Service } from 'mongodb-pool-predictor' */

/** @typedef {ReturnType<typeof createGenerator>} Generator */

/**
 * @typedef {'known times' | 'measured times' | 'trace'} Kind what a user knows of the load
 *
 * @typedef {object} HiddenLoad
 * @property {Kind} kind
 * @property {number} poolSize
 * @property {() => ReturnType<typeof simulate>} measure one more run, with the true service times
 * @property {{ load: Load, services: Record<string, Service>, overhead?: Service }} known to the user
 */

/** @type {Kind[]} */
export const KINDS = ['known times', 'measured times', 'trace'];

/** Far away from the seeds of predictions. */
const FIRST_SEED = 1e9;
/** None of the loads with which the number of drawn blocks was calibrated. */
const FIRST_LOAD = 1e6;

/** @param {number} number of the load: the same number gives the same load @returns {HiddenLoad} */
export function createHiddenLoad(number) {
  const random = createGenerator(FIRST_LOAD + number);
  const kind = KINDS[number % KINDS.length];
  const poolSize = random.integer(1, 10);
  const utilisation = random.between(0.3, 0.95);
  const routes = Array.from({ length: random.integer(1, 3) }, (_, index) => `/route${index}`);
  const scenarios = drawScenarios(random, routes, kind === 'trace');
  const ratePerSec = random.integer(5, 300);
  const services = drawServices(random, routes, scenarios, (utilisation * poolSize * 1000) / ratePerSec);
  /** @type {Service} */
  const overhead = { kind: 'lognormal', medianMs: random.between(0.2, 3), sigma: random.between(0.2, 0.8) };
  /** @type {'poisson' | 'uniform'} */
  const mode = kind === 'trace' || random.uniform() < 0.7 ? 'poisson' : 'uniform';
  const workload = {
    phases: [
      {
        durationMs: (random.integer(400, 1500) / ratePerSec) * 1000,
        arrivalRate: ratePerSec,
        mode,
      },
    ],
    scenarios,
  };
  const load = createScenarioLoad(workload);
  /** @param {number} seed @param {PoolOptions} pool @param {boolean} [keepRequests] */
  const run = (seed, pool, keepRequests) =>
    simulate({
      workload,
      services,
      pool,
      seed,
      keepRequests,
      arrivals: load.arrivals(seed, 1),
      ...(kind !== 'trace' && { overhead }),
    });
  const measure = () => run(FIRST_SEED + 2 * number, { maxPoolSize: poolSize });
  if (kind === 'known times') return { kind, poolSize, measure, known: { load, services, overhead } };
  if (kind === 'measured times') {
    const measured = Object.fromEntries(routes.map((route) => [route, takeSample(random, services[route])]));
    return { kind, poolSize, measure, known: { load, services: measured, overhead: takeSample(random, overhead) } };
  }
  const recordedSize = random.integer(Math.max(1, poolSize - 2), poolSize + 2);
  const trace = toTrace(
    run(FIRST_SEED + 2 * number + 1, { maxPoolSize: recordedSize }, true).records ?? [],
    routes,
    recordedSize,
  );
  const traceLoad = createTraceLoad(trace, { resample: true });
  return { kind, poolSize, measure, known: { load: traceLoad, services: traceLoad.services } };
}

/**
 * Users of a trace make one request each; other users also make several, with pauses.
 *
 * @param {Generator} random @param {string[]} routes @param {boolean} hasSingleSteps
 */
function drawScenarios(random, routes, hasSingleSteps) {
  return routes.map((route, index) => {
    const first = { kind: /** @type {const} */ ('request'), route };
    const more = [
      { kind: /** @type {const} */ ('think'), ms: 50 },
      { ...first, route: routes[random.integer(0, index)] },
    ];
    return {
      weight: random.integer(2, 9),
      steps: hasSingleSteps || random.uniform() < 0.5 ? [first] : [first, ...more],
    };
  });
}

/**
 * @param {Generator} random @param {string[]} routes @param {ReturnType<typeof drawScenarios>} scenarios
 * @param {number} msPerUser service times of all requests of a user, on average
 * @returns {Record<string, Service>}
 */
function drawServices(random, routes, scenarios, msPerUser) {
  const shares = Object.fromEntries(routes.map((route) => [route, 30 ** random.uniform()]));
  const users = scenarios.reduce((sum, { weight }) => sum + weight, 0);
  const sumOfShares =
    scenarios.reduce(
      (sum, { weight, steps }) =>
        sum + weight * steps.reduce((total, step) => total + ('route' in step ? shares[step.route] : 0), 0),
      0,
    ) / users;
  return Object.fromEntries(
    routes.map((route) => {
      const meanMs = (msPerUser * shares[route]) / sumOfShares;
      const sigma = random.between(0.2, 1);
      return [
        route,
        random.uniform() < 0.5
          ? { kind: 'exponential', meanMs }
          : { kind: 'lognormal', medianMs: meanMs / Math.exp(sigma ** 2 / 2), sigma },
      ];
    }),
  );
}

/** @param {Generator} random @param {Service} service @returns {Service} what a user would measure */
function takeSample(random, service) {
  const draw = () =>
    service.kind === 'exponential'
      ? -service.meanMs * Math.log(1 - random.uniform())
      : /** @type {any} */ (service).medianMs * Math.exp(/** @type {any} */ (service).sigma * random.normal());
  return { kind: 'sample', valuesMs: Array.from({ length: random.integer(50, 500) }, draw) };
}

/**
 * @param {NonNullable<ReturnType<typeof simulate>['records']>} records
 * @param {string[]} routes
 * @param {number} maxPoolSize
 */
function toTrace(records, routes, maxPoolSize) {
  const started = records.toSorted((a, b) => a.arrivedAtMs - b.arrivedAtMs);
  return {
    header: { maxPoolSize },
    routes,
    checkOutStartedMs: started.map(({ arrivedAtMs }) => arrivedAtMs - started[0].arrivedAtMs),
    waitMs: started.map(({ waitMs }) => waitMs),
    useMs: started.map(({ finishedAtMs, startedAtMs }) => finishedAtMs - startedAtMs),
    routeOf: started.map(({ route }) => routes.indexOf(route)),
    warnings: [],
  };
}

/** The generator of the truth is not that of the predictor. @param {number} seed */
function createGenerator(seed) {
  const { uniform } = createRandom(seed);
  for (let i = 0; i < 8; i++) uniform();
  return {
    uniform,
    normal: () => Math.sqrt(-2 * Math.log(1 - uniform())) * Math.cos(2 * Math.PI * uniform()),
    between: (/** @type {number} */ low, /** @type {number} */ high) => low + (high - low) * uniform(),
    integer: (/** @type {number} */ low, /** @type {number} */ high) => low + Math.floor((high - low + 1) * uniform()),
  };
}
