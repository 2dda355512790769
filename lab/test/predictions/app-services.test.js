import { describe, expect, test } from '@jest/globals';
import { poolOfApp, readWorkload } from 'mongodb-pool-predictor';
import { servicesOfResult } from '../../predictions/result-services.js';
import { createSampleResult } from '../report/sample-result.js';
import { matchRoutes } from '../../predictions/route-patterns.js';
import { checkAppPool, describeAppPool } from '../../predictions/app-pool.js';
import {
  describeCoverage,
  describePick,
  describePool,
  describeSharedPool,
  describeSharing,
  describeTraceQueries,
  describeTraceRoutes,
} from '../../predictions/describe-input.js';
import { describeCallers } from '../../predictions/describe-callers.js';
import { BURSTS, simulateBurst } from './app-bursts.js';

describe('the services of an app', () => {
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

  test.each(BURSTS)('a burst is simulated as computed by hand: $name', ({ pool, customerAtMs, statuses, tookMs }) => {
    const simulated = simulateBurst(pool, customerAtMs).map((one) => ({
      ...one,
      tookMs: 10 * Math.round(one.tookMs / 10),
    }));
    expect(simulated).toEqual(tookMs.map((ms, index) => ({ status: statuses[index], tookMs: ms })));
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
});

describe('the input', () => {
  test('the times cover the rest of a response only where it was measured', () => {
    expect(describeCoverage(undefined, '')).toBe(
      'The times cover only the wait for a connection and its use, not the rest of a ' +
        'response. --app or --from shows how long that takes.',
    );
    expect(describeCoverage({ kind: 'sample', valuesMs: [1, 2, 30] }, 'in result.json')).toBe(
      'The times are whole responses: the wait for a connection, its use, and the overhead, 2 ms (median of 3 in ' +
        'result.json).',
    );
    expect(describeCoverage({ kind: 'fixed', ms: 3 }, 'of the app')).toContain('as it is of the app');
  });

  const app = 'the app at http://127.0.0.1';

  test('the simulated pool is named in one line', () => {
    expect(describePool({ settings: { poolSize: 10, slowPoolSize: 2, waitQueueTimeoutMs: 500 }, app })).toBe(
      'The simulated pool is that of the app at http://127.0.0.1: 10 connections, 2 more for /slow, wait-queue timeout 500 ms. ' +
        'Only the size of the main pool changes.',
    );
  });

  test("an advice says when it is not for the app's pool", () => {
    expect(describeSharedPool({ settings: { poolSize: 10, requestTimeoutMs: 150_000 }, app })).toBe('');
    expect(describeSharedPool({ settings: { poolSize: 10, slowConcurrency: 2 }, app })).toBe(
      'This advice assumes one pool shared by all routes, without timeouts, but the app at http://127.0.0.1 is set up ' +
        'differently: 10 connections, at most 2 requests of /slow at once.',
    );
  });

  test('a trace with several pools: which one it is about', () => {
    const trace = {
      useMs: [1, 2],
      header: {},
      routes: [],
      routeOf: [],
      waitMs: [],
      checkOutStartedMs: [],
      warnings: [],
    };
    const [first, reports, second] = [{ process: 0 }, { process: 0, name: 'reports' }, { process: 1 }];
    expect(describePick({ trace, pool: first, process: {}, others: [] })).toEqual([]);
    expect(describePick({ trace, pool: reports, process: { pid: 7 }, others: [first] })).toEqual([
      'The trace has 2 pools. This is the one of client "reports", with 2 checkouts. The others are assumed ' +
        'to stay as recorded. Choose with --client.',
    ]);
    expect(describePick({ trace, pool: first, process: { pid: 7 }, others: [reports, second] })).toEqual([
      'The trace has 3 pools. This is the one of client "client 1" in process 7, with 2 checkouts. The ' +
        'others are assumed to stay as recorded. Choose with --client and --process.',
    ]);
    const [one, other] = ['db1:27017', 'db2:27017'].map((address) => ({ process: 0, name: 'shop', address }));
    expect(describePick({ trace, pool: one, process: { pid: 7 }, others: [other] })[0]).toMatch(
      / is the one of client "db1:27017\/shop", with /,
    );
  });

  test.each([
    [['/fast', 'GET /orders'], 1],
    [['/graphql'], 1],
    [['GET /orders', 'POST /orders', '/graphql GetUser', 'checkout'], 0],
    [[], 0],
  ])('a trace with the routes %j: %i notes that paths are not enough', (routes, count) => {
    expect(describeTraceRoutes(routes)).toHaveLength(count);
  });

  test('a trace tells how many queries a request makes, if it numbers requests', () => {
    const trace = {
      header: {},
      routes: ['/orders', '/fast'],
      routeOf: [0, 0, 0, 1, 0, 0],
      requestOf: [7, 7, 7, 8, 9, 9],
      warnings: [],
      checkOutStartedMs: [0, 1, 2, 3, 4, 5],
      waitMs: [0, 0, 0, 0, 0, 0],
      useMs: [1, 1, 1, 1, 1, 1],
    };
    expect(describeTraceQueries(trace)).toEqual([
      'Some requests make several queries: 2.5 for /orders, on average. The figures are those of whole requests.',
    ]);
    expect(describeTraceQueries({ ...trace, requestOf: [1, 2, 3, 4, 5, 6] })).toEqual([]);
    expect(describeTraceQueries({ ...trace, requestOf: undefined })).toEqual([
      'The trace does not say which queries belong to one request, so each counts as one.',
    ]);
  });

  describe('queries that share the cores of the server', () => {
    const load = /** @type {any} */ ({
      services: { '/report': { kind: 'fixed', ms: 20 } },
      callers: { callers: 12, callersShare: 1 },
    });
    const sharing = { cores: 1.97, source: 'recorded', workShares: { '/report': 1 }, seen: 4 };
    const traceOf = (/** @type {object} */ changes) => /** @type {any} */ ({ header: { maxPoolSize: 4 }, ...changes });

    test.each([
      [
        { sharing, server: { cores: 2, busyCores: 1.97, otherBusyCores: 0.1 } },
        '2.0, as the server said during the recording (other programs on its machine used 0.1). Alone, a query ' +
          'takes, on average: /report 20 ms.',
      ],
      [{ sharing: { ...sharing, cores: 4, source: 'given' } }, ': 4, as --server-cores says. Alone'],
      [
        { sharing: { ...sharing, range: [1.5, 3], source: 'fitted', workShares: { '/report': 0.75 } } },
        ': about 2.0 (1.5 to 3.0 with 95 % confidence), as the use times show. Alone, a query takes, on average: ' +
          '/report 20 ms (25 % of it a delay).',
      ],
    ])('%j', (changes, words) => {
      const [first, second] = describeSharing(traceOf(changes), load);
      expect(first).toMatch(/^Queries slow each other down, because they share the server's cores: /);
      expect(first).toContain(words);
      expect(second).toMatch(
        /^The recording shows at most 4 queries at work at once\. What larger pools do is extrapolated/,
      );
    });

    test('where they do not, it says nothing', () => {
      expect(describeSharing(traceOf({ server: { cores: 2, busyCores: 0 } }), load)).toEqual([]);
    });
  });

  const OPEN = {
    callers: 0,
    callersShare: 0,
    visits: 0,
    visitsShare: 0,
    aloneShare: 1,
    thinkMs: NaN,
    fewest: null,
  };
  const CLOSED = { ...OPEN, callers: 32, callersShare: 0.97, aloneShare: 0.03, thinkMs: 2.1 };

  test('says what share of a trace waits for answers', () => {
    expect(describeCallers(OPEN)).toBe(
      'No query seems to wait for the answer to another: all arrive at the times in the trace.',
    );
    expect(describeCallers(CLOSED)).toBe(
      'Of the trace, 97 % of the queries come from 32 callers that wait for their answers; 3 % arrive on ' +
        'their own. From an answer to the next query it takes 2.1 ms (median).',
    );
    expect(describeCallers({ ...OPEN, visits: 1, visitsShare: 0.999, aloneShare: 0.001, thinkMs: 50 })).toMatch(
      /^Of the trace, 99 % come in one chain, each query after the one before it; under 1 % arrive on their own\./,
    );
  });

  test('and as few callers as could have sent all of it', () => {
    expect(describeCallers({ ...OPEN, fewest: 9 })).toMatch(
      / The bands also .* if as few as 9 callers sent all of them\.$/,
    );
  });

  test('and how much belongs to no request', () => {
    expect(describeCallers({ ...OPEN, outside: 34 })).toBe(
      'No query seems to wait for the answer to another: all arrive at the times in the trace. 34 checkouts belong ' +
        'to no request, such as those of a timer, and come at their recorded times.',
    );
    expect(describeCallers({ ...CLOSED, outside: 1 })).toMatch(/ 1 checkout belongs to .* at its recorded time\.$/);
  });
});
