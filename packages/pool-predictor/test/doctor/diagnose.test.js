import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { diagnose } from '../../src/doctor/diagnose.js';
import { events, record, requests } from './recordings.js';

/** @import { Line } from './recordings.js' */

/**
 * A connection is opened for each request that starts every 100 ms, in 60 ms.
 * @param {string} [reason] why the one before was closed
 */
const reopen = (reason) => [
  ...(reason
    ? events(40, (index) => ({ event: 'connectionClosed', connection: index + 1, reason, atMs: index * 100 + 98 }))
    : []),
  ...events(40, (index) => ({
    event: 'connectionReady',
    connection: index + (reason ? 2 : 1),
    durationMs: 60,
    atMs: index * 100 + 160,
  })),
];
const opened = (/** @type {number} */ index) => ({
  waitMs: 60,
  openingMs: 60,
  connection: index + 2,
  fresh: true,
  atMs: index * 100 + 100,
});
/** A pool that grows with each request. @param {(index: number) => number} msOf how long an opening takes */
function growing(msOf) {
  return [
    ...requests(40, (index) => ({ waitMs: msOf(index), openingMs: msOf(index), connection: index + 1 })),
    ...events(40, (index) => ({
      event: 'connectionReady',
      connection: index + 1,
      durationMs: msOf(index),
      atMs: index * 100 + msOf(index),
    })),
  ];
}
const seconds = (/** @type {'loop' | 'server'} */ event, /** @type {Line} */ facts) =>
  Array.from({ length: 5 }, (_, index) => ({ event, process: 0, atMs: (index + 1) * 1000, ...facts }));
/** Both connections are held by /report. */
const behindReports = { waitMs: 50, behind: [[1, 0, 900, 901]] };

/** @type {[string, Line[], string][]} */
const CASES = [
  ['behind other requests', requests(40, () => behindReports), 'fullPool'],
  ['for a slow opening', [...requests(40, opened), ...reopen()], 'slowHandshake'],
  ['for a fast opening', growing(() => 5), 'coldStart'],
  ['for openings that delay each other', growing((index) => 30 + 2 * index), 'coldStart'],
  [
    'for the openings of others',
    [
      ...requests(40, () => ({ waitMs: 50, behind: [[0, 0, 900]] })),
      ...events(200, (index) => ({
        event: 'connectionReady',
        connection: index + 1,
        durationMs: 20,
        atMs: index * 20 + 20,
      })),
    ],
    'maxConnecting',
  ],
  ['for connections that were idle for too long', [...requests(40, opened), ...reopen('idle')], 'idleConnections'],
  ['for connections that the other side ended', [...requests(40, opened), ...reopen('error')], 'lostConnections'],
  [
    'after the pool was cleared',
    [
      ...requests(40, opened),
      ...reopen('stale'),
      ...events(3, (index) => ({ event: 'poolCleared', reason: 'MongoNetworkError: closed', atMs: index * 1000 + 99 })),
    ],
    'poolCleared',
  ],
  [
    'for change streams',
    requests(40, () => ({
      waitMs: 50,
      behind: [
        [-1, 1, -1],
        [0, 0, 900],
      ],
    })),
    'parkedConnections',
  ],
  [
    'for connections of requests that use two at once',
    requests(60, (index) => ({
      atMs: Math.floor(index / 3) * 100,
      request: Math.floor(index / 3),
      route: 1,
      waitMs: index % 3 === 2 ? 20 : 0,
      useMs: 20,
      connection: (index % 3) + 1,
      ...(index % 3 === 2 && { holds: 2, behind: [[1, 0, Math.floor(index / 3), Math.floor(index / 3)]] }),
    })).filter((line, index) => !('status' in line) || index % 6 === 5),
    'severalAtOnce',
  ],
  [
    'in front of a full server',
    [...requests(40, () => behindReports), ...seconds('server', { cores: 2, busyCores: 1.9 })],
    'fullServer',
  ],
  [
    'for the event loop',
    [...requests(40, () => behindReports), ...seconds('loop', { meanMs: 20, maxMs: 300, busy: 0.6 })],
    'lateEventLoop',
  ],
];

/** @param {Line[]} lines */
const inOrder = (lines) => lines.toSorted((a, b) => Number(a.atMs) - Number(b.atMs));

