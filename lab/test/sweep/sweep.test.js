import { once } from 'node:events';
import http from 'node:http';
import { describe, expect, test } from '@jest/globals';
import { parseSlo, readWorkload, simulate } from 'mongodb-pool-predictor';
import { cleanUp } from 'test-support/cleanup.js';
import { showResult } from '../../cli/report-command.js';
import { toResult } from '../../cli/result-file.js';
import { createSampleResult } from '../report/sample-result.js';
import { requireGoalRoutes } from '../../sweep/prepare-sweep.js';
import { joinRequests } from '../../sweep/measured-requests.js';
import { replayRequests } from '../../sweep/replayed-load.js';
import { judgeGoal, judgeGoals, measureGoals, summariseSweep } from '../../sweep/sweep-figures.js';
import { seeRequests } from './recordings.js';
import { createMeasuredLoad, pickTypical, predictSize } from '../../sweep/size-prediction.js';
import { startWatchedApp } from '../../sweep/start-watched.js';

describe('the view', () => {
  /** @param {object} [changes] */
  function read(changes) {
    return toResult({ ...createSampleResult({ lab: 'sweep' }), ...changes }, 'x.json');
  }

  test('shows a sweep: its routes, its takeaway and what advise said', () => {
    const { table, page } = showResult(
      'x.json',
      read({ advice: { words: ['Measured: the goal is met at pool size 3, 10.', 'advise says so.'] } }),
      80,
    );
    expect(table).toMatch(/\/fast ms +\/slow ms/);
    expect(table.replaceAll(/\s+/g, ' ')).toContain(
      'Measured: the goal is met at pool size 3, 10. ' +
        'With 1 connection, 95 of 100 requests to /fast took at most 20.1 s; with 10 connections, 5.2 ms.',
    );
    expect(page).toContain('<li>advise says so.</li>');
  });

  test('says why requests waited, at each size', () => {
    const words = ['Pool size 1: Requests wait 3.0 s on average, because /slow holds the only connection.'];
    const { page } = showResult('x.json', read({ doctor: { words } }), 80);
    expect(page).toContain(`<li>${words[0]}</li>`);
    expect(() => showResult('x.json', read({ doctor: { words: [5] } }), 80)).toThrow('doctor.words[0] must be text');
  });

  test('compares the slowest requests of a route that has few', () => {
    const result = createSampleResult({ lab: 'sweep' });
    const few = { ...result.variants[0].measured, routes: { '/fast': { count: 19, p50Ms: 1, p95Ms: 2, maxMs: 30 } } };
    Object.assign(result.variants[0], { measured: few });
    const { table, page } = showResult('x.json', toResult(result, 'x.json'), 80);
    expect(table.replaceAll(/\s+/g, ' ')).toContain(
      'With 1 connection, the slowest request to /fast took 30 ms; with 10 connections, 6 ms. /fast ms',
    );
    expect(table).toMatch(/^pool reqs .*max/m);
    expect(page).toContain('/fast: the slowest request');
  });

  test('explains a heading again where it means something else', () => {
    const result = createSampleResult({ lab: 'sweep' });
    for (const { measured } of result.variants)
      Object.assign(measured ?? {}, { pool: { waitP50Ms: 1, waitP95Ms: 2, useP50Ms: 3, useP95Ms: 4 } });
    const words = showResult('x.json', toResult(result, 'x.json'), 80).page.replaceAll(/<[^>]*>/g, '');
    expect(words).toMatch(/ p50 50 % of requests took this long or less /);
    expect(words).toMatch(/pool wait p50 wait for a connection: 50 % took this long or less /);
    expect(words).toMatch(/use p50 time that a query had its connection: 50 % took this long or less /);
  });

  test('columns and charts are of the routes that hold connections and of those that wait', () => {
    const times = { count: 100, p50Ms: 1, p95Ms: 2, p99Ms: 3, maxMs: 4 };
    const routes = {
      '/quick': { ...times, count: 900, useP50Ms: 0.1, waitP95Ms: 0 },
      '/bus': { ...times, useP50Ms: 500, waitP95Ms: 9000 },
      '/tram': { ...times, useP50Ms: 50, waitP95Ms: 0 },
      '/victim': { ...times, useP50Ms: 1, waitP95Ms: 9000 },
      '/other-victim': { ...times, useP50Ms: 1, waitP95Ms: 8000 },
      '/bystander': { ...times, useP50Ms: 2, waitP95Ms: 3 },
    };
    const { lab } = read({
      variants: [
        { name: 'pool 1', settings: { poolSize: 1 }, measured: { requests: 1, failures: 0, maxMs: 4, routes } },
      ],
    });
    const listGroups = (/** @type {import('../../report/result-types.js').Column[]} */ columns) => [
      ...new Set(columns.map(({ group }) => group).filter((group) => group?.startsWith('/'))),
    ];
    expect(listGroups(lab.columns)).toEqual(['/bus', '/other-victim', '/tram', '/victim']);
    // A terminal has room for one of each kind.
    expect(listGroups(lab.columns.filter(({ detail }) => !detail))).toEqual(['/bus', '/victim']);
  });

  test('the verdict is the first column, the table fits a terminal, and the command is named', () => {
    const result = createSampleResult({ lab: 'sweep' });
    result.settings.command = 'node app.js --db-password ***';
    for (const { measured } of result.variants) {
      Object.assign(measured ?? {}, {
        goals: { '/fast max < 1 s': measured?.routes['/fast'].maxMs, '/fast p95 < 1 s': 1 },
        goalRequests: { '/fast max < 1 s': 5, '/fast p95 < 1 s': 5 },
      });
    }
    const { table, page } = showResult('x.json', toResult(result, 'x.json'), 80);
    const lines = table.split('\n');
    expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(80);
    // Too few requests for a p95: whatever it is, there is no verdict.
    expect(
      lines.filter((line) => /^(goals|missed|no verdict)/.test(line)).map((line) => line.split(/ {2,}/)[0]),
    ).toEqual(['goals', 'missed', 'missed', 'no verdict']);
    expect(page).toContain('It was started with: node app.js --db-password ***');
  });

  test.each([
    [{ advice: { words: [5] } }, 'advice.words[0] must be text'],
    [
      { variants: [{ name: 'pool 1', settings: {}, measured: { routes: { '/a': null } } }] },
      'variants[0].measured.routes./a must be an object',
    ],
    [
      { variants: [{ name: 'pool 1', settings: {}, measured: { routes: {}, goals: { x: 'y' } } }] },
      'variants[0].measured.goals.x must be a number',
    ],
  ])('%j is refused', (changes, message) => {
    expect(() => read(changes)).toThrow(`x.json is not a result of pool-lab run or sweep: ${message}`);
  });
});

