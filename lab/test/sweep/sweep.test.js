import { describe, expect, test } from '@jest/globals';
import { parseSlo } from 'mongodb-pool-predictor';
import { showResult } from '../../cli/report-command.js';
import { toResult } from '../../cli/result-file.js';
import { createSampleResult } from '../report/sample-result.js';
import { requireGoalRoutes } from '../../predictions/route-patterns.js';
import { describeFailed, judgeGoal, judgeGoals, measureGoals, summariseSweep } from '../../sweep/sweep-figures.js';
import { seeRequests } from './recordings.js';
import { adviseFrom, predictSize, recordMeasurement } from '../../sweep/size-prediction.js';

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

  test('says why predicted figures are hidden, and why requests waited, at each size', () => {
    const words = ['Pool size 1: Requests wait 3.0 s on average, because /slow holds the only connection.'];
    const gaps = ['No figures for 5: nobody waited for a full pool.'];
    const { page } = showResult('x.json', read({ gaps: { words: gaps }, doctor: { words } }), 80);
    for (const text of [...gaps, ...words]) expect(page).toContain(`<li>${text}</li>`);
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
        `"${route} p95 < 1 s": the load has no route ` +
          `${route}, only /fast, /users/:userId, /orders/{{ id }}, POST /orders`,
      );
    },
  );
});

