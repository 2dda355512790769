import { describe, expect, test } from '@jest/globals';
import { diagnose } from '../../src/doctor/diagnose.js';
import { LoopFacts } from '../../src/doctor/second-facts.js';
import { readLines } from './recordings.js';

/** @typedef {Record<string, unknown>} Line */

const OPERATIONS = 'find users,find orders,getMore users,runCommand'.split(',');
const ROUTES = ['/orders', '/one', 'the app itself'];

/**
 * Reads a trace of a pool of four.
 * @param {Line[]} lines
 * @param {Line} [options] of its client
 */
function read(lines, options = {}) {
  const definitions = [
    {
      define: 'pool',
      id: 0,
      name: 'app.js:4',
      address: 'localhost:1',
      options: { maxPoolSize: { value: 4 }, ...options },
    },
    ...ROUTES.map((name, id) => ({ define: 'route', id, name })),
    ...OPERATIONS.map((name, id) => ({ define: 'operation', id, name })),
  ];
  const inOrder = lines.toSorted((a, b) => Number(a.atMs ?? Infinity) - Number(b.atMs ?? Infinity));
  return readLines([...definitions, ...inOrder]);
}

/**
 * A request each 400 ms, with queries one after another.
 *
 * @param {number} count
 * @param {{ operation: number, useMs?: number, outcome?: string }[]} queries
 * @param {{ stepMs?: number, restMs?: number, route?: number }} [options] stepMs: from one start to the next
 */
function requestsOf(count, queries, { stepMs, restMs = 1, route = 0 } = {}) {
  return Array.from({ length: count }, (_, request) => {
    const startMs = request * 400;
    let atMs = startMs + 0.5;
    const lines = queries.map(({ useMs = 3, ...query }) => {
      const line = { atMs, waitMs: 0, useMs, pool: 0, connection: 1, route, request, ...query };
      atMs += stepMs ?? useMs + 0.01;
      return line;
    });
    return [...lines, { request, route, atMs: startMs, durationMs: atMs - startMs + restMs, status: 200 }];
  }).flat();
}

/** @param {number} count @param {number[]} operations in turn */
const inTurn = (count, operations) =>
  Array.from({ length: count }, (_, index) => ({ operation: operations[index % operations.length] }));

describe('queries of a request, one after another', () => {
  test('are counted, and what one query instead of them would save', async () => {
    const { verdict, findings } = diagnose(await read(requestsOf(20, inTurn(80, [0]))));
    expect(verdict).toMatchObject({
      ...{ cause: 'notThePool', isProblem: false },
      slow: { route: '/orders', repeated: { route: '/orders', operations: ['find users'], queries: 80 } },
    });
    const [ms, savedMs, durationMs] = [240, 237, 242.3].map((value) => expect.closeTo(value, 1));
    expect(verdict.slow?.repeated).toMatchObject({ ms, savedMs, durationMs });
    // The verdict says it.
    expect(findings).toEqual([]);
  });

  test('of two operations in turn are one loop, and one that is not slow is a finding', async () => {
    const { verdict, findings } = diagnose(await read(requestsOf(20, [{ operation: 0 }, ...inTurn(30, [0, 1])])));
    expect(verdict).toMatchObject({ cause: 'none', slow: null });
    expect(findings).toMatchObject([
      {
        kind: 'repeatedQueries',
        operations: ['find users', 'find orders'],
        queries: 31,
        savedMs: expect.closeTo(87, 1),
      },
    ]);
  });

  test('are a finding where nothing is known to replace them, and not the verdict', async () => {
    const { verdict, findings } = diagnose(await read(requestsOf(20, inTurn(12, [3]))));
    expect(verdict.cause).toBe('none');
    expect(findings).toEqual([
      {
        ...{ kind: 'repeatedQueries', route: '/orders', operations: ['runCommand'], queries: 12, savedMs: 0 },
        ...{ ms: expect.closeTo(36, 1), durationMs: expect.closeTo(37.6, 1) },
      },
    ]);
  });

  test.each([
    ['begin before the ones before have ended', requestsOf(20, inTurn(80, [0]), { stepMs: 1 })],
    ['fetch the rest of one answer', requestsOf(20, [{ operation: 0 }, ...inTurn(80, [2])])],
    ['are few', requestsOf(20, inTurn(4, [0]))],
    ['take a small part of the response', requestsOf(20, inTurn(20, [0]), { restMs: 100 })],
  ])('are no loop if they %s', async (_, lines) => {
    const { verdict, findings } = diagnose(await read(lines));
    expect([verdict.slow?.repeated, findings]).toEqual([undefined, []]);
  });

  test('are not taken for a full server that has cores to spare', async () => {
    // The more of them run at once, the longer each takes.
    const lines = [1, 2, 3, 1, 2, 3].flatMap((atOnce, group) =>
      Array.from({ length: atOnce }, (_, index) =>
        requestsOf(
          1,
          inTurn(60, [0]).map((query) => ({ ...query, useMs: 3 * atOnce })),
        ).map((line) => ({ ...line, request: 3 * group + index, atMs: Number(line.atMs) + group * 2000 })),
      ).flat(),
    );
    const seconds = (/** @type {number} */ busyCores) =>
      Array.from({ length: 10 }, (_, second) => ({ event: 'server', atMs: second * 2000, cores: 2, busyCores }));
    const judge = async (/** @type {number} */ busyCores) =>
      diagnose(await read([...lines, ...seconds(busyCores)])).verdict;
    expect((await judge(0.8)).cause).toBe('notThePool');
    expect(await judge(1.9)).toMatchObject({ cause: 'fullServer', slow: { repeated: { queries: 60 } } });
  });
});

