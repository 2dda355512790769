import { createRandom } from '../../src/simulator/random.js';
import { simulate } from '../../src/simulator/simulate.js';

/** @import { Arrival } from '../../src/simulator/arrivals.js' */
/** @import { SimulatedRequest } from '../../src/simulator/tally.js' */
/** @import { SimulationOptions } from '../../src/simulator/simulate.js' */
/** @import { Trace } from '../../src/trace/trace.js' */
/** @import { Random } from '../../src/simulator/random.js' */

/** @typedef {(random: Random) => () => number} Draw */

/** Times in ms. @type {Record<string, (ms: number) => Draw>} */
export const TIMES = {
  fixed: (ms) => () => () => ms,
  steady: (ms) => (random) => () => ms * (0.98 + 0.04 * random.exponential()),
  exponential: (ms) => (random) => () => ms * random.exponential(),
  lognormal: (ms) => (random) => () => ms * Math.exp(0.5 * random.normal()),
};

/**
 * @param {Iterable<Arrival>} arrivals
 * @param {number} poolSize
 * @param {number} [untilMs] later requests are cut off
 * @param {Partial<Pick<SimulationOptions, 'server' | 'services' | 'overhead' | 'pool'>>} [more] such as a server whose
 *   cores the queries share
 * @returns {SimulatedRequest[]} in the order in which they arrived
 */
export function run(arrivals, poolSize, untilMs = Infinity, more = {}) {
  const { records = [] } = simulate({
    arrivals: [...arrivals].sort((a, b) => a.atMs - b.atMs),
    pool: { maxPoolSize: poolSize },
    keepRequests: true,
    ...more,
  });
  return records.filter(({ arrivedAtMs }) => arrivedAtMs <= untilMs).sort((a, b) => a.arrivedAtMs - b.arrivedAtMs);
}

/**
 * @param {SimulatedRequest[]} records
 * @param {number} poolSize
 * @param {(ms: number) => number} [round] default: to whole microseconds, as in a file
 * @returns {Trace}
 */
export function toTrace(records, poolSize, round = (ms) => Math.round(ms * 1000) / 1000) {
  const routes = [...new Set(records.map(({ route }) => route))];
  return {
    header: { maxPoolSize: poolSize },
    routes,
    checkOutStartedMs: records.map(({ arrivedAtMs }) => round(arrivedAtMs - records[0].arrivedAtMs)),
    waitMs: records.map(({ waitMs }) => round(waitMs)),
    useMs: records.map(({ arrivedAtMs, waitMs, finishedAtMs }) => round(finishedAtMs - arrivedAtMs - waitMs)),
    routeOf: records.map(({ route }) => routes.indexOf(route)),
    warnings: [],
  };
}

/**
 * Records requests that are drawn one after another, without rounding.
 * @param {number} count
 * @param {number} poolSize
 * @param {(index: number) => { route: string, serviceMs: number, handoverMs?: number, gapMs: number }} draw gapMs:
 *   until the next one
 */
export function recordDrawn(count, poolSize, draw) {
  let atMs = 0;
  const arrivals = Array.from({ length: count }, (_, index) => {
    const { gapMs, ...request } = draw(index);
    const arrival = { atMs, ...request };
    atMs += gapMs;
    return arrival;
  });
  return toTrace(run(arrivals, poolSize), poolSize, (ms) => ms);
}

/** @param {SimulatedRequest[]} records @param {string} route @param {number} share */
export function responseMs(records, route, share) {
  const times = records
    .filter((record) => record.route === route)
    .map(({ arrivedAtMs, finishedAtMs }) => finishedAtMs - arrivedAtMs)
    .sort((a, b) => a - b);
  return times[Math.ceil(share * times.length) - 1];
}

/**
 * Callers who wait for their answers.
 * @param {{ count: number, untilMs: number, service: Draw, think: Draw, route?: string, seed?: number }} options
 * @returns {Arrival[]}
 */