describe('requests wait', () => {
  test.each(CASES)('%s', async (_, lines, cause) => {
    const { verdict, causes, totals } = diagnose(await record(inOrder(lines)));
    expect(verdict).toMatchObject({ cause, isProblem: true });
    expect(causes[0].cause).toBe(cause);
    expect(causes[0].proofs).toHaveLength(3);
    const isOpening = /^(coldStart|slowHandshake|maxConnecting|idleConnections|lostConnections)$/.test(cause);
    expect(causes[0].facts.opening !== undefined).toBe(isOpening);
    expect(causes.reduce((sum, { waitedMs }) => sum + waitedMs, 0)).toBeCloseTo(totals.poolWaitedMs, 6);
  });

  describe('for a place', () => {
    /** Each of two callers waits 40 ms until one of the two others has its answer. @param {Line} times of a checkout */
    const limited = (times) =>
      Array.from({ length: 100 }, (_, index) => [
        { atMs: index * 20 + 40, pool: 0, connection: 1, route: 1, operation: 0, request: index, ...times },
        { request: index, route: 1, atMs: index * 20, durationMs: 80, status: 200 },
      ]).flat();
    const sized = (/** @type {number} */ value) => ({ maxPoolSize: { value, from: 'code' } });

    test('because of a concurrency limit: always as many have a checkout open', async () => {
      const lines = inOrder(limited({ waitMs: 0, useMs: 39.9 }));
      const { verdict, settings } = diagnose(await record(lines, sized(20)));
      expect(verdict).toMatchObject({ cause: 'concurrencyLimit', facts: { limit: 2 } });
      expect(settings).toMatchObject([{ kind: 'neverFull', value: 20, used: 2, by: 'limit' }]);
    });

    test('because those who have one wait for the pool, with fewer connections than places', async () => {
      const lines = inOrder(limited({ waitMs: 20, useMs: 19.9, behind: [[1, 0, 900]] }));
      const { verdict, causes, totals } = diagnose(await record(lines, sized(1)));
      expect(verdict).toMatchObject({ cause: 'fullPool', meanWaitMs: expect.closeTo(60, 0) });
      expect(causes[0]).toMatchObject({ cause: 'fullPool', requests: 100 });
      expect(totals.poolWaitedMs).toBeCloseTo(100 * 20);
      // With as many connections, the limit would keep them out.
      expect(diagnose(await record(lines, sized(2))).verdict.cause).toBe('concurrencyLimit');
    });
  });
});

test('an event loop that a server on the same machine leaves no core is late because of the server', async () => {
  const judge = async (/** @type {number} */ busyCores) => {
    const late = { meanMs: 60, maxMs: 100, busy: 0.9 };
    const lines = [...requests(40, () => behindReports), ...seconds('loop', late)];
    return diagnose(await record([...lines, ...seconds('server', { cores: 2, busyCores })], undefined, 'localhost:1'))
      .verdict.cause;
  };
  expect([await judge(1.7), await judge(0.2)]).toEqual(['fullServer', 'lateEventLoop']);
});

test('a refused checkout has waited, and its route is named', async () => {
  const lines = requests(40, (index) =>
    index % 4 === 0
      ? { ...behindReports, useMs: undefined, connection: undefined, outcome: 'checkOutFailed', reason: 'timeout' }
      : { waitMs: 0 },
  );
  const { verdict, totals } = diagnose(await record(lines));
  expect(verdict).toMatchObject({
    cause: 'fullPool',
    facts: { holders: [{ route: '/report', operation: 'find articles' }] },
  });
  expect(totals.refused).toBe(10);
});

