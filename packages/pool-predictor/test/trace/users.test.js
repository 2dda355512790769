import { describe, expect, test } from '@jest/globals';
import { traceText } from 'test-support/trace-text.js';
import { findFollowUps } from '../../src/trace/follow-ups.js';
import { createTraceLoad } from '../../src/load/trace-load.js';
import { foldRoutes, summariseTrace, thinTrace } from '../../src/trace/trace.js';
import { callers, GAPS, recordCold, recordMixed, responseMs, run, TIMES, toTrace, visitors } from './traces.js';
import { findHandovers } from '../../src/trace/handovers.js';
import { inferResolution, levelRounding } from '../../src/reading/resolution.js';
import { readTraceText } from '../../src/reading/read-trace.js';
import { compareRounded, KINDS } from './rounded-loads.js';
import { checkSockets, SOCKET_LOADS } from './socket-loads.js';
import { pickPool } from '../../src/trace/pick-pool.js';
import { judgeTrust } from '../../src/predict/trust.js';
import { mean } from '../../src/base/sample-statistics.js';
import { SOCKET_USES } from '../../src/trace/socket-users.js';

/** @import { SimulatedRequest } from '../../src/simulator/tally.js' */

describe('follow-ups', () => {
  describe('are read in two ways', () => {
    const arriving = visitors({ count: 400, gap: (random) => GAPS.uniform(20, random), service: TIMES.fixed(50) });
    const calling = callers({ count: 3, untilMs: 20_000, service: TIMES.fixed(50), think: TIMES.fixed(5) });

    test.each([
      ['arrivals', arriving, 3],
      ['callers', calling, 3],
    ])('without sockets: as arrivals, and as few callers as could have sent them (%s)', (_, arrivals, fewest) => {
      const { arrivals: replay, callers: facts, otherReading } = createTraceLoad(toTrace(run(arrivals, 4), 4));
      expect(facts).toMatchObject({ aloneShare: 1, fewest });
      expect([...replay(1, 1)].every(({ requests }) => requests === undefined)).toBe(true);
      expect(otherReading?.callers).toMatchObject({ callers: fewest, callersShare: 1 });
      expect(otherReading?.otherReading).toBeUndefined();
    });

    test('unless the user says how many callers there were: each request follows the oldest answer', () => {
      const trace = toTrace(run(calling, 4), 4);
      for (const count of [3, 5]) {
        const { callers: facts, otherReading } = createTraceLoad({ ...trace, callers: count });
        expect(facts).toMatchObject({ callers: count, callersShare: 1, fewest: null });
        expect(otherReading).toBeUndefined();
      }
      expect(createTraceLoad({ ...trace, callers: 0 })).toMatchObject({
        callers: { aloneShare: 1, fewest: null },
        otherReading: undefined,
      });
    });

    test('unless both are the same: one caller with a socket', () => {
      const trace = toTrace(run(calling.slice(0, 1), 4), 4);
      const all = (/** @type {number} */ value) => Array.from(trace.waitMs, () => value);
      const known = { ...trace, socketOf: all(1), socketUseOf: all(SOCKET_USES.indexOf('waiting')) };
      expect(createTraceLoad(known)).toMatchObject({ callers: { callers: 1, fewest: null }, otherReading: undefined });
    });

    test('fewer callers than requests in progress at once are refused', () => {
      expect(() => createTraceLoad({ ...toTrace(run(calling, 4), 4), callers: 2 })).toThrow(
        "2 callers can't have sent these requests, each after the answer to its last: 3 were in progress at once. " +
          'Use --callers 3 or more, or 0 if they arrived on their own',
      );
    });
  });

  describe('work that belongs to no request', () => {
    // A caller of 10 ms queries, who thinks for 2 ms, beside a timer every 20 ms whose query takes 5 ms.
    const calledMs = [0, 12, 24, 36, 48];
    const timerMs = [5, 25, 45];
    const rows = [...calledMs, ...timerMs]
      .sort((a, b) => a - b)
      .map((atMs) => ({ atMs, isOf: !timerMs.includes(atMs) }));
    const columnOf = (/** @type {(row: typeof rows[number], index: number) => number} */ value) => rows.map(value);
    const trace = {
      header: {},
      routes: ['/a', 'the app itself'],
      checkOutStartedMs: columnOf(({ atMs }) => atMs),
      waitMs: columnOf(() => 0),
      useMs: columnOf(({ isOf }) => (isOf ? 10 : 5)),
      routeOf: columnOf(({ isOf }) => (isOf ? 0 : 1)),
      requestOf: columnOf(({ isOf }, index) => (isOf ? index : -1)),
      socketOf: columnOf(({ isOf }) => (isOf ? 1 : -1)),
      socketUseOf: columnOf(({ isOf }) => SOCKET_USES.indexOf(isOf ? 'waiting' : 'unknown')),
      warnings: [],
    };
    const isTimer = ({ route = '' }) => route === 'the app itself';

    test('takes no turns with callers: it comes at its recorded times, or follows itself', () => {
      const { requests, likely, fewest, fewestCallers } = findFollowUps(trace);
      const placesOf = (/** @type {number} */ is) =>
        columnOf((_, row) => row).filter((row) => requests.isOutside[row] === is);
      const chain = (/** @type {number[]} */ places) => [-1, ...places.slice(0, -1)];
      expect(placesOf(1)).toHaveLength(timerMs.length);
      for (const reading of [likely, fewest ?? []])
        expect(placesOf(0).map((row) => reading[row])).toEqual(chain(placesOf(0)));
      expect(placesOf(1).map((row) => likely[row])).toEqual([-1, -1, -1]);
      expect(placesOf(1).map((row) => fewest?.[row])).toEqual(chain(placesOf(1)));
      // The readings differ in the timer alone, so they say nothing of callers.
      expect(fewestCallers).toBeNull();
    });

    test('is counted apart', () => {
      const { callers: facts, otherReading } = createTraceLoad(trace);
      const expected = { visits: 1, visitsShare: 1, aloneShare: 0, outside: 3, fewest: null };
      expect(facts).toMatchObject(expected);
      expect(otherReading?.callers).toMatchObject(expected);
    });

    test('is no work of the callers whom the user counts', () => {
      expect(createTraceLoad({ ...trace, callers: 1 }).callers).toMatchObject({
        callersShare: 0,
        visits: 1,
        outside: 3,
      });
    });

    test('comes at its recorded times in each run, and more often with a higher load', () => {
      const load = createTraceLoad(trace, { resample: true });
      const timesMs = (/** @type {number} */ seed, factor = 1) =>
        [...load.arrivals(seed, factor)].filter(isTimer).map(({ atMs }) => atMs);
      for (const seed of [1, 2, 3]) expect(timesMs(seed)).toEqual(timerMs);
      expect(timesMs(2, 2)).toHaveLength(2 * timerMs.length);
    });

    test('is a request like others where none is known', () => {
      const { requests } = findFollowUps({ ...trace, requestOf: undefined });
      expect([...requests.isOutside]).toEqual(columnOf(() => 0));
    });

    test('has its times in a summary, too, while more of it waits', () => {
      const waiting = [{ startedMs: 50, waitMs: 7, route: 1, request: -1 }];
      const { routes, requests } = summariseTrace({ ...trace, waiting });
      expect(requests).toBe(rows.length + 1);
      expect(routes['the app itself']).toMatchObject({ count: timerMs.length + 1, p50Ms: expect.closeTo(5, 0) });
    });
  });

  describe('checkouts of one request', () => {
    const trace = {
      header: {},
      routes: ['/a', '/b'],
      checkOutStartedMs: [0, 4, 11, 12, 13],
      waitMs: [0, 0, 0, 0, 0],
      useMs: [10, 10, 5, 5, 5],
      routeOf: [0, 1, 0, 0, 1],
      requestOf: [7, 8, 7, 7, -1],
      warnings: [],
    };

    test('are one request: those without a number, one each', () => {
      const { likely, fewest, requests } = findFollowUps(trace);
      expect([...likely]).toEqual([-1, -1, -1]);
      expect(fewest).toBeNull();
      expect([[...requests.from], [...requests.rows]]).toEqual([
        [0, 3, 4, 5],
        [0, 2, 3, 1, 4],
      ]);
      expect(createTraceLoad(trace).callers).toMatchObject({ visits: 0, aloneShare: 1 });
    });

    test('start after the same ends as they did, with the same gaps', () => {
      const [arrival] = createTraceLoad(trace).arrivals(1, 1);
      expect(arrival.known).toMatchObject({
        servicesMs: [10, 5, 5],
        startsAfter: [0, 1, 1],
        gapsMs: [0, 1, 2],
        endsAfter: 3,
        restMs: 0,
        isMeasured: false,
      });
      // With one connection, the second one of the fork waits for the first, and the join for both.
      const responses = [3, 1].map((size) => run(createTraceLoad(trace).arrivals(1, 1), size)[0].responseMs);
      expect(responses).toEqual([17, 30]);
    });

    test('have the response that the server measured, and no overhead', () => {
      // The last checkout of request 7 starts after its answer: nobody waits for it.
      const measured = {
        ...trace,
        requestStartedMs: [-2, NaN, -2, -2, NaN],
        requestEndedMs: [11.5, NaN, 11.5, 11.5, NaN],
      };
      const records = run(createTraceLoad(measured).arrivals(1, 1), 9, Infinity, {
        services: {},
        overhead: { kind: 'fixed', ms: 100 },
      });
      expect(records.map(({ route, arrivedAtMs, responseMs }) => [route, arrivedAtMs, responseMs])).toEqual([
        ['/a', 0, 13.5],
        ['/b', 4, 110],
        ['/a', 12, 105],
        ['/b', 13, 105],
      ]);
      const { requests, maxMs } = summariseTrace(measured);
      expect({ requests, maxMs }).toEqual({ requests: 4, maxMs: 13.5 });
    });
  });
});

