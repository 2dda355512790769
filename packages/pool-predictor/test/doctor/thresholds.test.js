import { describe, expect, test } from '@jest/globals';
import { diagnose } from '../../src/doctor/diagnose.js';
import { findLimits } from '../../src/trace/find-limits.js';
import { PoolHistory } from '../../src/doctor/pool-history.js';
import { LoopFacts, measureGrowth, ServerFacts } from '../../src/doctor/second-facts.js';
import { events, record, requests } from './recordings.js';

/** @import { RecordedTrace } from '../../src/reading/recorded-trace.js' */
/** @import { Line } from './recordings.js' */

// What is a little below a threshold, and a little above it: a threshold that moves fails here.

const BEHIND = { behind: [[1, 0, 900, 901]] };

/** @param {Line[]} lines @param {number} [maxPoolSize] */
async function diagnoseLines(lines, maxPoolSize = 2) {
  const inOrder = lines.toSorted((a, b) => Number(a.atMs) - Number(b.atMs));
  return diagnose(await record(inOrder, { maxPoolSize: { value: maxPoolSize, from: 'code' } }));
}

/** @param {number} count @param {number} waiting of them @param {Line} how they do @param {Line} [rest] */
const some = (count, waiting, how, rest) =>
  requests(count, (index) => ({ waitMs: 0, ...rest, ...(index < waiting && how) }));
/** @param {'loop' | 'server'} event @param {Line} facts */
const seconds = (event, facts) =>
  Array.from({ length: 5 }, (_, index) => ({ event, process: 0, atMs: (index + 1) * 1000, ...facts }));
/** @param {number} durationMs of requests */
const lasting = (durationMs) => (/** @type {Line} */ line) => ('status' in line ? { ...line, durationMs } : line);
const long = { ...BEHIND, waitMs: 5000 };
const refused = { useMs: undefined, outcome: 'checkOutFailed', reason: 'timeout' };

describe('the verdict', () => {
  test.each(
    /** @type {[string, (value: number) => Line[], [number, string], [number, string]][]} */ ([
      ['checkouts, of which few wait', (count) => some(count, 0, {}), [19, 'tooLittleData'], [20, 'none']],
      // The response of each takes 1 ms more.
      [
        'ms of a wait, in 100 ms',
        (waitMs) => some(40, 40, { ...BEHIND, waitMs, useMs: 99 - waitMs }),
        [9.5, 'none'],
        [10.5, 'fullPool'],
      ],
      ['ms of a wait', (waitMs) => some(40, 40, { ...BEHIND, waitMs }), [0.95, 'none'], [1.05, 'fullPool']],
      ['of 400 requests wait', (count) => some(400, count, long), [11, 'tooLittleData'], [13, 'fullPool']],
      ['of 40 requests wait', (count) => some(40, count, long), [4, 'tooLittleData'], [5, 'fullPool']],
      [
        'of 400 requests wait for a pool that grows',
        (count) => some(400, count, { waitMs: 400, openingMs: 400 }),
        [38, 'none'],
        [42, 'coldStart'],
      ],
      [
        'ms outside of the pool',
        (ms) => requests(40, () => ({ waitMs: 0 })).map(lasting(ms + 2)),
        [47, 'none'],
        [53, 'notThePool'],
      ],
      ['ms of queries', (useMs) => some(40, 0, {}, { useMs }), [190, 'none'], [210, 'notThePool']],
      [
        'ms of a blocked event loop, each second',
        (maxMs) => [...some(40, 0, {}), ...seconds('loop', { meanMs: 20, maxMs, busy: 0.6 })],
        [95, 'none'],
        [105, 'lateEventLoop'],
      ],
      [
        // Each waits 8.3 ms for it on average, half of 129 ms in 129 of 1000 requests.
        'ms of requests, of which an event loop that is blocked for 129 ms each second takes a tenth',
        (ms) => [
          ...requests(40, () => ({ waitMs: 0 })).map(lasting(ms)),
          ...seconds('loop', { meanMs: 20, maxMs: 129, busy: 0.6 }),
        ],
        [82, 'lateEventLoop'],
        [84, 'notThePool'],
      ],
      [
        'ms of a request after the pool was cleared',
        (ms) => [
          ...requests(30, () => ({ waitMs: 0 }), 300).map(lasting(300)),
          ...events(30, (index) => ({ event: 'poolCleared', reason: 'down', atMs: (index + 1) * 300 - ms })),
        ],
        [47, 'notThePool'],
        [53, 'poolCleared'],
      ],
    ]),
  )('%s', async (_, linesOf, ...sides) => {
    for (const [value, cause] of sides)
      expect({ value, cause: (await diagnoseLines(linesOf(value))).verdict.cause }).toEqual({ value, cause });
  });

  test('how many refused checkouts belong to it: 1 %, and 3', async () => {
    const shareOf = async (/** @type {number} */ count, /** @type {number} */ without) =>
      (await diagnoseLines(some(count, without, refused, { ...BEHIND, waitMs: 50 }))).verdict.refusedShare;
    expect([await shareOf(600, 5), await shareOf(600, 7)]).toEqual([0, 7 / 600]);
    expect([await shareOf(60, 2), await shareOf(60, 3)]).toEqual([0, 0.05]);
  });
});