describe('the preparation', () => {
  /** @type {any[]} */
  const REQUESTS = [
    { route: '/fast', method: 'get', path: '/fast' },
    { route: '/users/7', method: 'get', path: '/users/7' },
    { route: '/orders/{{ id }}', method: 'get', path: '/orders/{{ id }}' },
    { route: 'POST /orders', method: 'post', path: '/orders' },
  ];
  const SEEN = ['/fast', '/users/:userId'];

  test.each(['/fast', '/users/:userId', '/orders/:anything', 'POST /orders'])(
    'a goal for %s can be measured',
    (route) => {
      expect(() => requireGoalRoutes([parseSlo(`${route} p95 < 1s`)], REQUESTS, SEEN)).not.toThrow();
    },
  );

  test.each(['/fats', '/users/:id', 'POST /fast', '/orders'])(
    'a goal for %s is refused before anything runs',
    (route) => {
      expect(() => requireGoalRoutes([parseSlo(`${route} p95 < 1s`)], REQUESTS, SEEN)).toThrow(
        `"${route} p95 < 1 s": the load has no route ${route}, only /fast, /users/:userId, /orders/{{ id }}, POST /orders`,
      );
    },
  );
});

describe('a replayed load', () => {
  /** @param {number[]} atMs of requests that take 10 ms */
  const measure = (atMs) =>
    joinRequests(seeRequests(atMs.map((ms) => ({ atMs: ms, route: '/x', totalMs: 10, queries: [[0, 0, 9]] }))));

  /** @type {import('mongodb-pool-predictor').Service} */
  const service = { kind: 'requests', requests: [{ queriesMs: [9], restMs: 1 }] };

  test('callers that wait for their answers are a closed loop, at any size of the pool', () => {
    // Four callers, each with a pause of 1 ms.
    const { load, callers } = replayRequests(
      measure([0, 1, 2, 3].flatMap((first) => Array.from({ length: 50 }, (_, round) => first + round * 11))),
      4,
    );
    expect(callers).toBe(4);
    const { requests, routes } = simulate({
      arrivals: load.arrivals(1, 1),
      services: { '/x': service },
      pool: { maxPoolSize: 1 },
    });
    // One connection does a query in 9 ms, for 542 ms.
    expect(requests).toBeGreaterThan(58);
    expect(requests).toBeLessThan(66);
    expect(routes['/x'].p95Ms).toBeLessThan(40);
    expect([...load.arrivals(1, 2)]).toHaveLength(8);
  });

  test('requests that arrive on their own still do when the pool is small', () => {
    const { load, callers } = replayRequests(measure(Array.from({ length: 100 }, (_, index) => index * 20)), 4);
    expect(callers).toBe(0);
    expect([...load.arrivals(1, 1)].map(({ atMs }) => Math.round(atMs)).slice(0, 3)).toEqual([0, 20, 40]);
  });

  test('a crowd that grows is no closed loop', () => {
    const growing = joinRequests(
      seeRequests(
        Array.from({ length: 100 }, (_, index) => ({
          atMs: index * 5,
          route: '/x',
          totalMs: 10 + index * 5,
          queries: [[0, index * 5, 9]],
        })),
      ),
    );
    expect(replayRequests(growing, 1).callers).toBe(0);
  });

  const seen = seeRequests([
    {
      atMs: 100,
      route: '/b',
      totalMs: 50,
      queries: [
        [10, 5, 20],
        [40, 0, 5],
      ],
    },
    {
      atMs: 0,
      route: '/a',
      totalMs: 30,
      queries: [
        [0, 0, 20],
        [5, 0, 20],
      ],
    },
    { atMs: 200, route: '/a', status: 500, totalMs: 3, queries: [] },
    { atMs: 300, route: '/health', totalMs: 2, queries: [] },
  ]);
  const requests = joinRequests(seen);

  test('a request has its checkouts, and the rest of its time', () => {
    expect(requests.map(({ route, checkouts, restMs }) => [route, checkouts.length, restMs])).toEqual([
      // Two queries at once count once.
      ['/a', 2, 5],
      ['/b', 2, 20],
      ['/a', 0, 3],
      ['/health', 0, 2],
    ]);
  });

  test('the same id in another process is another request', () => {
    const other = { ...seen.requests[0], source: 1 };
    expect(joinRequests({ ...seen, requests: [other] })[0].checkouts).toEqual([]);
  });

  test('the figures are those of good answers, by route', () => {
    const { routes, pool, ...totals } = summariseSweep(requests, seen.checkouts);
    expect(totals).toEqual({ requests: 4, failures: 1, maxMs: 50 });
    expect(routes['/a']).toEqual({
      count: 2,
      failures: 1,
      p50Ms: 30,
      p95Ms: 30,
      p99Ms: 30,
      maxMs: 30,
      queries: 2,
      waitP95Ms: 0,
      useP50Ms: 40,
    });
    expect(routes['/b']).toMatchObject({ count: 1, waitP95Ms: 5, useP50Ms: 25 });
    expect(pool).toMatchObject({ waitMaxMs: 5, useP95Ms: 20, peakActive: 2 });
  });

  test('a failed request misses every goal, and few requests give no verdict', () => {
    const slos = ['/a p50 < 40ms', '/a p95 < 40ms', '/b max < 50ms', '/c p50 < 1s'].map(parseSlo);
    const often = Array.from({ length: 30 }, () => requests).flat();
    const figures = measureGoals(slos, often);
    expect(figures.goals).toEqual({
      '/a p50 < 40 ms': 30,
      '/a p95 < 40 ms': null,
      '/b max < 50 ms': 50,
      '/c p50 < 1 s': null,
    });
    const measured = { ...summariseSweep(often, []), ...figures };
    expect(slos.map((slo) => judgeGoal(slo, measured))).toEqual(['met', 'missed', 'missed', 'unknown']);
    expect(judgeGoals([slos[0], slos[3]], measured)).toBe('unknown');
    expect(judgeGoals(slos, measured)).toBe('missed');
    const few = { ...summariseSweep(requests, []), ...measureGoals(slos, requests) };
    // A maximum is of these requests, and no estimate.
    expect(slos.map((slo) => judgeGoal(slo, few))).toEqual(['unknown', 'unknown', 'missed', 'unknown']);
  });
});

