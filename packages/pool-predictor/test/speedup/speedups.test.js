import { beforeAll, describe, expect, test } from '@jest/globals';
import { parseSlo } from '../../src/advise/slo.js';
import { createTraceLoad } from '../../src/load/trace-load.js';
import { judgeTrust } from '../../src/predict/trust.js';
import { simulateHere } from '../../src/runs/simulation-runs.js';
import { createRandom } from '../../src/simulator/random.js';
import { listKinds, parseChange } from '../../src/speedup/query-kinds.js';
import { findSpeedups, tryChange } from '../../src/speedup/speedups.js';
import { TIMES, callers, recordDrawn, run, toTrace } from '../trace/traces.js';

/** @import { Speedups } from '../../src/speedup/speedups.js' */
/** @import { Trace } from '../../src/trace/trace.js' */

/** @param {Trace} trace @param {{ trust?: object }} [options] */
function inputOf(trace, { trust = {} } = {}) {
  const load = createTraceLoad(trace, { resample: true });
  const known = { ...judgeTrust({ trace, load }, null), ...trust };
  const simulateRuns = simulateHere({ load, services: load.services });
  return { recording: { trace, load, settings: undefined }, trust: known, simulateRuns };
}

/** Every fifth request holds one of two connections for long, and each route has an operation. @returns {Trace} */
function recordJam(seed = 1) {
  const random = createRandom(seed, 'jam');
  const trace = recordDrawn(600, 2, (index) => {
    const route = index % 5 === 0 ? '/report' : index % 5 === 1 ? '/cart' : '/fast';
    const meanMs = { '/report': 60, '/cart': 15, '/fast': 2 }[route];
    return { route, serviceMs: Number(meanMs) * (0.8 + 0.4 * random.uniform()), gapMs: 11 * random.exponential() };
  });
  const operations = ['aggregate sales', 'find carts', 'find items'].map((name) => ({ name, kind: null }));
  const rowOf = { '/report': 0, '/cart': 1, '/fast': 2 };
  const operationOf = Array.from(trace.routeOf, (route) => rowOf[/** @type {'/fast'} */ (trace.routes[route])]);
  return { ...trace, operations, operationOf, callers: 0 };
}

describe('the query that would help most', () => {
  const trace = recordJam();
  /** @type {Speedups} */
  let found;
  beforeAll(async () => {
    found = /** @type {Speedups} */ (await findSpeedups(inputOf(trace)));
  });

  test('is found among all, by what it does to the route that waits most', () => {
    expect(found.target).toEqual({ route: '/fast', figure: 'p95Ms' });
    expect(found.kinds.map(({ operation }) => operation)).toEqual(['aggregate sales', 'find carts', 'find items']);
    expect(found.best).toMatchObject({ route: '/report', operation: 'aggregate sales', rivals: [] });
    expect(found.kinds[0].share).toBeCloseTo(60 / (60 + 15 + 3 * 2), 1);
    expect(found.kinds[0].tries.map(({ factor }) => factor)).toEqual([0.9, 0.5, 0]);
    const [, half, none] = found.kinds[0].tries;
    expect(none.ms).toBeLessThan(half.ms);
    expect(half.ms).toBeLessThan(Number(found.now?.ms));
  });

  test('has a band, and as many connections do the same', async () => {
    const { best, now } = found;
    if (!best || !now) throw new Error('Nothing was found');
    expect(best.ms).toBeGreaterThanOrEqual(best.lowMs);
    expect(best.ms).toBeLessThanOrEqual(best.highMs);
    expect(best.ms).toBeLessThan(0.95 * now.ms);
    expect(best.change.high).toBeLessThanOrEqual(1.05);
    const { simulateRuns } = inputOf(trace);
    const p95At = async (/** @type {number} */ maxPoolSize) =>
      (await simulateRuns([{ pool: { maxPoolSize }, seed: 1, factor: 1 }]))[0].routes['/fast'].p95Ms;
    const size = 2 + Number(best.connections);
    expect(await p95At(size)).toBeLessThan(1.05 * best.ms + 1);
    expect(await p95At(size - 1)).toBeGreaterThan(1.05 * best.ms + 1);
  });

  test('is the one for the goal that is missed by most, where there are goals', async () => {
    const goals = ['/fast p50 < 10 s', '/cart p99 < 20 ms'].map(parseSlo);
    const { target } = /** @type {Speedups} */ (await findSpeedups({ ...inputOf(trace), goals }));
    expect(target).toMatchObject({ route: '/cart', figure: 'p99Ms' });
    expect(await findSpeedups({ ...inputOf(trace), goals: goals.slice(0, 1) })).toBeNull();
  });

  test('has no figures where the recording has none', async () => {
    const refusal = { code: 'unknownServer', figures: {} };
    const refused = await findSpeedups(inputOf(trace, { trust: { refusal } }));
    expect(refused).toMatchObject({ reason: refusal, now: null, best: null, kinds: [] });
    const reason = { code: 'wideBand', figures: {} };
    const hidden = await findSpeedups(inputOf(trace, { trust: { reasonToHide: () => reason } }));
    expect(hidden).toMatchObject({ reason, best: { operation: 'aggregate sales', ms: NaN, highMs: NaN } });
    expect(hidden?.kinds.map(({ tries }) => tries)).toEqual([[], [], []]);
    const misread = { ...trace, header: { maxPoolSize: 6 } };
    expect(await findSpeedups(inputOf(misread))).toMatchObject({ reason: { code: 'ownRuns' }, now: null });
    expect(await findSpeedups(inputOf({ ...trace, header: {} }))).toBeNull();
  });

  test('is no change stream, which takes as long as nothing happens', () => {
    const operations = [{ name: 'getMore events', kind: /** @type {const} */ ('changeStream') }];
    const kinds = listKinds({ ...trace, operations: [...operations, ...(trace.operations ?? []).slice(1)] });
    expect(kinds.map(({ operation }) => operation)).toEqual(['find carts', 'find items']);
  });
});