describe('no problem', () => {
  test('where a connection is free', async () => {
    /** @type {Line[]} */
    const lines = requests(40, (index) => ({ waitMs: index === 7 ? 0.2 : 0.1 }));
    // The last request waits twice.
    lines.splice(-1, 0, { ...lines[78], atMs: 3902.3, waitMs: 0.2 });
    const { verdict, busiest } = diagnose(await record(lines));
    expect(verdict).toMatchObject({ cause: 'none', isProblem: false, facts: null, slow: null });
    expect(busiest).toMatchObject({
      pool: { maxPoolSize: 2, inUse: 1 },
      longestWaitMs: expect.closeTo(0.3, 6),
      route: { route: '/fast', count: 40, share: 1, useMs: expect.closeTo(2, 0) },
    });
  });

  test('although the fullest of several pools is full at times', async () => {
    const small = { define: 'pool', id: 1, name: 'small', options: { maxPoolSize: { value: 3, from: 'code' } } };
    // Where times are rounded, a connection that is handed over counts twice.
    const together = requests(12, (index) => ({
      ...{
        atMs: 1000 * Math.floor(index / 4),
        waitMs: 0,
        useMs: 50,
        connection: (index % 4) + 1,
        request: 100 + index,
      },
      ...{ pool: 1, route: 1 },
    }));
    const trace = await record([small, ...requests(40, () => ({ waitMs: 0.1 })), ...together]);
    const { busiest } = diagnose(trace);
    expect(busiest?.pool).toEqual({ client: 'small', maxPoolSize: 3, inUse: 3 });
    expect(busiest?.route).toMatchObject({ route: '/report', count: 12 });
    // A history does not have all checkouts.
    expect(diagnose({ ...trace, header: { ...trace.header, history: true } }).busiest?.pool).toBeNull();
  });

  test('in the pool, if the time lies elsewhere', async () => {
    const lines = requests(40, () => ({ waitMs: 0 })).map((line) =>
      'status' in line ? { ...line, durationMs: 400 } : line,
    );
    expect(diagnose(await record(lines)).verdict).toMatchObject({
      cause: 'notThePool',
      isProblem: false,
      slow: { route: '/fast', durationMs: 400, useMs: 2 },
    });
  });
});

test('few checkouts are too little data, unless several of them wait', async () => {
  const judge = async (/** @type {number} */ count) =>
    diagnose(await record(requests(count, () => behindReports))).verdict;
  expect(await judge(4)).toMatchObject({ cause: 'tooLittleData', isProblem: false });
  expect(await judge(5)).toMatchObject({ cause: 'fullPool', isProblem: true });
});

test('checkouts that had not ended with the recording have a cause like all others', async () => {
  const open = Array.from({ length: 6 }, (_, index) => ({
    ...{ ...behindReports, atMs: 5000 + index, waitMs: 900 - index, pool: 0, route: 0, outcome: 'waiting' },
    request: 100 + index,
  }));
  const calm = requests(40, () => ({ waitMs: 0.1 }));
  const { verdict, totals } = diagnose(await record([...calm, ...open]));
  expect(verdict).toMatchObject({ cause: 'fullPool', isProblem: true, waitingShare: 6 / 46 });
  expect(totals).toMatchObject({ checkouts: 46, waiting: 6, refused: 0, stillWaiting: 6, stillWaitedMs: 5385 });
});

test('waits that an older recorder did not list, if long, are too little data, and not called no wait', async () => {
  const judge = async (/** @type {object} */ waiting) =>
    diagnose(await record([...requests(40, () => ({ waitMs: 0.1 })), { end: 'closed', waiting }]));
  const { verdict, totals } = await judge({ count: 8, waitedMs: 31_000 });
  expect(verdict).toMatchObject({ cause: 'tooLittleData', isProblem: false });
  expect(totals).toMatchObject({ stillWaiting: 8, stillWaitedMs: 31_000, checkouts: 40, waiting: 0 });
  expect((await judge({ count: 3, waitedMs: 2 })).verdict.cause).toBe('none');
});

test('long waits of few requests are a problem if several routes have some, and never called no wait', async () => {
  const judge = async (/** @type {number} */ count, /** @type {number[]} */ waiting) =>
    diagnose(
      await record(
        requests(count, (index) => ({
          ...(waiting.includes(index) ? { ...behindReports, waitMs: 5000 } : { waitMs: 0 }),
          route: index % 2,
        })),
      ),
    ).verdict;
  expect(await judge(10, [2, 3, 4, 5, 6, 7, 8, 9])).toMatchObject({ cause: 'fullPool', isProblem: true });
  expect(await judge(40, [2, 3, 4, 5])).toMatchObject({ cause: 'tooLittleData', isProblem: false });
});

