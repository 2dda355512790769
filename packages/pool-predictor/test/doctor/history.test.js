import { describe, expect, test } from '@jest/globals';
import { listLongestWaits } from '../../src/doctor/diagnose.js';
import { PoolHistory } from '../../src/doctor/pool-history.js';
import { LoopFacts, ServerFacts } from '../../src/doctor/second-facts.js';
import { record } from './recordings.js';

/** @import { Line } from './recordings.js' */

/** @param {Line[]} lines @param {Record<string, unknown>} [options] */
async function historyOf(lines, options) {
  const trace = await record(
    lines.map((line) => ({ pool: 0, ...line })),
    options,
  );
  return { trace, history: new PoolHistory(trace, 0, new LoopFacts([], [])) };
}

const use = (/** @type {number} */ atMs, /** @type {number} */ useMs, more = {}) => ({
  ...{ atMs, waitMs: 0, useMs, route: 0, operation: 0, request: atMs, ...more },
});
const ready = (/** @type {number} */ connection, /** @type {number} */ atMs, durationMs = 10) => ({
  ...{ event: 'connectionReady', connection, durationMs, atMs },
});
const closed = (/** @type {number} */ connection, /** @type {number} */ atMs, /** @type {string} */ reason) => ({
  ...{ event: 'connectionClosed', connection, reason, durationMs: 1, atMs },
});

describe('the openings of a pool', () => {
  const lines = [
    use(0, 1),
    ready(1, 100),
    ready(2, 200),
    closed(1, 1000, 'idle'),
    ready(3, 1100),
    closed(2, 2000, 'error'),
    ready(4, 2100, 30),
    { event: 'poolCleared', reason: 'down', atMs: 5000 },
    closed(3, 5000, 'stale'),
    closed(4, 5000, 'stale'),
    ready(5, 5100),
    ready(6, 5200),
    ready(7, 9000),
  ];

  test('are counted by why each was needed', async () => {
    const { history } = await historyOf(lines);
    expect(['growth', 'idle', 'lost', 'cleared'].map((why) => history.count(/** @type {'idle'} */ (why)))).toEqual([
      3, 1, 1, 2,
    ]);
    expect([1, 3, 4, 5, 6, 7].map((connection) => history.whyOpened(connection))).toEqual(
      ['growth', 'idle', 'lost', 'cleared', 'cleared', 'growth'], // the last one long after the clear
    );
    expect(history.clears).toEqual([{ atMs: 5000, reason: 'down' }]);
    expect([history.medianOpeningMs, history.handshakeMs, history.isLosing]).toEqual([10, 10, false]);
  });

  test('of a time have the reason that most of them had, with the one that ended after it', async () => {
    const { history } = await historyOf(lines);
    const spans = /** @type {[number, number][]} */ ([
      [0, 300],
      [1000, 1100],
      [2000, 2100],
      [5000, 5150],
    ]);
    expect(spans.map(([fromMs, toMs]) => history.whyMostOpened(fromMs, toMs))).toEqual([
      'growth',
      'idle',
      'lost',
      'cleared',
    ]);
  });

  test('an outage lasts from a clear until the next connection is used', async () => {
    const { history } = await historyOf([...lines, use(5105, 5), use(6000, 5)]);
    expect(history.outages.coveredMs(0, 10_000)).toBe(105);
  });
});

describe('who had the connections', () => {
  const inUse = [use(0, 200, { route: 1 }), use(10, 300), use(20, 25)];
  const [fast, slow] = ['/fast', '/report'];

  /** @param {Line} wait @param {number} [maxPoolSize] @returns {Promise<(string | null)[]>} their routes */
  async function holdersOf(wait, maxPoolSize = 2) {
    const { trace } = await historyOf([...inUse, use(100, 1, { waitMs: 100, ...wait })], {
      maxPoolSize: { value: maxPoolSize, from: 'code' },
    });
    return listLongestWaits(trace, 1)[0].behind.map(({ route }) => route);
  }

  test('is found from their times if the trace does not say it: in mid-wait, the last first', async () => {
    expect(await holdersOf({})).toEqual([fast, slow]);
  });

  test('is nobody where one was free, or the pool has no limit', async () => {
    expect(await holdersOf({}, 3)).toEqual([]);
    expect(await holdersOf({}, 0)).toEqual([]);
    // By then, the first one is checked in.
    expect(await holdersOf({ waitMs: 220 })).toEqual([]);
  });

  test('is what the trace says, where it does', async () => {
    expect(await holdersOf({ behind: [[1, 0, 10]] })).toEqual([slow]);
  });
});

describe('a late event loop', () => {
  /** @param {{ maxMs: number, busy: number }[]} seconds */
  const loopOf = (seconds, /** @type {{ atMs: number, cores: number, busyCores: number }[]} */ neighbours = []) =>
    new LoopFacts(
      seconds.map((second, index) => ({ atMs: 1000 * (index + 1), process: 0, meanMs: 5, ...second })),
      neighbours.map((second) => ({ process: 0, ...second })),
    );
  const late = { maxMs: 200, busy: 0.7 };

  test('explains a wait of which its delays are at least half', () => {
    const loop = loopOf([{ maxMs: 10, busy: 0.1 }, late, { maxMs: 200, busy: 0.05 }]);
    expect(
      [
        [1100, 1490],
        [1100, 1510],
        [2100, 2400],
      ].map(([fromMs, toMs]) => loop.wasLate(fromMs, toMs)),
    ).toEqual([true, false, false]);
    // In the last second it was late, although it had little to do: others kept it from a core.
    expect([loop.maxMs, loop.isBlocked, loop.isFull]).toEqual([210 / 3, true, false]);
    // Openings of connections took longer meanwhile, whoever it was.
    expect([500, 2100].map((fromMs) => loop.longestMs(fromMs, fromMs + 300))).toEqual([10, 200]);
  });

  test('is the fault of the server where that left it no core', () => {
    const server = { atMs: 1100, cores: 2, busyCores: 1.5 };
    const maxOf = (/** @type {object} */ change) => loopOf([late], [{ ...server, ...change }]).maxMs;
    expect(maxOf({})).toBe(0);
    expect([maxOf({ busyCores: 1.2 }), maxOf({ cores: 4 }), maxOf({ atMs: 1600 }), maxOf({ cores: 0 })]).toEqual([
      200, 200, 200, 200,
    ]);
  });

  test('is not known without seconds', () => {
    expect(loopOf([])).toMatchObject({ maxMs: 0, busy: 0, isFull: false, isBlocked: false });
  });
});

test('a server queues if its storage engine lets nobody more in, in most seconds', () => {
  const second = { atMs: 0, process: 0, cores: 4, busyCores: 1 };
  const facts = new ServerFacts(
    [
      { ...second, ticketsOut: 10, ticketsTotal: 10 },
      { ...second, ticketsOut: 1, ticketsTotal: 10, queued: 3 },
      { ...second, ticketsOut: 9, ticketsTotal: 10 },
      second,
    ],
    { growth: 0.1, isLocal: false },
  );
  expect(facts).toMatchObject({ cores: 4, busyShare: 0.25, queueShare: 2 / 3, isQueueing: true, isFull: false });
});
