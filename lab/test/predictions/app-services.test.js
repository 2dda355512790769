import { describe, expect, test } from '@jest/globals';
import { poolOfApp, readWorkload, simulate } from 'mongodb-pool-predictor';
import { servicesOfResult } from '../../predictions/result-services.js';
import { createSampleResult } from '../report/sample-result.js';
import { matchRoutes } from '../../predictions/route-patterns.js';
import { sendRequests } from '../../harness/loads/open-loop.js';
import { checkAppPool, describeAppPool } from '../../predictions/app-pool.js';
import { measureUntil } from 'test-support/waiting.js';
import { serveApp } from '../../../test/support/serve-app.js';

test('service times and overhead are the samples of all repeats at the largest pool', () => {
  const result = createSampleResult();
  const repeatsOf = (/** @type {number} */ ms) => [
    { measured: {}, samples: { services: { '/fast': [ms], '/other': [ms + 1] }, overheadsMs: [ms + 2] } },
    { measured: {}, samples: { services: { '/fast': [ms + 3] }, overheadsMs: [ms + 4] } },
    { measured: {} },
  ];
  for (const variant of result.variants) Object.assign(variant, { repeats: repeatsOf(variant.settings.poolSize) });
  const size = Math.max(...result.variants.map(({ settings }) => settings.poolSize));
  const sample = (/** @type {number[]} */ ...valuesMs) => ({ kind: 'sample', valuesMs });
  expect(servicesOfResult(result)).toEqual({
    services: { '/slow': { kind: 'fixed', ms: 5000 }, '/fast': sample(size, size + 3), '/other': sample(size + 1) },
    overhead: sample(size + 2, size + 4),
  });
});

test('a negative time in a sample is refused', () => {
  const result = createSampleResult();
  for (const variant of result.variants)
    Object.assign(variant, { repeats: [{ measured: {}, samples: { services: {}, overheadsMs: [-1] } }] });
  expect(() => servicesOfResult(result)).toThrow('its numbers must be from 0 to 365 days, in ms');
});

test('without samples, as in older results: /slow is the setting, /fast the median at the largest pool', () => {
  expect(servicesOfResult(createSampleResult())).toEqual({
    services: { '/slow': { kind: 'fixed', ms: 5000 }, '/fast': { kind: 'fixed', ms: 3.1 } },
  });
});

test('without samples, /fast is preferably the service time before the load', () => {
  const result = createSampleResult();
  Object.assign(result.variants[2].measured ?? {}, { unloaded: { serviceMs: 1.7, overheadMs: 2 } });
  expect(servicesOfResult(result).services['/fast']).toEqual({ kind: 'fixed', ms: 1.7 });
});

test('without a measurement /fast has none', () => {
  const [variant] = createSampleResult().variants;
  const variants = [{ ...variant, measured: null, repeats: undefined }];
  expect(servicesOfResult(createSampleResult({ variants }))).toEqual({
    services: { '/slow': { kind: 'fixed', ms: 5000 } },
  });
});

test('missing figures give no service times', () => {
  expect(servicesOfResult({ lab: 'mixed', variants: [{ settings: {}, measured: {} }] })).toEqual({ services: {} });
});

test.each([[null], [[]], [{ lab: 'sessions', variants: [] }]])('%j is refused', (result) => {
  expect(() => servicesOfResult(result)).toThrow('it is not a result of pool-lab run mixed');
});

/** @param {string[]} steps such as `get /fast` */
function requestsOf(steps) {
  const flow = steps.map((step) => {
    const [method, url] = step.split(' ');
    return { [method]: { url } };
  });
  return readWorkload(JSON.stringify({ config: { target: 'http://localhost', phases: [] }, scenarios: [{ flow }] }))
    .requests;
}

test.each([
  ['get /fast', ['/fast', '/'], '/fast'],
  ['get /fast/?x=1', ['/fast'], '/fast'],
  ['get /users/42', ['/users/:id', '/users'], '/users/:id'],
  ['get /users/{{id}}', ['/users/me', '/users/:id'], '/users/:id'],
  ['get /users/me', ['/users/:id', '/users/me'], '/users/me'],
  ['get /users/{{id}}/orders', ['/users/:id', '/users/:id/orders'], '/users/:id/orders'],
  ['post /users', ['/users', 'POST /users'], 'POST /users'],
  ['head /users', ['/users', 'POST /users'], '/users'],
  ['get /files/a/b.txt', ['/files/*path'], '/files/*path'],
  ['get /', ['/:page', '/'], '/'],
])('%s is one of %j: %s', (step, routes, expected) => {
  expect([...matchRoutes(requestsOf([step]), routes).values()]).toEqual([expected]);
});

test('what the app does not have has no route', () => {
  expect(matchRoutes(requestsOf(['get /nothing', 'post /fast']), ['/fast', '/users/:id'])).toEqual(new Map());
});

test('methods of one path stay apart', () => {
  expect(matchRoutes(requestsOf(['get /orders', 'post /orders']), ['/orders', 'POST /orders'])).toEqual(
    new Map([
      ['GET /orders', '/orders'],
      ['POST /orders', 'POST /orders'],
    ]),
  );
});