describe('requests that got no connection in time', () => {
  const TIMEOUT_MS = 60;
  const COUNT = 800;
  const pool = { maxPoolSize: 2, waitQueueTimeoutMS: TIMEOUT_MS };
  const arrivals = visitors({ count: COUNT, gap: (random) => GAPS.poisson(14, random), service: TIMES.steady(30) });
  const truth = run(arrivals, 2, Infinity, { pool });
  const isRefused = (/** @type {SimulatedRequest} */ { outcome }) => outcome !== 'ok';

  /**
   * @param {SimulatedRequest[]} records @param {(request: number) => number} socketOf
   * @param {{ atMs: number, useMs: number, route: string, request: number }[]} [more]
   */
  const record = (records, socketOf, more = []) =>
    readTraceText(
      traceText({
        poolSize: 2,
        header: { resolutionMs: 0.001 },
        checkouts: [
          ...records.map(({ arrivedAtMs: atMs, finishedAtMs, waitMs, outcome }, request) => ({
            ...{ atMs, waitMs, route: '/slow', request, socket: socketOf(request) },
            ...(outcome === 'ok'
              ? { useMs: finishedAtMs - atMs - waitMs }
              : { outcome: 'checkOutFailed', reason: 'timeout' }),
          })),
          ...more,
        ],
      }),
    );
  const open = (/** @type {number} */ request) => request + 1;
  const recorded = record(truth, open).then(pickPool);

  test('are replayed with the queries of others, so that larger pools are predicted', async () => {
    const { trace } = await recorded;
    expect(truth.filter(isRefused).length).toBeGreaterThan(0.1 * COUNT);
    expect(trace.refused?.length).toBe(truth.filter(isRefused).length);
    expect(trace).toMatchObject({
      unservedShare: 0,
      warnings: [expect.stringMatching(/^Got no connection in time: /)],
    });
    const { meanWaitMs } = summariseTrace(trace);
    const again = run(createTraceLoad(trace).arrivals(1, 1), 2, Infinity, { pool });
    // Of all waits, those without success too.
    expect(mean(again.map(({ waitMs }) => waitMs)) / meanWaitMs).toBeCloseTo(1, 1);
    const replayed = createTraceLoad(trace).arrivals(1, 1);
    const [predicted, expected] = [replayed, arrivals].map((load) => run(load, 4));
    expect(predicted).toHaveLength(COUNT);
    for (const share of [0.5, 0.95])
      expect(responseMs(predicted, '/slow', share) / responseMs(expected, '/slow', share)).toBeCloseTo(1, 1);
  });

  test('are replaced as a whole if they had a connection before', async () => {
    const request = truth.findIndex(isRefused);
    const before = { atMs: truth[request].arrivedAtMs, useMs: 5000, route: '/slow', request };
    const { trace } = pickPool(await record(truth, open, [before]));
    const failures = truth.filter(isRefused).length;
    expect(summariseTrace(trace)).toMatchObject({
      requests: COUNT,
      failures,
      routes: { '/slow': { count: COUNT, failures } },
    });
    const sent = [...createTraceLoad(trace).arrivals(1, 1)];
    expect(sent).toHaveLength(COUNT);
    expect(sent.every(({ known }) => known?.servicesMs.length === 1 && known.servicesMs[0] < 1000)).toBe(true);
  });

  test('are not if their callers wait for answers: then there are no figures', async () => {
    const waiting = callers({ count: 8, untilMs: 20_000, service: TIMES.steady(30), think: TIMES.exponential(20) });
    const records = run(waiting, 2, Infinity, { pool });
    const { trace } = pickPool(await record(records, (request) => records[request].user));
    expect(trace.refused).toBeUndefined();
    expect(trace.unservedShare).toBeGreaterThan(0.1);
    expect(judgeTrust({ trace, load: createTraceLoad(trace) }, null).refusal).toMatchObject({ code: 'unserved' });
  });

  test('of those that still wait, a timer is replayed, and callers who wait for answers are not', async () => {
    const waiting = callers({ count: 8, untilMs: 20_000, service: TIMES.steady(30), think: TIMES.exponential(20) });
    const records = run(waiting, 2, 20_000);
    const unended = { atMs: 19_990, waitMs: 10, outcome: 'waiting', route: '/slow' };
    const checkouts = [
      ...records.map(({ arrivedAtMs: atMs, finishedAtMs, waitMs, user: socket }) => ({
        ...{ atMs, waitMs, useMs: finishedAtMs - atMs - waitMs, route: '/slow', socket },
      })),
      { ...unended, useMs: undefined, socket: 1 },
      { ...unended, useMs: undefined },
    ];
    const { trace } = pickPool(await readTraceText(traceText({ poolSize: 2, checkouts })));
    expect(trace.waiting).toMatchObject([{ request: -1 }]);
    expect(createTraceLoad(trace).callers).toMatchObject({ callers: 8, outside: 1 });
  });

  test('stay with the pieces and the routes of a trace', async () => {
    const { trace } = await recorded;
    const thinned = thinTrace(trace, 200);
    const shareOf = (/** @type {typeof trace} */ { refused, waitMs }) => Number(refused?.length) / waitMs.length;
    expect(shareOf(thinned) / shareOf(trace)).toBeCloseTo(1, 0);
    const [lastMs] = Array.from(thinned.checkOutStartedMs).slice(-1);
    expect(Math.max(...(thinned.refused ?? []).map(({ startedMs }) => startedMs))).toBeLessThan(lastMs + 100);
    const folded = foldRoutes({ ...trace, routes: ['/slow', '/b', '/c'] }, 2);
    expect(new Set(folded.refused?.map(({ route }) => route))).toEqual(new Set([0]));
  });
});