export function callers({ count, untilMs, service, think, route = '/slow', seed = 1 }) {
  const random = createRandom(seed, `callers of ${route}`);
  const [serve, pause] = [service(random), think(random)];
  return Array.from({ length: count }, (_, caller) => ({
    atMs: 0.37 * caller,
    untilMs,
    requests: Array.from({ length: 500 }, () => ({ route, serviceMs: serve(), thinkMs: pause() })),
  }));
}

/**
 * Gaps between arrivals by their number.
 * @type {Record<string, (meanMs: number, random: Random) => (index: number) => number>}
 */
export const GAPS = {
  poisson: (meanMs, random) => () => meanMs * random.exponential(),
  uniform: (meanMs) => () => meanMs,
  bursts: (meanMs) => (index) => (index % 60 === 0 ? 60 * meanMs : 0),
  waves: (meanMs, random) => (index) => meanMs * (index % 200 < 100 ? 0.3 : 1.7) * random.exponential(),
  shortWaves: (meanMs, random) => (index) => meanMs * (index % 20 < 10 ? 0.1 : 1.9) * random.exponential(),
  ramp: (meanMs, random) => (index) => (2 * meanMs * random.exponential()) / (1 + index / 500),
};

/**
 * Users who arrive on their own, and send one request each, or more.
 * @param {{ count: number, gap: (random: Random) => (index: number) => number, service: Draw, route?: string, seed?:
 *   number, requests?: number, think?: Draw }} options
 * @returns {Arrival[]}
 */
export function visitors({ count, gap, service, route = '/slow', seed = 1, requests = 1, think = TIMES.fixed(0) }) {
  const random = createRandom(seed, `visitors of ${route}`);
  const [next, serve, pause] = [gap(random), service(random), think(random)];
  let atMs = 0;
  return Array.from({ length: count }, (_, index) => {
    atMs += next(index);
    const sent = Array.from({ length: requests }, () => ({ route, serviceMs: serve(), thinkMs: pause() }));
    return requests === 1 ? { atMs, ...sent[0] } : { atMs, requests: sent };
  });
}

/**
 * Many fast queries and a few slow ones, at random times.
 *
 * @param {{ poolSize?: number, seed?: number, count?: number, later?: { gapMs?: number, slowMs?: number } }} [options]
 *   later: what is different in the second half
 */
export function recordMixed({ poolSize = 3, seed = 1, count = 1200, later = {} } = {}) {
  const random = createRandom(seed, 'recorded');
  return recordDrawn(count, poolSize, (index) => {
    const { gapMs = 12, slowMs = 200 } = index < count / 2 ? {} : later;
    const isSlow = random.uniform() < 0.1;
    return {
      route: isSlow ? '/slow' : '/fast',
      serviceMs: (isSlow ? slowMs : 2) * (0.5 + random.uniform()),
      gapMs: gapMs * random.exponential(),
    };
  });
}

/**
 * Four requests at once, at random times, to a pool that closes idle connections after 50 ms and takes 30 ms to open
 * one: all wait, and no connection is missing.
 *
 * @returns {Trace}
 */
export function recordCold() {
  const random = createRandom(1, 'cold');
  let atMs = 0;
  const arrivals = Array.from({ length: 160 }, (_, index) => {
    if (index % 4 === 0) atMs += 110 + 100 * random.exponential();
    return { atMs, route: '/a', serviceMs: 10 };
  });
  const pool = { maxPoolSize: 4, maxConnecting: 4, connectMs: 30, maxIdleTimeMS: 50, warm: 0 };
  const { records = [] } = simulate({ arrivals, pool, keepRequests: true });
  const trace = toTrace(records, 4);
  const { waitMs, checkOutStartedMs } = trace;
  return {
    ...trace,
    isBehind: new Uint8Array(waitMs.length),
    openings: {
      openAtStart: 0,
      fromMs: Float64Array.from(checkOutStartedMs),
      durationsMs: Float64Array.from(waitMs),
      settings: {},
    },
  };
}