describe('the cause of a wait', () => {
  /** A connection is opened for each request. @param {number} openingMs @param {number} waitMs @param {Line} wait */
  const opening = (openingMs, waitMs, wait) => [
    ...requests(40, () => ({ waitMs, ...wait })),
    ...events(200, (index) => ({
      event: 'connectionReady',
      connection: index + 1,
      durationMs: openingMs,
      atMs: (index + 1) * openingMs,
    })),
  ];
  const parked = (/** @type {number} */ count) => Array.from({ length: count }, () => [-1, 1, -1]);
  const busy = seconds('loop', { meanMs: 20, maxMs: 20, busy: 0.99 });

  test.each(
    /** @type {[string, (value: number) => [Line[], number?], [number, string], [number, string]][]} */ ([
      [
        'ms of a late event loop',
        (waitMs) => [[...some(40, 40, { waitMs }), ...busy]],
        [0.95, 'none'],
        [1.05, 'lateEventLoop'],
      ],
      [
        // As long as 0.13 of the time is blocked, 0.63 of two connections.
        'ms of ten uses a second of a pool of two, beside an event loop that is blocked for 129 ms a second',
        (useMs) => [
          [
            ...some(100, 100, { ...BEHIND, waitMs: 100, useMs }),
            ...Array.from({ length: 12 }, (_, second) => ({
              ...{ event: 'loop', process: 0, atMs: (second + 1) * 1000, meanMs: 20, maxMs: 129, busy: 0.6 },
            })),
          ],
        ],
        [120, 'lateEventLoop'],
        [132, 'fullPool'],
      ],
      ['ms beside a free connection', (waitMs) => [some(40, 40, { waitMs })], [4.8, 'none'], [5.2, 'tooLittleData']],
      ['ms of an opening', (ms) => [opening(ms, ms, { openingMs: ms })], [48, 'coldStart'], [52, 'slowHandshake']],
      ['ms for openings of 20 ms', (ms) => [opening(20, ms, BEHIND)], [38, 'coldStart'], [42, 'maxConnecting']],
      [
        'of 10 connections are parked',
        (count) => [
          some(40, 40, {
            waitMs: 50,
            behind: [...parked(count), ...Array.from({ length: 10 - count }, () => [0, 0, 900])],
          }),
          10,
        ],
        [3, 'fullPool'],
        [4, 'parkedConnections'],
      ],
      [
        'connections, of which the trace names three, all parked',
        (size) => [some(40, 40, { waitMs: 50, behind: parked(3) }), size],
        [10, 'fullPool'],
        [11, 'parkedConnections'],
      ],
    ]),
  )('%s', async (_, recordingOf, ...sides) => {
    for (const [value, cause] of sides)
      expect({ value, cause: (await diagnoseLines(...recordingOf(value))).causes[0].cause }).toEqual({ value, cause });
  });
});