describe('handovers', () => {
  test('only a connection that was idle while a request waited was handed over late', () => {
    // A pool of one: the second waits for the first, and 3 ms longer; the third comes 5 ms after the second's checkin.
    expect([...findHandovers({ checkOutStartedMs: [0, 2, 28], waitMs: [0, 11, 1], useMs: [10, 10, 10] })]).toEqual([
      3, 0, 0,
    ]);
  });

  test('of two connections the one that was checked in last is handed over first', () => {
    // The third waits for the first checkin, the second's; the first one's connection is idle until the fourth.
    expect([
      ...findHandovers({ checkOutStartedMs: [0, 0, 5, 6], waitMs: [0, 0, 6, 16], useMs: [20, 10, 30, 1] }),
    ]).toEqual([2, 1, 0, 0]);
  });

  test('of two pools, a connection goes only to a request of its own pool', () => {
    const trace = { checkOutStartedMs: [0, 0, 5], waitMs: [0, 0, 16], useMs: [10, 20, 10] };
    // In one pool, the third would have waited 11 ms for the first connection, which was free at 10.
    expect([...findHandovers(trace)]).toEqual([0, 1, 0]);
    expect([...findHandovers({ ...trace, waitMs: [0, 0, 9] })]).toEqual([4, 0, 0]);
    expect([...findHandovers({ ...trace, waitMs: [0, 0, 9] }, (checkout) => (checkout === 2 ? 1 : 0))]).toEqual([
      0, 0, 0,
    ]);
  });

  test('a checkin that rounding puts a microsecond after the next checkout is the one before it', () => {
    expect([
      ...findHandovers({ checkOutStartedMs: [0, 1, 2], waitMs: [0, 9, 18], useMs: [10.001, 10.001, 10] }),
    ]).toEqual([0, 0, 0]);
  });
});