describe('predictions', () => {
  /** One a second, each `/slow` and then `/fast`, as the article's load test. */
  const article = readWorkload(
    JSON.stringify({
      config: { target: 'http://localhost', phases: [{ duration: 5, arrivalCount: 5 }], http: { timeout: 120 } },
      scenarios: [{ flow: [{ get: { url: '/slow' } }, { get: { url: '/fast' } }] }],
    }),
  );

  /** @param {number} poolSize @param {Parameters<typeof seeRequests>[0]} requests */
  function record(poolSize, requests) {
    const seen = seeRequests(requests);
    return { poolSize, requests: joinRequests(seen), checkouts: seen.checkouts, settings: { poolSize } };
  }

  const measured = record(
    10,
    [0, 1000, 2000, 3000, 4000].flatMap((atMs) => [
      { atMs, route: '/slow', totalMs: 5010, queries: [[5, 0, 5000]] },
      { atMs: atMs + 5010, route: '/fast', totalMs: 4, queries: [[1, 0, 2]] },
    ]),
  );

  test('the article at other sizes, from what its largest size measured', async () => {
    const maxima = await Promise.all(
      [1, 3].map(async (size) => Number((await predictSize(size, [measured], article)).maxMs)),
    );
    expect(maxima[0]).toBeGreaterThan(21_000);
    expect(maxima[0]).toBeLessThan(21_100);
    expect(maxima[1]).toBeGreaterThan(7000);
    expect(maxima[1]).toBeLessThan(7100);
  });

  test('a size is never predicted from itself', async () => {
    expect(await predictSize(10, [measured], article)).toEqual({});
    expect(await predictSize(10, [measured, record(3, [])], article)).toEqual({});
  });

  test('a route of the scenario that the app never answered takes no time', async () => {
    const other = readWorkload(
      JSON.stringify({
        config: { target: 'http://localhost', phases: [{ duration: 1, arrivalCount: 1 }] },
        scenarios: [{ flow: [{ get: { url: '/fast' } }, { get: { url: '/gone' } }] }],
      }),
    );
    expect((await predictSize(1, [measured], other)).routes?.['/gone'].maxMs).toBe(0);
  });

  test('the queries of a request follow each other, or run at once', () => {
    const { services } = createMeasuredLoad(
      record(4, [
        {
          atMs: 0,
          route: '/page',
          totalMs: 40,
          queries: [
            [0, 0, 10],
            [12, 0, 5],
            [13, 0, 20],
          ],
        },
        { atMs: 100, route: '/page', totalMs: 8, queries: [[2, 0, 4]] },
      ]),
      [],
      undefined,
    );
    expect(services['/page']).toEqual({
      kind: 'requests',
      workShare: 0,
      requests: [
        { queriesMs: [[10], [5, 20]], restMs: 9 },
        { queriesMs: [[4]], restMs: 4 },
      ],
    });
  });

  test('without a scenario, the requests arrive as they did', () => {
    const { load } = createMeasuredLoad(measured, [], undefined);
    expect(
      [...load.arrivals(1, 1)].map(({ atMs, requests = [] }) => [Math.round(atMs), requests.length]),
    ).toContainEqual([1000, 0]);
  });

  test('a measurement that was disturbed does not count', async () => {
    /** @param {number} poolSize @param {number} slower */
    const recordAt = (poolSize, slower) =>
      record(
        poolSize,
        [0, 1000, 2000, 3000, 4000].flatMap((atMs) => [
          { atMs, route: '/slow', totalMs: 5010 * slower, queries: [[5, 0, 5000 * slower]] },
          { atMs: atMs + 9000, route: '/fast', totalMs: 4, queries: [[1, 0, 2]] },
        ]),
      );
    const recordings = [recordAt(5, 1), recordAt(8, 1.01), recordAt(10, 1.5)];
    expect((await predictSize(1, recordings, article)).maxMs).toBeLessThan(21_500);
    expect(pickTypical(recordings)?.poolSize).toBe(8);
    expect(pickTypical([record(3, [])])).toBeUndefined();
  });
});

describe('the start of an app', () => {
  test('an app that reads PORT gets a free one where the lab has its own app', async () => {
    const other = http.createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = /** @type {import('node:net').AddressInfo} */ (other.address());
    const before = process.env.PORT;
    process.env.PORT = String(port);
    cleanUp(() => {
      other.close();
      if (before === undefined) delete process.env.PORT;
      else process.env.PORT = before;
    });

    const code = "require('http').createServer().listen(Number(process.env.PORT), '127.0.0.1')";
    const command = [process.execPath, '-e', code];
    const { signal } = new AbortController();
    const app = await startWatchedApp({ command, startTimeout: 60 }, { mongoUrl: '', signal });
    cleanUp(app.stop);
    expect(new URL(app.url).port).not.toBe(String(port));
  });
});