test('work that belongs to no request makes nobody wait, and a route without its own queries is no news', async () => {
  const trace = recordJam();
  const cart = trace.routes.indexOf('/cart');
  const requestOf = Array.from(trace.routeOf, (route, row) => (route === cart ? row : -1));
  expect(await findSpeedups(inputOf({ ...trace, requestOf }))).toMatchObject({ target: { route: '/cart' } });
  const quick = { ...recordDrawn(100, 4, () => ({ route: '/a', serviceMs: 1.5, gapMs: 20 })), callers: 0 };
  const { kinds, best } = /** @type {Speedups} */ (await findSpeedups(inputOf(quick)));
  expect(kinds[0].tries.map(({ ms }) => ms < 0.5)).toEqual([false, false, true]);
  expect(best).toBeNull();
});

test('where nobody waits, a query changes its own route alone, and no connection does', async () => {
  const trace = { ...recordDrawn(100, 4, () => ({ route: '/a', serviceMs: 10, gapMs: 20 })), callers: 0 };
  const { best, kinds } = /** @type {Speedups} */ (await findSpeedups(inputOf(trace)));
  expect(kinds[0].tries.slice(0, 2).map(({ ms }) => ms)).toEqual([9, 5].map((ms) => expect.closeTo(ms, 1)));
  expect(best).toMatchObject({ route: '/a', operation: undefined, connections: null });
});

describe('callers who wait for their answers', () => {
  const recorded = run(
    callers({ count: 4, untilMs: 3000, service: TIMES.steady(20), think: TIMES.fixed(0.1) }),
    2,
    3000,
  );
  const input = inputOf({ ...toTrace(recorded, 2), callers: 4 });

  test('would send requests without end if they took no time', async () => {
    const { kinds } = /** @type {Speedups} */ (await findSpeedups(input));
    expect(kinds[0].tries.map(({ ms }) => Number.isNaN(ms))).toEqual([false, false, true]);
    const tried = parseChange('/slow=1%', input.recording.trace);
    await expect(tryChange({ ...input, tried })).rejects.toThrow('"/slow=1%": callers who wait');
  });

  test('wait half as long if each takes half the time', async () => {
    const { kinds } = /** @type {Speedups} */ (await findSpeedups(input));
    const [whole, half] = [kinds[0].tries[0].ms / 0.9, kinds[0].tries[1].ms];
    expect(half / whole).toBeCloseTo(0.5, 1);
  });
});

describe('one change', () => {
  const trace = recordJam();
  const input = inputOf(trace);
  const tryText = (/** @type {string} */ text) => tryChange({ ...input, tried: parseChange(text, trace) });
  const timesOf = async (/** @type {string} */ text) => {
    const { routes } = await tryText(text);
    return Object.fromEntries(routes.map(({ route, then }) => [route, then?.ms]));
  };

  test('is an operation, one of a route, a route, or a client for a route', async () => {
    const { routes, ...facts } = await tryText('aggregate sales = 50%');
    expect(facts).toEqual({ text: 'aggregate sales = 50%', poolSize: 2, isShared: false, reason: null });
    expect(routes.map(({ route }) => route)).toEqual(trace.routes);
    for (const { now, then } of routes) expect(Number(then?.ms)).toBeLessThan(now.ms);
    const half = await timesOf('aggregate sales=50%');
    expect(await timesOf('aggregate sales of /report=50 %')).toEqual(half);
    expect(await timesOf('/report=50%')).toEqual(half);
    const gone = await timesOf('/report=none');
    expect(gone['/report']).toBeUndefined();
    const own = await timesOf('/report=own-client:3');
    expect(own['/fast']).toBeCloseTo(Number(gone['/fast']), 0);
    expect(Number(own['/report'])).toBeGreaterThan(60);
    expect(Number(own['/report'])).toBeLessThan(100);
  });

  test.each([
    ['/report', 'is not a change: write 50%'],
    ['/report=5', 'is not a change'],
    ['/report=own-client:0', 'is not a change'],
    ['=50%', 'is not a change'],
    ['/nothing=50%', 'the recording has no "/nothing". It has /report, /cart, /fast, aggregate sales'],
    ['find carts of /nothing=50%', 'has no "find carts of /nothing"'],
    ['find carts=own-client:2', 'only a route can have a client of its own'],
  ])('%s is refused with what is allowed', (text, message) => {
    expect(() => parseChange(text, trace)).toThrow(message);
  });
});