describe('rounded times', () => {
  // statistics.release.test.js has finer ones, and more requests.
  test.each(Object.keys(KINDS))(
    'a trace of %s whose times are rounded to 1 ms is replayed with the recorded waits',
    async (kind) => {
      const { resolutionMs, waitRatio, p95Ratios } = await compareRounded(kind, { seed: 1, count: 500, stepMs: 1 });
      expect(resolutionMs).toBe(1);
      for (const ratio of [waitRatio, ...p95Ratios]) expect(Math.abs(ratio - 1)).toBeLessThan(0.05);
    },
  );

  test('the resolution is that of the header, or what all times are multiples of', async () => {
    const read = async (/** @type {object} */ header, /** @type {number} */ useMs) => {
      const checkouts = [
        { atMs: 1_767_225_600_000.123, useMs: 7 },
        { atMs: 1_767_225_600_010, waitMs: 3, useMs },
      ];
      return (await readTraceText(traceText({ header, checkouts }))).resolutionMs;
    };
    expect(await read({}, 12)).toBe(0.001);
    expect(await read({ resolutionMs: 1 }, 12)).toBe(1);
    const columns = (/** @type {number[]} */ useMs) =>
      /** @type {any} */ ({ startedMs: [1_767_225_600_000, 20], waitMs: [NaN, 0], useMs });
    expect(
      [
        [10, NaN],
        [10, 7],
        [10, 0.3],
        [10, 0.07],
        [10, 0.007],
      ].map((useMs) => inferResolution(columns(useMs))),
    ).toEqual([1, 1, 0.1, 0.01, 0.001]);
  });

  test('what rounding may have made is replaced by its mean, so that the sum stays', () => {
    expect(levelRounding([-1, 2, 1, 40], 2)).toEqual([2 / 3, 2 / 3, 2 / 3, 40]);
    expect(levelRounding([-1, 0], 2)).toEqual([0, 0]);
    expect(levelRounding([], 2)).toEqual([]);
  });
});