const SLOW_MS = 300;
/** Answers that are simulated this close to each other may change places. */
const TOGETHER_MS = 20;
/** Three administrators, then a customer. @param {number} customerAtMs */
const burst = (customerAtMs) => [
  ...[0, 0, 0].map((atMs) => ({ route: '/slow', atMs })),
  { route: '/fast', atMs: customerAtMs },
];

describe('a burst on a real app ends in the order that is simulated from its GET /pool', () => {
  // Each burst, as computed by hand: the statuses and about when the answers come. The customer comes after 100 ms.
  /** @type {[string, Record<string, string>, number[], number[], number?][]} */
  const cases = [
    ['a second client', { MONGO_POOLSIZE: '1', SLOW_POOLSIZE: '2' }, [200, 200, 200, 200], [300, 300, 600, 0]],
    ['a concurrency limit', { MONGO_POOLSIZE: '3', SLOW_CONCURRENCY: '2' }, [200, 200, 503, 200], [300, 300, 0, 0]],
    [
      'a second client with a limit',
      { MONGO_POOLSIZE: '1', SLOW_POOLSIZE: '1', SLOW_CONCURRENCY: '2' },
      [200, 200, 503, 200],
      [300, 600, 0, 0],
    ],
    [
      'a wait-queue timeout',
      { MONGO_POOLSIZE: '1', MONGO_WAIT_QUEUE_TIMEOUT_MS: '450' },
      [200, 200, 503, 503],
      [300, 600, 450, 450],
    ],
    // It comes later here, so that a new connection can be opened in time on a busy machine, too.
    [
      'a request deadline',
      { MONGO_POOLSIZE: '1', REQUEST_TIMEOUT_MS: '450' },
      [200, 503, 503, 200],
      [300, 450, 450, 170],
      280,
    ],
  ];

  test.each(cases)('%s', async (_, settings, statuses, tookMs, customerAtMs = 100) => {
    const load = burst(customerAtMs);
    const url = await serveApp({ ...settings, SLOW_MS: String(SLOW_MS) });
    const { settings: known } = await (await fetch(`${url}/pool`)).json();
    const { records = [] } = simulate({
      arrivals: load,
      pool: poolOfApp(known),
      keepRequests: true,
      services: { '/slow': { kind: 'fixed', ms: SLOW_MS }, '/fast': { kind: 'fixed', ms: 1 } },
    });
    const simulated = records
      .toSorted((a, b) => a.user - b.user)
      .map(({ outcome, arrivedAtMs, finishedAtMs }) => ({
        status: outcome === 'ok' ? 200 : 503,
        tookMs: finishedAtMs - arrivedAtMs,
      }));
    expect(simulated.map(({ status }) => status)).toEqual(statuses);
    for (const [index, ms] of tookMs.entries()) expect(Math.abs(simulated[index].tookMs - ms)).toBeLessThan(2);

    const endOf = (/** @type {{ tookMs: number }} */ { tookMs }, /** @type {number} */ index) =>
      load[index].atMs + tookMs;
    const areInOrder = (/** @type {{ tookMs: number }[]} */ answers) =>
      simulated.every((one, i) =>
        simulated.every(
          (other, j) => endOf(one, i) + TOGETHER_MS > endOf(other, j) || endOf(answers[i], i) < endOf(answers[j], j),
        ),
      );
    const send = () => sendRequests(load, { url, patienceMs: 10_000, signal: new AbortController().signal });
    await send(); // opens the connections
    const answers = await measureUntil(
      send,
      (all) => areInOrder(all) && all.every(({ status }, index) => status === statuses[index]),
    );
    expect(answers.map(({ status }) => status)).toEqual(statuses);
    expect(areInOrder(answers)).toBe(true);
  });
});

test('in words', () => {
  expect(describeAppPool({ poolSize: 10, slowPoolSize: 2, waitQueueTimeoutMs: 500 })).toBe(
    '10 connections, 2 more for /slow, wait-queue timeout 500 ms',
  );
  expect(describeAppPool({ poolSize: 1, slowConcurrency: 1, requestTimeoutMs: 150_000, waitQueueTimeoutMs: 0 })).toBe(
    '1 connection, at most 1 request of /slow at once, request deadline 150.0 s',
  );
  expect(describeAppPool({ poolSize: 0 })).toBe('no limit on connections');
});

test("a pool smaller than the app's minimum keeps all its connections open", () => {
  expect(poolOfApp({ poolSize: 2, minPoolSize: 5 })).toMatchObject({ maxPoolSize: 2, minPoolSize: 2 });
});

test.each([
  [null, 'it must be an object'],
  [{}, 'poolSize must be a whole number from 0 to 100000'],
  [{ poolSize: 3, slowPoolSize: 1e9 }, 'slowPoolSize must be a whole number from 0 to 100000'],
  [{ poolSize: 3, requestTimeoutMs: -1 }, 'requestTimeoutMs must be a whole number from 0 to 2147483647'],
])('%j is refused', (value, message) => {
  expect(() => checkAppPool(value, 'it')).toThrow(message);
});