describe('the requests', () => {
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
  const { requests } = seen;

  test('the same id in another process is another request', () => {
    const other = seen.checkouts.map((checkout) => ({ ...checkout, source: 1 }));
    expect(summariseSweep({ requests, checkouts: other }).routes['/a']).toMatchObject({ queries: 0, useP50Ms: 0 });
  });

  test('the figures are those of good answers, by route', () => {
    const { routes, pool, ...totals } = summariseSweep(seen);
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

  test('failures have their status and their route, and what only the client saw', () => {
    const failing = [
      ...Array.from({ length: 3 }, () => ({ route: '/a', status: 429 })),
      { route: '/b', status: 429 },
      { route: '/b', status: 0 },
      { route: '/b', status: 200 },
    ];
    expect(describeFailed(failing)).toBe('3 x HTTP 429 of /a, 1 x HTTP 429 of /b, 1 x no answer of /b');
    const ofClient = { 'HTTP 429': 4, 'HTTP 502': 2, ETIMEDOUT: 6 };
    expect(describeFailed(failing, ofClient)).toBe(
      '5 x ETIMEDOUT, 3 x HTTP 429 of /a, 2 x HTTP 502, 1 x HTTP 429 of /b, 1 x ETIMEDOUT of /b',
    );
    // Which of them gave up on which route is not known.
    expect(describeFailed(failing, { ECONNRESET: 1, ETIMEDOUT: 1 })).toBe('1 x ECONNRESET, 1 x ETIMEDOUT');
    const many = Array.from({ length: 8 }, (_, index) => ({ route: `/${index}`, status: 500 }));
    expect(describeFailed(many)).toMatch(/^(?:1 x HTTP 500 of \/\d, ){6}2 other kinds$/);
    expect(describeFailed([{ route: '/a', status: 304 }])).toBe('');
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
    const measured = { ...summariseSweep({ requests: often, checkouts: [] }), ...figures };
    expect(slos.map((slo) => judgeGoal(slo, measured))).toEqual(['met', 'missed', 'missed', 'unknown']);
    expect(judgeGoals([slos[0], slos[3]], measured)).toBe('unknown');
    expect(judgeGoals(slos, measured)).toBe('missed');
    const few = { ...summariseSweep({ requests, checkouts: [] }), ...measureGoals(slos, requests) };
    // A maximum is of these requests, and no estimate.
    expect(slos.map((slo) => judgeGoal(slo, few))).toEqual(['unknown', 'unknown', 'missed', 'unknown']);
  });
});

describe('predictions', () => {
  /**
   * As the article's load test: one user a second requests `/slow`, which takes 5 s, and then `/fast`.
   *
   * @param {number} poolSize that was measured
   * @param {{ users?: number, slower?: number, everyMs?: number, socketOf?: (user: number) => number }} [load]
   */
  function measure(poolSize, { users = 20, slower = 1, everyMs = 1000, socketOf = (user) => user + 1 } = {}) {
    const freeAtMs = new Array(poolSize).fill(0);
    /** @type {{ at: number, user: number, route: string }[]} */
    const coming = Array.from({ length: users }, (_, user) => ({ at: user * everyMs, user, route: '/slow' }));
    /** @type {Parameters<typeof seeRequests>[0]} */
    const requests = [];
    for (let next = coming.shift(); next; next = coming.shift()) {
      const { at, user, route } = next;
      const useMs = route === '/slow' ? 5000 * slower : 2;
      const connection = freeAtMs.indexOf(Math.min(...freeAtMs));
      const waitMs = Math.max(0, freeAtMs[connection] - at);
      freeAtMs[connection] = at + waitMs + useMs;
      const behind = waitMs > 0 ? poolSize : 0;
      const totalMs = waitMs + useMs + 1;
      requests.push({ atMs: at, route, totalMs, socket: socketOf(user), behind, queries: [[0, waitMs, useMs]] });
      if (route === '/slow') {
        coming.push({ at: at + totalMs, user, route: '/fast' });
        coming.sort((one, other) => one.at - other.at);
      }
    }
    return requests;
  }

  const USERS = { isScenario: true };
  /** @param {number} poolSize @param {Parameters<typeof seeRequests>[0]} requests */
  const record = (poolSize, requests) =>
    recordMeasurement(poolSize, seeRequests(requests), {
      clients: [{ name: null, servers: ['db:1'], options: { maxPoolSize: { value: poolSize, from: 'lab' } } }],
      server: { cores: 2, busyCores: 0.1 },
    });

  /** @param {Parameters<typeof seeRequests>[0]} requests @param {string} route */
  const slowestOf = (requests, route) =>
    Math.max(...requests.filter((request) => request.route === route).map(({ totalMs }) => totalMs));

  test.each([1, 3])(
    'of the users that came at size %i, with the queries that other sizes had: the band holds what was measured',
    async (poolSize) => {
      const requests = measure(poolSize);
      const { routes, low, high, hidden } = await predictSize(
        poolSize,
        [await record(poolSize, requests), ...(await Promise.all([4, 10].map((size) => record(size, measure(size)))))],
        USERS,
      );
      expect(hidden).toEqual([]);
      for (const route of ['/slow', '/fast']) {
        const ms = slowestOf(requests, route);
        expect([route, routes[route].maxMs / ms]).toEqual([route, expect.closeTo(1, 1)]);
        expect([route, low.routes[route].maxMs <= ms && ms <= high.routes[route].maxMs]).toEqual([route, true]);
      }
    },
  );

  test('not of those that came at the sizes it is predicted from', async () => {
    const requests = measure(1, { users: 5 });
    const { routes } = await predictSize(1, [await record(1, requests), await record(10, measure(10))], USERS);
    expect(routes['/slow']).toMatchObject({ count: 5 });
  });

  test('a size is never predicted from itself', async () => {
    expect(await predictSize(10, [await record(10, measure(10))], USERS)).toEqual({});
  });

  test('a measurement that was disturbed does not count', async () => {
    const recordings = await Promise.all(
      [
        [1, 1],
        [5, 1],
        [8, 1.01],
        [10, 1.5],
      ].map(([size, slower]) => record(size, measure(size, { slower }))),
    );
    expect((await predictSize(1, recordings, USERS)).routes['/slow'].maxMs).toBeLessThan(1.05 * 100_000);
  });

  test('unless the users are known, bands also hold what fewer callers would have measured', async () => {
    const recordings = [await record(3, measure(3)), await record(10, measure(10))];
    const [known, open] = await Promise.all(
      [true, false].map((isScenario) => predictSize(3, recordings, { isScenario })),
    );
    const endsOf = (/** @type {Record<string, any>} */ { low, high }) =>
      [low, high].map(({ routes }) => routes['/slow'].meanMs);
    const [[knownLow, knownHigh], [low, high]] = [known, open].map(endsOf);
    expect([low <= knownLow, high >= knownHigh, high - low > knownHigh - knownLow]).toEqual([true, true, true]);
  });

  test.each([true, false])('the advice says whether it knows the users: %s', async (isScenario) => {
    const recordings = [await record(3, measure(3)), await record(10, measure(10))];
    const advice = await adviseFrom(recordings, [parseSlo('/slow p50 < 30 s')], { isScenario });
    expect(advice).toMatchObject({ recordedSize: 3, knowsUsers: isScenario });
    expect(new Set(advice.loads.map(({ reading }) => reading)).size).toBe(isScenario ? 1 : 2);
  });
});