test('waits of one request at the same time are counted once', async () => {
  // 40 queries at once in a pool of four: the last one gets a connection after 90 ms.
  const lines = Array.from({ length: 10 }, (_, request) => [
    ...Array.from({ length: 40 }, (__, query) => ({
      ...{
        atMs: request * 400 + 1,
        waitMs: Math.floor(query / 4) * 10,
        useMs: 10,
        pool: 0,
        connection: (query % 4) + 1,
      },
      ...{ route: 0, operation: 0, request },
      ...(query >= 4 && { behind: [[0, 0, request, request, request, request]] }),
    })),
    { request, route: 0, atMs: request * 400, durationMs: 102, status: 200 },
  ]).flat();
  const { verdict, totals, causes } = diagnose(await read(lines));
  expect(verdict).toMatchObject({ cause: 'severalAtOnce', meanWaitMs: 90, facts: { atOnce: 40 } });
  expect([totals.waitedMs, totals.poolWaitedMs, causes[0].waitedMs]).toEqual([900, 900, 900]);
});

describe('work outside of requests', () => {
  const job = (/** @type {number} */ count, /** @type {number} */ everyMs) =>
    Array.from({ length: count }, (_, index) => {
      const turn = Math.floor(index / 4);
      const at = everyMs === 0 ? { atMs: 1000, waitMs: turn * 10 } : { atMs: 1000 + turn * everyMs, waitMs: 0 };
      return { ...at, useMs: 10, pool: 0, connection: (index % 4) + 1, route: 2, operation: 1 };
    });
  const waiting = Array.from({ length: 40 }, (_, request) => {
    const line = {
      atMs: 1001 + request,
      waitMs: 50,
      useMs: 1,
      pool: 0,
      connection: 1,
      route: 1,
      operation: 0,
      request,
    };
    return [
      { ...line, behind: [[2, 1, -1, -1, -1, -1]] },
      { request, route: 1, atMs: 1000 + request, durationMs: 53, status: 200 },
    ];
  }).flat();

  test('that asks for more connections than there are is named, and its waits are not those of requests', async () => {
    const { verdict, totals } = diagnose(await read([...job(400, 0), ...waiting]));
    expect(verdict).toMatchObject({
      ...{ cause: 'severalAtOnce', meanWaitMs: 50, waitingShare: 1 },
      facts: { atOnce: 400, maxPoolSize: 4, holders: [{ route: 'the app itself', operation: 'find orders' }] },
    });
    expect(totals).toMatchObject({ requests: 40, checkouts: 440 });
  });

  test('that asks for as many as there are just has the pool', async () => {
    expect(diagnose(await read([...job(400, 10), ...waiting])).verdict.cause).toBe('fullPool');
  });

  test('that has names is counted by name: jobs that ask for little each just have the pool', async () => {
    const names = Array.from({ length: 100 }, (_, id) => ({
      define: 'route',
      id: 10 + id,
      name: `job ${id}`,
      atMs: 0,
    }));
    const jobs = job(400, 0).map((line, index) => ({ ...line, route: 10 + Math.floor(index / 4) }));
    const one = jobs.map((line) => ({ ...line, route: 10 }));
    const behindJobs = waiting.map((line) => ({
      ...line,
      ...('behind' in line && { behind: [[10, 1, -1, -1, -1, -1]] }),
    }));
    expect(diagnose(await read([...names, ...one, ...behindJobs])).verdict.cause).toBe('severalAtOnce');
    expect(diagnose(await read([...names, ...jobs, ...behindJobs])).verdict.cause).toBe('fullPool');
  });
});

