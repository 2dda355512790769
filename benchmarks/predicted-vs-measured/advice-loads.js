// Random loads with goals.
import { createScenarioLoad, createTraceLoad, parseSlo, simulate, UNLIMITED } from 'mongodb-pool-predictor';

/** @import { Load, Service, Slo } from 'mongodb-pool-predictor' */

/** @typedef {'open' | 'closed' | 'trace'} Kind */
/** @typedef {import('mongodb-pool-predictor').Workload['scenarios'][0]['steps']} Steps */
/**
 * @typedef {object} Question for advise
 * @property {Kind} kind
 * @property {Load} load
 * @property {Record<string, Service>} services
 * @property {Service} [overhead]
 * @property {Slo[]} slos
 * @property {number} headroom
 */

/** @type {Kind[]} */
export const KINDS = ['open', 'closed', 'trace'];

/** @param {number} number of the load: the same number gives the same question @returns {Question} */
export function createQuestion(number) {
  const random = createGenerator(number);
  const kind = KINDS[number % KINDS.length];
  const isClosed = kind === 'closed' || (kind === 'trace' && random.uniform() < 0.5);
  const routes = ['/fast', '/slow'].slice(0, random.integer(1, 2));
  const fastMs = random.pick([0.5, 2, 10, 50]);
  const services = Object.fromEntries(routes.map((route) => [route, drawService(random, route === '/fast' ? fastMs
    : fastMs * random.pick([1, 5, 20, 50]))]));
  const steps = routes.map((route) => (isClosed ? drawSteps(random, routes, fastMs) : [request(route)]));
  const scenarios = steps.map((each) => ({ steps: each, weight: random.integer(1, 9) }));
  const users = random.integer(100, 300) / (isClosed ? 3 : 1);
  const meanMs = routes.reduce((sum, route) => sum + meanOf(services[route]), 0) / routes.length;
  const durationMs = Math.max(1, (users * meanMs) / random.pick([0.5, 1, 2, 5, 10]));
  const phases = [random.pick([
    { durationMs, arrivalCount: Math.round(users) },
    { durationMs, arrivalRate: (users / durationMs) * 1000, mode: /** @type {const} */ ('poisson') },
    { durationMs: 1, arrivalCount: Math.round(users / 4) },
  ])];
  const timeoutMs = isClosed && random.uniform() < 0.3 ? meanMs * random.pick([2, 10, 50]) : undefined;
  const scenarioLoad = createScenarioLoad({ phases, scenarios, timeoutMs });
  const overhead = random.pick([undefined, drawService(random, fastMs)]);
  const traceLoad = kind === 'trace' ? record(scenarioLoad, services, random.integer(1, 6)) : null;
  const known = { load: traceLoad ?? scenarioLoad, services: traceLoad?.services ?? services, overhead };
  return { kind, ...known, headroom: random.pick([1, 1.3, 2]), slos: drawGoals(random, known) };
}

/** @param {Generator} random @param {Pick<Question, 'load' | 'services' | 'overhead'>} known */
function drawGoals(random, { load, services, overhead }) {
  const { routes } = simulate({
    workload: load.workload, services, overhead, arrivals: load.arrivals(1, 1), pool: UNLIMITED });
  return Array.from({ length: random.integer(1, 2) }, () => {
    const route = random.pick(Object.keys(routes));
    const figure = random.pick(/** @type {const} */ (['p50', 'p50', 'p90', 'p95', 'max']));
    const bestMs = routes[route].all[`${figure}Ms`];
    const noWaitMs = Number.isFinite(bestMs) ? bestMs : 1000;
    const limitMs = noWaitMs * random.pick([0.9, 1.1, 1.5, 2, 4, 8]) + random.pick([0, 10, 40]);
    return parseSlo(`${route} ${figure} < ${Math.max(0.01, limitMs).toFixed(2)}ms`);
  });
}

/** @param {Load} load @param {Record<string, Service>} services @param {number} maxPoolSize */
function record(load, services, maxPoolSize) {
  const { records = [] } = simulate({
    workload: load.workload, services, arrivals: load.arrivals(1, 1), pool: { maxPoolSize }, keepRequests: true });
  const served = records.filter(({ outcome }) => outcome === 'ok').sort((a, b) => a.arrivedAtMs - b.arrivedAtMs);
  const firstMs = served[0]?.arrivedAtMs ?? 0;
  const routes = [...new Set(served.map(({ route }) => route))];
  return createTraceLoad({
    header: { maxPoolSize },
    routes,
    checkOutStartedMs: served.map(({ arrivedAtMs }) => arrivedAtMs - firstMs),
    waitMs: served.map(({ arrivedAtMs, startedAtMs }) => startedAtMs - arrivedAtMs),
    useMs: served.map(({ startedAtMs, finishedAtMs }) => finishedAtMs - startedAtMs),
    routeOf: served.map(({ route }) => routes.indexOf(route)),
    warnings: [],
  }, { resample: true });
}

/** @param {string} route */
function request(route) {
  return { kind: /** @type {const} */ ('request'), route };
}

/** @param {Generator} random @param {string[]} routes @param {number} fastMs @returns {Steps} */
function drawSteps(random, routes, fastMs) {
  const thinkMs = fastMs * random.pick([1, 10]);
  const steps = [
    request(random.pick(routes)),
    { kind: /** @type {const} */ ('think'), ms: thinkMs, jitterMs: random.pick([0, thinkMs / 2]) },
    request(random.pick(routes)),
  ];
  return random.uniform() < 0.5 ? [...steps, request(random.pick(routes))]
    : [{ kind: 'loop', count: random.integer(2, 4), steps: steps.slice(0, 2) }, request(random.pick(routes))];
}

/** @param {Generator} random @param {number} meanMs @returns {Service} */
function drawService(random, meanMs) {
  return random.pick([
    { kind: 'fixed', ms: meanMs }, { kind: 'exponential', meanMs }, { kind: 'lognormal', medianMs: meanMs, sigma: 0.7 },
  ]);
}

/** @param {Service} service */
function meanOf(service) {
  if (service.kind === 'fixed') return service.ms;
  return service.kind === 'exponential' ? service.meanMs : service.kind === 'lognormal' ? service.medianMs * 1.3 : NaN;
}

/** @typedef {ReturnType<typeof createGenerator>} Generator */

/** Mulberry32, by Tommy Ettinger: https://gist.github.com/tommyettinger/46a874533244883189143505d203312c @param {number} seed */
function createGenerator(seed) {
  let state = Math.imul(seed + 1, 0x9E3779B1);
  function uniform() {
    state = (state + 0x6D2B79F5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }
  return {
    uniform,
    /** @param {number} from @param {number} to both included */
    integer: (from, to) => from + Math.floor(uniform() * (to - from + 1)),
    /** @template T @param {readonly T[]} list @returns {T} */
    pick: (list) => list[Math.floor(uniform() * list.length)],
  };
}