test('settings that do nothing are named', async () => {
  const options = {
    maxPoolSize: { value: 2, from: 'code', uri: 50 },
    minPoolSize: { value: 2, from: 'code' },
    waitQueueTimeoutMS: { value: 0, from: 'default' },
  };
  const trace = await record(
    requests(40, () => ({ waitMs: 0 })),
    options,
  );
  const client = 'client 1';
  expect(diagnose(trace, { instances: 30, serverLimit: 100 }).settings).toEqual([
    { kind: 'overridden', client, option: 'maxPoolSize', value: 2, other: 50 },
    { kind: 'unusedMinimum', client, option: 'minPoolSize', value: 2, used: 1 },
    { kind: 'tooManyConnections', client, option: 'maxPoolSize', value: 120, other: 100 },
  ]);
});

test('waits that timed out, though no option lets them, are named', async () => {
  const find = async (/** @type {Record<string, unknown>} */ options) => {
    const timedOut = { atMs: 9000, waitMs: 50, pool: 0, route: 0, outcome: 'checkOutFailed', reason: 'timeout' };
    return diagnose(await record([...requests(40, () => ({ waitMs: 0 })), timedOut, timedOut], options)).settings;
  };
  const none = { value: 0, from: 'default' };
  expect(await find({ maxPoolSize: { value: 2 }, waitQueueTimeoutMS: none })).toEqual([
    { kind: 'strayTimeout', client: 'client 1', option: 'waitQueueTimeoutMS', value: 2 },
  ]);
  expect(await find({ maxPoolSize: { value: 2 }, waitQueueTimeoutMS: { value: 50 } })).toEqual([]);
  expect(await find({ maxPoolSize: { value: 2 }, waitQueueTimeoutMS: none, timeoutMS: { value: 50 } })).toEqual([]);
  // An older recorder did not say.
  expect(await find({ maxPoolSize: { value: 2 } })).toEqual([]);
});

test('every wait has exactly one cause, and no request waits longer than it lasts, whatever the trace', async () => {
  const checkout = fc.record({
    atMs: fc.integer({ min: 0, max: 5000 }),
    waitMs: fc.integer({ min: 0, max: 400 }),
    useMs: fc.option(fc.integer({ min: 0, max: 300 }), { nil: undefined }),
    openingShare: fc.constantFrom(0, 0.3, 1),
    route: fc.constantFrom(0, 1),
    request: fc.integer({ min: 0, max: 30 }),
    behind: fc.option(fc.constantFrom([[1, 0, 1, 2]], [[-1, 1, -1, -1]], [[0, 0, 3]]), { nil: undefined }),
  });
  const event = fc.record({
    event: fc.constantFrom('connectionReady', 'connectionClosed', 'poolCleared'),
    atMs: fc.integer({ min: 0, max: 5000 }),
    connection: fc.integer({ min: 1, max: 5 }),
    durationMs: fc.integer({ min: 0, max: 200 }),
    reason: fc.constantFrom('idle', 'error', 'stale', 'poolClosed'),
  });
  await fc.assert(
    fc.asyncProperty(
      fc.array(checkout, { minLength: 1, maxLength: 60 }),
      fc.array(event, { maxLength: 20 }),
      async (checkouts, happened) => {
        const lines = [
          ...checkouts.map(({ openingShare, useMs, ...line }) => ({
            ...line,
            pool: 0,
            ...(openingShare > 0 && { openingMs: openingShare * line.waitMs }),
            ...(useMs === undefined ? { outcome: 'checkOutFailed', reason: 'timeout' } : { useMs, connection: 1 }),
          })),
          ...happened.map((each) => ({ ...each, pool: 0 })),
          // The response of each request, which some of its checkouts begin before, or end after.
          ...[...new Set(checkouts.map(({ request }) => request))].map((request) => ({
            ...{ request, route: 0, status: 200, atMs: request * 100, durationMs: 50 + 20 * request },
          })),
        ];
        const { causes, totals, verdict } = diagnose(await record(inOrder(lines)));
        const attributed = causes.reduce((sum, { waitedMs }) => sum + waitedMs, 0);
        expect(attributed).toBeCloseTo(totals.poolWaitedMs, 3);
        expect(causes.every(({ share, requestsShare }) => share <= 1.000001 && requestsShare <= 1)).toBe(true);
        const longestMs = Math.max(...checkouts.map(({ request }) => 50 + 20 * request));
        expect(verdict.meanWaitMs).toBeLessThanOrEqual(longestMs + 1e-6);
        expect(totals.waitedMs / totals.requests).toBeLessThanOrEqual(longestMs + 1e-6);
      },
    ),
    { numRuns: 100 },
  );
});