describe('operations that fail while they have a connection', () => {
  const failing = (/** @type {number} */ useMs) =>
    requestsOf(20, [{ operation: 1, useMs, outcome: 'operationFailed' }]).concat(
      requestsOf(20, [{ operation: 0 }], { route: 1 }).map((line) => ({ ...line, request: Number(line.request) + 20 })),
    );
  const limit = { socketTimeoutMS: { value: 300, from: 'uri' } };

  test('are named with their route and what ended them', async () => {
    const { verdict, findings } = diagnose(await read(failing(301), limit));
    expect(verdict).toMatchObject({
      ...{ cause: 'failedOperations', isProblem: true },
      facts: {
        failed: { route: '/orders', operation: 'find orders', count: 20, of: 20, ms: 301, option: 'socketTimeoutMS' },
      },
    });
    expect(verdict.facts?.failed?.share).toBeCloseTo(301 / 304, 6);
    expect(findings).toEqual([]);
    // Later, or much later: something else ended them.
    const other = [await read(failing(299 - 1), limit), await read(failing(390), limit), await read(failing(301))];
    expect(other.map((trace) => diagnose(trace).verdict.facts?.failed?.option)).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });

  test('beside waits are a finding', async () => {
    const waits = failing(301).map((line) =>
      line.route === 1 && 'waitMs' in line ? { ...line, waitMs: 100, behind: [[0, 1, 1, 2, 3, 4]] } : line,
    );
    const { verdict, findings } = diagnose(await read(waits, limit));
    expect([verdict.cause, findings[0]]).toMatchObject(['fullPool', { kind: 'failedOperations', count: 20 }]);
  });

  test.each([
    ['at once, as a duplicate key', failing(2)],
    [
      'with their connections',
      [
        ...failing(301),
        ...[...Array(20).keys()].map((index) => ({
          event: 'poolCleared',
          atMs: index * 400 + 302,
          pool: 0,
          reason: 'closed',
        })),
      ],
    ],
  ])('%s, are not named', async (_, lines) => {
    const { verdict, findings } = diagnose(await read(lines, limit));
    expect([verdict.facts?.failed, findings]).toEqual([undefined, []]);
  });
});

test('requests that end when mongoose gives up, without asking for a connection, are named', async () => {
  const silent = (/** @type {number} */ durationMs) =>
    [0, 1, 2].map((request) => ({ request: 90 + request, route: 1, atMs: request * 100, durationMs, status: 500 }));
  const find = async (/** @type {number} */ ms) =>
    diagnose(await read([...requestsOf(20, [{ operation: 0 }]), ...silent(ms)]));
  expect((await find(10_012)).findings).toEqual([{ kind: 'bufferedQueries', route: '/one', count: 3, ms: 10_012 }]);
  expect((await find(9_990)).findings).toEqual([]);
});