describe('the history of a pool', () => {
  const loop = new LoopFacts([], []);
  /** @param {Line[]} lines */
  const historyOf = async (lines) =>
    new PoolHistory(
      await record([
        { atMs: 0, pool: 0, waitMs: 0, useMs: 1, route: 0 },
        ...lines.map((line) => ({ pool: 0, ...line })),
      ]),
      0,
      loop,
    );
  const cleared = (/** @type {number} */ atMs) => ({ event: 'poolCleared', reason: 'down', atMs });
  const ready = (/** @type {number} */ connection, /** @type {number} */ atMs) => ({
    ...{ event: 'connectionReady', connection, durationMs: 10, atMs },
  });
  const ended = (/** @type {number} */ connection, /** @type {number} */ atMs) => ({
    ...{ event: 'connectionClosed', connection, reason: 'error', durationMs: 100, atMs },
  });

  test('a pool grows because of a clear for 2 s', async () => {
    const history = await historyOf([cleared(1000), ready(1, 2900), ready(2, 3100)]);
    expect([1, 2].map((connection) => history.whyOpened(connection))).toEqual(['cleared', 'growth']);
  });

  test('a connection is found broken up to 50 ms before the clear', async () => {
    const whyAfter = async (/** @type {number} */ ms) =>
      (await historyOf([ended(1, 1000), cleared(1000 + ms), ready(2, 5000)])).whyOpened(2);
    expect([await whyAfter(48), await whyAfter(52)]).toEqual(['cleared', 'lost']);
  });

  test('connections are lost one by one if there are two for each clear', async () => {
    const isLosing = async (/** @type {number} */ count) =>
      (
        await historyOf([
          ...Array.from({ length: count }, (_, index) => [
            ended(index + 1, 1000 * index),
            ready(index + 20, 1000 * index + 50),
          ]).flat(),
          cleared(90_000),
          cleared(91_000),
        ])
      ).isLosing;
    expect([await isLosing(3), await isLosing(4)]).toEqual([false, true]);
  });
});

describe('a second', () => {
  /** @param {{ maxMs?: number, busy?: number }} facts */
  const loopOf = ({ maxMs = 20, busy = 0.5 }) =>
    new LoopFacts([{ atMs: 2000, process: 0, meanMs: 5, maxMs, busy }], []);
  /** @param {number | undefined} share of the cores @param {number} growth @param {boolean} [isLocal] */
  const factsOf = (share, growth, isLocal = false) =>
    new ServerFacts(share === undefined ? [] : [{ atMs: 0, process: 0, cores: 10, busyCores: 10 * share }], {
      growth,
      isLocal,
    });

  test('is the one before its reading', () => {
    expect([980, 1020].map((toMs) => loopOf({ maxMs: 80 }).longestMs(900, toMs))).toEqual([0, 80]);
  });

  test('shows a blocked event loop from 50 ms on, and a full one from 0.95', () => {
    expect([48, 52].map((maxMs) => loopOf({ maxMs }).isBlocked)).toEqual([false, true]);
    expect([0.94, 0.96].map((busy) => loopOf({ busy }).isFull)).toEqual([false, true]);
  });

  test.each(
    /** @type {[string, [number, number], (value: number) => boolean][]} */ ([
      ['0.8 of the cores', [0.78, 0.82], (share) => factsOf(share, 0).isFull],
      ["0.5 of the cores of the app's machine", [0.48, 0.52], (share) => factsOf(share, 0, true).isFull],
      ['0.5 of the cores, and uses that grow', [0.48, 0.52], (share) => factsOf(share, 0.6).isSlowed],
      ['uses that grow by 0.5, and cores in use', [0.48, 0.52], (growth) => factsOf(0.6, growth).isSlowed],
      [
        'uses that grow by 0.7, where the cores are unknown',
        [0.68, 0.72],
        (growth) => factsOf(undefined, growth).isFull,
      ],
    ]),
  )('shows a full or a slowed server by %s', (_, values, judge) => {
    expect(values.map(judge)).toEqual([false, true]);
  });

  /** How uses grow as the number in use to the power of 0.6. @param {number} count @param {number} noise */
  const growthOf = (count, noise) => {
    const rows = [...Array(count).keys()];
    const checkouts = {
      ...{ length: count, outcomeOf: rows.map(() => 0), routeOf: rows.map(() => 0), operationOf: rows.map(() => 0) },
      useMs: rows.map((row) => 2 ** (0.6 * (row % 2)) * Math.exp(row % 4 < 2 ? noise : -noise)),
    };
    return measureGrowth(/** @type {RecordedTrace} */ (/** @type {unknown} */ ({ checkouts })), (row) => 1 + (row % 2));
  };

  test('needs 60 checkouts to show growth', () => {
    expect([56, 60].map((count) => growthOf(count, 0.01))).toEqual([0, expect.closeTo(0.6, 2)]);
  });

  test('needs a slope of five times its standard error', () => {
    // The standard error of the slope is the noise by half of ln 2 and the root of the degrees of freedom.
    const noiseOf = (/** @type {number} */ errors) => ((0.6 * Math.LN2) / 2) * (Math.sqrt(58) / errors);
    expect([4.8, 5.2].map((errors) => growthOf(60, noiseOf(errors)))).toEqual([0, expect.closeTo(0.6, 2)]);
  });
});

