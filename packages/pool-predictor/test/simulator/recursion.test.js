import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { createScenarioLoad } from '../../src/load.js';
import { UNLIMITED } from '../../src/simulation-runs.js';
import { simulate, simulateEvents, simulateRecursively } from '../../src/simulator/simulate.js';

/** @import { SimulationOptions } from '../../src/simulator/simulate.js' */
/** @import { Service } from '../../src/simulator/service-time.js' */

/** Many are equal, so that ends, deadlines and arrivals often come at the same moment. */
const times = fc.constantFrom(0, 0.1, 0.2, 1, 1, 2, 3, 5, 10, 50);
const drawn = fc.oneof(
  times.map((ms) => /** @type {Service} */ ({ kind: 'fixed', ms })),
  fc.array(times, { minLength: 1, maxLength: 3 }).map((valuesMs) => /** @type {Service} */ ({ kind: 'sample', valuesMs })),
  fc.constantFrom(2, 20).map((meanMs) => /** @type {Service} */ ({ kind: 'exponential', meanMs })),
  fc.constant(/** @type {Service} */ ({ kind: 'lognormal', medianMs: 3, sigma: 1 })),
);
const route = fc.constantFrom('/a', '/b');

/** Like a trace: each request with its route, some with the time of their query or of a slow handover. */
const listed = fc.array(fc.record({
  gapMs: times, route, serviceMs: fc.option(times, { nil: undefined }),
  handoverMs: fc.option(fc.constantFrom(0.5, 1, 7), { nil: undefined }),
}), { maxLength: 60 }).map((requests) => {
  let atMs = 0;
  return { arrivals: requests.map(({ gapMs, ...request }) => ({ ...request, atMs: (atMs += gapMs) })) };
});

const generated = fc.record({
  workload: fc.record({
    phases: fc.array(fc.oneof(
      fc.record({ durationMs: fc.constant(500), arrivalCount: fc.integer({ min: 0, max: 60 }) }),
      fc.record({
        durationMs: fc.constant(1000), arrivalRate: fc.constantFrom(20, 200), mode: fc.constantFrom('uniform', 'poisson'),
      }),
      fc.record({ pauseMs: fc.constant(100) }),
      fc.record({ durationMs: fc.constant(2000), arrivalRate: fc.constant(0), rampTo: fc.constantFrom(40, 100) }),
    ), { maxLength: 3 }),
    scenarios: fc.array(fc.record({
      weight: fc.constantFrom(1, 9), steps: route.map((name) => [{ kind: 'request', route: name }]),
    }), { minLength: 1, maxLength: 3 }),
  }),
  workers: fc.constantFrom(1, 3),
});

const options = /** @type {fc.Arbitrary<SimulationOptions>} */ (fc.record({
  load: fc.oneof(listed, generated),
  timeoutMs: fc.constantFrom(undefined, undefined, undefined, 60, 300),
  pool: fc.oneof(
    fc.record({
      maxPoolSize: fc.integer({ min: 1, max: 5 }), warm: fc.constantFrom(undefined, true, false),
      waitQueueTimeoutMS: fc.constantFrom(undefined, 0, 1, 5, 50), requestTimeoutMs: fc.constantFrom(undefined, undefined, 5, 60),
    }),
    fc.constant(UNLIMITED),
  ),
  services: fc.record({ '/a': drawn, '/b': drawn }),
  seed: fc.integer({ min: 1, max: 1000 }),
  overhead: fc.option(drawn, { nil: undefined }),
  resolutionMs: fc.constantFrom(undefined, 0, 1),
}).map(({ load, timeoutMs, ...rest }) => ({
  ...rest, ...load, workload: timeoutMs ? { phases: [], scenarios: [], .../** @type {any} */ (load).workload, timeoutMs } : /** @type {any} */ (load).workload,
})));

test('the result is that of events, for whatever does not need them', () => {
  let needEvents = 0;
  fc.assert(fc.property(options, (each) => {
    const result = simulateRecursively(each);
    const expected = simulateEvents(each);
    if (result) {
      expectSame(result, expected);
    } else {
      needEvents++;
      expect(expected.failuresBy.clientTimeout + expected.failuresBy.requestTimeout).toBeGreaterThan(0);
    }
    expectSame(simulate(each), expected);
  }), { numRuns: 300, seed: 1 });
  expect(needEvents).toBeLessThan(600);
});

/** Sums may differ in their last digits, when answers come in another order. @param {any} actual @param {any} expected */
function expectSame(actual, expected) {
  if (typeof expected === 'object' && expected !== null) {
    expect(Object.keys(actual)).toEqual(Object.keys(expected));
    for (const key of Object.keys(expected)) expectSame(actual[key], expected[key]);
  } else if (Number.isFinite(expected)) {
    expect(Math.abs(actual - expected)).toBeLessThanOrEqual(1e-9 * Math.max(1, Math.abs(expected)));
  } else {
    expect(actual).toEqual(expected);
  }
}

describe('events are needed', () => {
  /** @type {SimulationOptions} */
  const plain = {
    workload: { phases: [{ durationMs: 1000, arrivalCount: 100 }], scenarios: [{ steps: [{ kind: 'request', route: '/a' }] }] },
    services: { '/a': { kind: 'fixed', ms: 15 } },
    pool: { maxPoolSize: 2 },
  };

  test('not by a plain load', () => {
    expect(simulateRecursively(plain)).toEqual(simulateEvents(plain));
  });

  test.each(/** @type {[string, Partial<SimulationOptions>][]} */ ([
    ['a flow of two requests', { workload: { phases: [], scenarios: [{ steps: [
      { kind: 'request', route: '/a' }, { kind: 'request', route: '/a' }] }] } }],
    ['a limit on users', { workload: { .../** @type {any} */ (plain.workload), phases: [{ durationMs: 1000, arrivalCount: 100, maxVusers: 1 }] } }],
    ['a client that gives up', { workload: { .../** @type {any} */ (plain.workload), timeoutMs: 10 } }],
    ['a request deadline', { pool: { maxPoolSize: 2, requestTimeoutMs: 10 } }],
    ['connections that take time to open', { pool: { maxPoolSize: 2, warm: false, connectMs: 1 } }],
    ['a divided pool', { pool: { kind: 'limited', maxPoolSize: 2, slowRoutes: ['/a'], slowSize: 1 } }],
    ['a route without queries', { services: { '/a': { kind: 'none' } } }],
    ['a list of requests as a result', { keepRequests: true }],
    ['arrivals that can be read only once', { arrivals: [{ atMs: 0 }].values() }],
    ['a user who sends several requests', { arrivals: [/** @type {any} */ ({ atMs: 0, requests: [] })] }],
    ['a query that never ends', { arrivals: [{ atMs: 0, route: '/a', serviceMs: Infinity }] }],
  ]))('by %s', (_, change) => {
    expect(simulateRecursively({ ...plain, ...change })).toBeUndefined();
  });
});

test('a load has the same arrivals each time they are read', () => {
  const arrivals = createScenarioLoad({
    phases: [{ durationMs: 1000, arrivalRate: 50, mode: 'poisson' }], scenarios: [{ steps: [{ kind: 'request', route: '/a' }] }],
  }).arrivals(3, 1.3);
  expect([...arrivals]).toEqual([...arrivals]);
});