describe('users of sockets', () => {
  // statistics.release.test.js has the others, and longer recordings.
  test.each(SOCKET_LOADS.filter(({ quickMs }) => quickMs))('$name', (load) => checkSockets(load, load.quickMs));
});

describe('a slice of a trace', () => {
  describe('a long trace', () => {
    const long = recordMixed({ count: 4000, poolSize: 4 });

    test('is shortened to pieces spread over it, with the same rate and waits', () => {
      const thinned = thinTrace(long, 1000);
      const { length } = thinned.waitMs;
      expect(Math.abs(length - 1000)).toBeLessThan(150);
      const rateOf = (/** @type {typeof long} */ { checkOutStartedMs: atMs }) => atMs.length / atMs[atMs.length - 1];
      expect(rateOf(thinned) / rateOf(long)).toBeCloseTo(1, 0);
      const ascending = Array.from(thinned.checkOutStartedMs);
      expect(ascending).toEqual(ascending.toSorted((a, b) => a - b));
      expect(thinned.useMs[length - 1]).not.toBe(long.useMs[length - 1]);
      const places = Array.from(thinned.useMs, (ms) => Array.from(long.useMs).indexOf(ms));
      expect(places[0]).toBe(0);
      // The last of the five pieces is in the last fifth.
      expect(places[length - 1]).toBeGreaterThan(3200);
      const pieceMs = expect.closeTo(long.checkOutStartedMs[3999] / 20, 3);
      expect(thinned.replayed).toEqual({ checkouts: length, of: 4000, pieces: 5, busiestMs: 0, pieceMs });
    });

    // 30 a second, but 60 a second from 400 s to 470 s.
    test.each([
      ['longer', 12_000, 60_000],
      ['shorter', 2000, 0],
    ])('has its busiest minute in it: pieces %s than that', (_, most, wholeMs) => {
      const gapsMs = Array.from({ length: 20_100 }, (__, row) =>
        row >= 12_000 && row < 16_200 ? 1000 / 60 : 1000 / 30,
      );
      const checkOutStartedMs = [0];
      for (const gapMs of gapsMs) checkOutStartedMs.push(checkOutStartedMs[checkOutStartedMs.length - 1] + gapMs);
      const zeros = checkOutStartedMs.map(() => 0);
      // Each keeps its number as its use.
      const useMs = checkOutStartedMs.map((___, row) => row / 1e6);
      const trace = { ...recordMixed({ count: 2 }), checkOutStartedMs, waitMs: zeros, useMs, routeOf: zeros };
      const thinned = thinTrace(trace, most);
      const { busiestMs = 0, pieceMs = 0 } = thinned.replayed ?? {};
      expect(busiestMs).toBeGreaterThanOrEqual(399_900);
      expect(busiestMs).toBeLessThan(410_100);
      const [fromMs, toMs] = [busiestMs, busiestMs + Math.min(60_000, pieceMs)];
      expect(toMs - fromMs >= wholeMs).toBe(true);
      const isIn = (/** @type {number} */ ms) => ms >= fromMs && ms < toMs;
      const kept = Array.from(thinned.useMs, (ms) => checkOutStartedMs[Math.round(ms * 1e6)]).filter(isIn);
      expect(kept).toEqual(checkOutStartedMs.filter(isIn));
      expect(Math.abs(thinned.waitMs.length - most) / most).toBeLessThan(0.25);
    });

    test('never has more connections in use than the pool, across the pieces', () => {
      const { checkOutStartedMs, waitMs, useMs } = thinTrace(long, 1000);
      const uses = Array.from(checkOutStartedMs, (ms, row) => [ms + waitMs[row], ms + waitMs[row] + useMs[row]]);
      const inUse = uses.map(([atMs]) => uses.filter(([fromMs, toMs]) => fromMs <= atMs && toMs > atMs + 1e-6).length);
      expect(Math.max(...inUse)).toBe(4);
    });

    test('keeps the openings of its pieces, at their checkouts', () => {
      const { checkOutStartedMs, openings } = thinTrace(recordCold(), 80);
      expect(Array.from(openings?.fromMs ?? [])).toEqual(Array.from(checkOutStartedMs));
    });

    test('is the same trace if it is short', () => {
      expect(thinTrace(long, 4000)).toBe(long);
    });
  });

  test('of many routes, the rarest ones are one', () => {
    const trace = { ...recordMixed({ count: 6 }), routes: ['/a', '/b', '/c', '/d'], routeOf: [0, 1, 1, 2, 3, 3] };
    const folded = foldRoutes(trace, 3);
    expect(folded.routes).toEqual(['/b', '/d', '2 others']);
    expect([...Array.from(folded.routeOf)]).toEqual([2, 0, 0, 2, 1, 1]);
    expect(folded.warnings[0]).toBe('The trace has 4 routes: the 2 rarest ones are one, "2 others"');
    expect(foldRoutes(trace, 4)).toBe(trace);
  });
});