describe('a machine that is busy with something else', () => {
  test('is named, unless it is the server that keeps it busy', async () => {
    const find = async (/** @type {Line} */ server) =>
      diagnose(await read([...requestsOf(20, [{ operation: 0 }]), { end: 'closed', server: { cores: 2, ...server } }]))
        .findings;
    expect(await find({ busyCores: 0.5, otherBusyCores: 1.4 })).toEqual([
      { kind: 'busyMachine', cores: 2, serverCores: 0.5, otherCores: 1.4 },
    ]);
    expect(await find({ busyCores: 1.2, otherBusyCores: 0.7 })).toEqual([]);
    expect(await find({ busyCores: 0.5, otherBusyCores: 1.2 })).toEqual([]);
  });

  test('slows down the queries of a server that has some work, and is not taken for a full pool', async () => {
    const waits = requestsOf(20, [{ operation: 0 }]).map((line) =>
      'waitMs' in line ? { ...line, waitMs: 100, behind: [[0, 1, 1, 2, 3, 4]] } : line,
    );
    const judge = async (/** @type {number} */ busyCores, /** @type {number} */ otherBusyCores) => {
      const server = { cores: 2, busyCores };
      const second = { event: 'server', atMs: 1000, ...server };
      return diagnose(await read([...waits, second, { end: 'closed', server: { ...server, otherBusyCores } }])).verdict;
    };
    expect(await judge(0.6, 1.3)).toMatchObject({
      cause: 'fullServer',
      facts: { server: { isFull: false, otherCores: 1.3 } },
    });
    const others = [await judge(0.4, 1.5), await judge(0.6, 1)];
    expect(others.map(({ cause }) => cause)).toEqual(['fullPool', 'fullPool']);
  });

  test('makes an event loop late that does little work', () => {
    const isBlocked = (/** @type {object} */ second, isMachineFull = true) =>
      new LoopFacts([{ atMs: 1000, process: 0, meanMs: 20, maxMs: 200, busy: 0.8, ...second }], [], isMachineFull)
        .isBlocked;
    // It had little to do, or got no core to do it.
    expect([isBlocked({ busy: 0.05 }), isBlocked({ cpu: 0.3 }), isBlocked({})]).toEqual([false, false, false]);
    // It worked all that time, or had the machine for itself.
    expect([isBlocked({ cpu: 0.75 }), isBlocked({ cpu: 0.3 }, false), isBlocked({}, false)]).toEqual([
      true,
      true,
      true,
    ]);
  });
});

test('a server is far away if no operation is shorter than the way there, and no opening', async () => {
  const find = async (/** @type {number} */ useMs, /** @type {number} */ openingMs, operation = 0) =>
    diagnose(
      await read([
        ...requestsOf(20, [{ operation, useMs }, ...(operation === 0 ? [] : [{ operation: 0, useMs: 0.5 }])]),
        { event: 'connectionReady', atMs: 400, pool: 0, connection: 1, durationMs: openingMs },
      ]),
    ).findings;
  expect(await find(80, 85)).toEqual([
    { kind: 'farServer', client: 'app.js:4', operation: 'find users', rttMs: 80, openingMs: 85, share: 1 },
  ]);
  // A slow query, a busy process, and a command beside a find that shows that the server is near.
  expect([await find(80, 75), await find(4, 85), await find(80, 85, 3)]).toEqual([[], [], []]);
});

test('an event loop that is blocked for a small part of what requests take is a finding', async () => {
  const lines = requestsOf(20, [{ operation: 0 }], { restMs: 660 });
  const { verdict, findings } = diagnose(
    await read([...lines, { event: 'loop', atMs: 900, meanMs: 20, maxMs: 129, busy: 0.4 }]),
  );
  expect(verdict).toMatchObject({ cause: 'notThePool', slow: { route: '/orders' } });
  expect(findings).toEqual([{ kind: 'blockedLoop', maxMs: 129 }]);
});