describe('a concurrency limit', () => {
  /**
   * Requests that wait before their first checkout while two others have one, which end just before it.
   * @param {{ count?: number, beforeMs?: number, handMs?: (index: number) => number, open?: (index: number) => number
   *   }} waits handMs: how long before it they end; open: how many there are
   */
  const isFound = ({ count = 50, beforeMs = 20, handMs = () => 1, open = () => 2 }) => {
    /** @type {{ startedMs: number, beforeMs: number, useMs: number }[]} */
    const sent = [];
    for (let index = 0; index < count; index++) {
      const atMs = 1000 * index;
      for (let other = 0; other < open(index); other++)
        sent.push({ startedMs: atMs - 10, beforeMs: 0, useMs: 10 + beforeMs - handMs(index) });
      sent.push({ startedMs: atMs, beforeMs, useMs: 10 });
    }
    const found = findLimits(
      /** @type {RecordedTrace} */ (
        /** @type {unknown} */ ({
          checkouts: {
            requestOf: sent.map((_, row) => row),
            startedMs: sent.map(({ startedMs, beforeMs: ms }) => startedMs + ms),
            waitMs: sent.map(() => 0),
            useMs: sent.map(({ useMs }) => useMs),
          },
          requests: {
            startedMs: sent.map(({ startedMs }) => startedMs),
            durationMs: sent.map(({ beforeMs: ms, useMs }) => ms + useMs),
            routeOf: sent.map(() => 0),
          },
        })
      ),
    );
    return found.map(({ limit }) => limit);
  };

  test.each(
    /** @type {[string, [number, number], (value: number) => Parameters<typeof isFound>[0]][]} */ ([
      ['waits of 5 ms', [4.8, 5.2], (beforeMs) => ({ beforeMs })],
      ['20 of them', [19, 20], (count) => ({ count })],
      ['for 0.7 of them as many others', [34, 36], (at) => ({ open: (index) => (index < at ? 2 : 1) })],
      ['for 0.98 of them no more', [195, 197], (within) => ({ count: 200, open: (index) => (index < within ? 2 : 3) })],
      ['for 0.8 of them another one ends', [39, 41], (ends) => ({ handMs: (index) => (index < ends ? 1 : 9) })],
      ['at most 5 ms before', [-5.2, -4.8], (ms) => ({ handMs: () => -ms })],
    ]),
  )('needs %s', (_, values, waitsOf) => {
    expect(values.map((value) => isFound(waitsOf(value)))).toEqual([[], [2]]);
  });
});
