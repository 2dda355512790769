import { describe, expect, test } from '@jest/globals';
import { createRandom } from '../../src/simulator/random.js';
import { findFollowUps } from '../../src/trace/follow-ups.js';
import { createTraceLoad } from '../../src/load/trace-load.js';
import { foldRoutes, summariseTrace, thinTrace } from '../../src/trace/trace.js';
import { checkClosed, checkOpen, CLOSED, OPEN } from './follow-up-cases.js';
import { callers, GAPS, recordCold, recordMixed, responseMs, run, TIMES, toTrace, visitors } from './traces.js';
import { findHandovers } from '../../src/trace/handovers.js';
import { inferResolution, levelRounding } from '../../src/trace/resolution.js';
import { readTraceText } from '../../src/trace/read-trace.js';
import { compareRounded, KINDS } from './rounded-loads.js';
import { openRecording, pickReplayed } from '../../src/predict/recording.js';
import { pickPool } from '../../src/trace/pick-pool.js';
import { checkTrace } from '../../src/predict/check-trace.js';

/** @import { SimulatedRequest } from '../../src/simulator/tally.js' */

describe('follow-ups', () => {
  describe('requests that arrive on their own are replayed as they came', () => {
    // statistics.release.test.js has the others, and more requests.
    test.each(OPEN.filter(({ service, utilisation }) => service === 'exponential' && utilisation === 0.97))(
      '$gap, $service times, utilisation $utilisation',
      (open) => checkOpen(open, 300),
    );

    test('slow ones among many fast ones', () => {
      const random = createRandom(1);
      const arrivals = Array.from({ length: 1200 }, (_, index) => ({
        atMs: index * 50 + 30 * random.uniform(),
        route: index % 20 === 0 ? '/slow' : '/fast',
        serviceMs: (index % 20 === 0 ? 500 : 2) * (1 + 0.2 * random.exponential()),
      }));
      expect(createTraceLoad(toTrace(run(arrivals, 8), 8)).callers).toMatchObject({
        aloneShare: 1,
        doubt: 'noSockets',
      });
    });
  });

  test('callers who wait for their answers are found, and predicted at another size', () =>
    checkClosed(CLOSED[2], { untilMs: 6000, sizes: [8] }));

  test('evenly spaced arrivals and callers with equal queries look alike if nobody waits: there are two answers', () => {
    for (const arrivals of [
      visitors({ count: 400, gap: (random) => GAPS.uniform(20, random), service: TIMES.fixed(50) }),
      callers({ count: 1, untilMs: 20_000, service: TIMES.fixed(50), think: TIMES.fixed(5) }),
    ]) {
      const { arrivals: replay, callers: facts, otherwise } = createTraceLoad(toTrace(run(arrivals, 4), 4));
      expect(facts).toMatchObject({ aloneShare: 1, isUnclear: true });
      expect([...replay(1, 1)].every(({ requests }) => requests === undefined)).toBe(true);
      expect(otherwise?.callers.callersShare).toBeGreaterThan(0.9);
    }
  });

  test('evenly spaced requests of two routes get an answer, even where every start seems to follow something', () => {
    for (let seed = 1; seed <= 5; seed++) {
      const { uniform } = createRandom(seed, 'fast ones');
      const arrivals = Array.from({ length: 112 }, (_, index) =>
        uniform() < 0.1
          ? { atMs: 12.75 * index, route: '/fast', serviceMs: 0.5 }
          : { atMs: 12.75 * index, route: '/slow', serviceMs: 25 },
      );
      expect(findFollowUps(toTrace(run(arrivals, 6), 6)).likely).toHaveLength(112);
    }
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
      const { likely, possible, requests } = findFollowUps(trace);
      expect([...likely]).toEqual([-1, -1, -1]);
      expect(possible).toBeNull();
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
   * @param {object[]} [more] lines
   */
  const record = (records, socketOf, more = []) =>
    readTraceText(
      [
        { trace: 'mongodb-pool-lab', version: 3, resolutionMs: 0.001 },
        { define: 'pool', id: 0, options: { maxPoolSize: { value: 2, from: 'code' } } },
        { define: 'route', id: 0, name: '/slow' },
        ...records.flatMap(({ arrivedAtMs: atMs, finishedAtMs, waitMs, outcome }, request) => [
          {
            ...{ atMs, waitMs, pool: 0, route: 0, request, behind: waitMs > 0 ? [[0, -1, 1]] : undefined },
            ...(outcome === 'ok'
              ? { useMs: finishedAtMs - atMs - waitMs }
              : { outcome: 'checkOutFailed', reason: 'timeout' }),
          },
          { request, route: 0, atMs, durationMs: finishedAtMs - atMs, status: 200, socket: socketOf(request) },
        ]),
        ...more,
      ]
        .map((line) => JSON.stringify(line))
        .join('\n'),
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
    const { status, figures } = await checkTrace(trace, { pool });
    expect(status).toBe('holds');
    // Of all waits, those without success too.
    expect(figures[0].recordedMs / figures[0].lowMs).toBeCloseTo(1, 1);
    const replayed = createTraceLoad(trace).arrivals(1, 1);
    const [predicted, expected] = [replayed, arrivals].map((load) => run(load, 4));
    expect(predicted).toHaveLength(COUNT);
    for (const share of [0.5, 0.95])
      expect(responseMs(predicted, '/slow', share) / responseMs(expected, '/slow', share)).toBeCloseTo(1, 1);
  });

  test('are replaced as a whole if they had a connection before', async () => {
    const request = truth.findIndex(isRefused);
    const before = { atMs: truth[request].arrivedAtMs, waitMs: 0, useMs: 5000, pool: 0, route: 0, request };
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

  test('are not if their callers wait for answers: the check fails', async () => {
    const waiting = callers({ count: 8, untilMs: 20_000, service: TIMES.steady(30), think: TIMES.exponential(20) });
    const records = run(waiting, 2, Infinity, { pool });
    const { trace } = pickPool(await record(records, (request) => records[request].user));
    expect(trace.refused).toBeUndefined();
    expect(trace.unservedShare).toBeGreaterThan(0.1);
    expect(await checkTrace(trace, { pool })).toMatchObject({ status: 'fails', reason: 'unserved' });
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
  test.each(Object.keys(KINDS).flatMap((kind) => [0.01, 0.1, 1].map((stepMs) => [kind, stepMs])))(
    'a trace of %s whose times are rounded to %s ms is replayed with the recorded waits',
    async (kind, stepMs) => {
      const { resolutionMs, waitRatio, p95Ratios } = await compareRounded(String(kind), {
        seed: 1,
        count: 500,
        stepMs: Number(stepMs),
      });
      expect(resolutionMs).toBe(stepMs);
      for (const ratio of [waitRatio, ...p95Ratios]) expect(Math.abs(ratio - 1)).toBeLessThan(0.05);
    },
  );

  test('the resolution is that of the header, or what all times are multiples of', async () => {
    const read = async (/** @type {object} */ fields, /** @type {number} */ useMs) => {
      const lines = [
        { trace: 'mongodb-pool-lab', version: 2, ...fields },
        { checkOutStartedMs: 1_767_225_600_000.123, waitMs: 0, useMs: 7 },
        { checkOutStartedMs: 1_767_225_600_010, waitMs: 3, useMs },
      ];
      return (await readTraceText(lines.map((line) => JSON.stringify(line)).join('\n'))).resolutionMs;
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
  /** @typedef {Pick<SimulatedRequest, 'user' | 'arrivedAtMs' | 'finishedAtMs'>} Request */

  /** Each caller has a socket. @returns {(request: Request) => number} */
  const ownSockets = () => (request) => request.user;

  /**
   * Like the agents of most clients: the idle socket that was in use last, or a new one.
   * @param {'last' | 'first'} taken
   */
  function sharedSockets(taken = 'last') {
    /** By socket: when it is idle again. @type {number[]} */
    const idleAtMs = [];
    return (/** @type {Request} */ { arrivedAtMs, finishedAtMs }) => {
      let socket = -1;
      for (const [each, ms] of idleAtMs.entries())
        if (ms <= arrivedAtMs && (socket < 0 || (taken === 'last' && ms > idleAtMs[socket]))) socket = each;
      if (socket < 0) socket = idleAtMs.length;
      idleAtMs[socket] = finishedAtMs;
      return 1000 + socket;
    };
  }

  /**
   * A client without time to read answers: it notices late that a socket is idle.
   * @param {ReturnType<typeof createRandom>} random
   * @returns {(request: Request) => number}
   */
  function lateSockets(random) {
    const socketOf = sharedSockets();
    return (request) => socketOf({ ...request, finishedAtMs: request.finishedAtMs + 10 * random.exponential() });
  }

  /** @returns {(request: Request) => number} */
  function newSockets() {
    let opened = 0;
    return () => 10_000 + opened++;
  }

  /**
   * @param {{ waiting?: number, meanThinkMs?: number, arriving?: number, untilMs?: number, poolSize?: number, lateMs?:
   *   number, route?: string, socketOf: (isWaiting: boolean) => (request: Request) => number }} load arriving: gap in ms; lateMs:
   *   of the app's event loop; route: of those who wait, default: that of all
   */
  async function record({
    waiting = 0,
    meanThinkMs = 40,
    arriving,
    untilMs = 20_000,
    poolSize = 8,
    lateMs = 0.5,
    route = '/a',
    socketOf,
  }) {
    const arrivals = [
      ...callers({
        count: waiting,
        untilMs,
        service: TIMES.steady(20),
        think: TIMES.exponential(meanThinkMs),
      }),
      ...(arriving
        ? visitors({
            count: untilMs / arriving,
            gap: (random) => GAPS.poisson(arriving, random),
            service: TIMES.exponential(10),
          })
        : []),
    ].sort((a, b) => a.atMs - b.atMs);
    const isWaiting = arrivals.map(({ requests }) => requests !== undefined);
    const sockets = [true, false].map(socketOf);
    const lines = run(arrivals, poolSize, untilMs).flatMap((request, index) => {
      const { user, arrivedAtMs, waitMs, finishedAtMs } = request;
      const common = { atMs: arrivedAtMs, request: index, route: isWaiting[user] ? 0 : 1 };
      return [
        { ...common, waitMs, useMs: finishedAtMs - arrivedAtMs - waitMs, pool: 0 },
        {
          ...common,
          durationMs: finishedAtMs - arrivedAtMs,
          status: 200,
          socket: sockets[isWaiting[user] ? 0 : 1](request),
        },
      ];
    });
    const definitions = [
      { trace: 'mongodb-pool-lab', version: 3 },
      { define: 'process', id: 0 },
      { define: 'pool', id: 0, options: { maxPoolSize: { value: poolSize, from: 'uri' } } },
      { define: 'route', id: 0, name: route },
      { define: 'route', id: 1, name: '/a' },
      { event: 'loop', atMs: 0, meanMs: 9, maxMs: 50, busy: 0.5 },
      { event: 'loop', atMs: 1000, meanMs: lateMs, maxMs: 10, busy: 0.6 },
    ];
    const text = [...definitions, ...lines].map((line) => JSON.stringify(line)).join('\n');
    return createTraceLoad(pickPool(await readTraceText(text)).trace).callers;
  }

  describe('callers are told from arrivals by their sockets, on one route', () => {
    const MIXED = { waiting: 8, arriving: 40 };
    test.each([
      ['new sockets', newSockets],
      ['a client that takes the socket used last', sharedSockets],
      ['a client that takes the first idle socket', () => sharedSockets('first')],
    ])('beside arrivals on %s', async (_, others) => {
      const facts = await record({ ...MIXED, socketOf: (isWaiting) => (isWaiting ? ownSockets() : others()) });
      expect(facts.callers).toBe(8);
      expect(facts.callersShare).toBeGreaterThan(0.7);
      expect(facts.aloneShare).toBeGreaterThan(0.1);
    });

    test('beside few arrivals', async () => {
      for (const arriving of [80, 300]) {
        const socketOf = (/** @type {boolean} */ isWaiting) => (isWaiting ? ownSockets() : sharedSockets());
        const { callers: count } = await record({ waiting: 8, arriving, untilMs: 40_000, socketOf });
        expect({ arriving, count }).toEqual({ arriving, count: 8 });
      }
    });

    test('alone, whether they queue or not', async () => {
      for (const poolSize of [1, 8]) {
        expect(await record({ waiting: 8, poolSize, socketOf: ownSockets })).toMatchObject({
          callers: 8,
          callersShare: 1,
          doubt: null,
        });
      }
    });

    test('but not where the event loop of the app was late: both are possible', async () => {
      const load = { waiting: 8, socketOf: ownSockets };
      expect(await record({ ...load, lateMs: 1.2 })).toMatchObject({ callersShare: 1, doubt: null });
      expect(await record({ ...load, lateMs: 1.8 })).toMatchObject({ callersShare: 0, doubt: 'lateLoop' });
    });

    test('but where all of their sockets are mostly in use, arrivals would open more', async () => {
      const load = { waiting: 8, meanThinkMs: 1, socketOf: ownSockets };
      expect(await record({ ...load, lateMs: 1.8 })).toMatchObject({ callersShare: 1, doubt: null });
    });

    test.each([
      [2, 300, 8],
      [4, 40, 8],
      [8, 40, 9],
    ])(
      'by their route, where a pool is too small for arrivals: %i, who think for %i ms',
      async (waiting, meanThinkMs, arriving) => {
        const socketOf = (/** @type {boolean} */ isWaiting) => (isWaiting ? ownSockets() : sharedSockets());
        expect(await record({ waiting, meanThinkMs, arriving, poolSize: 1, route: '/b', socketOf })).toMatchObject({
          callers: waiting,
          doubt: null,
        });
      },
    );

    test('and are not taken for all that pile up on more sockets than are compared', async () => {
      const socketOf = (/** @type {boolean} */ isWaiting) => (isWaiting ? ownSockets() : sharedSockets());
      for (const waiting of [2, 4]) {
        const facts = await record({ waiting, meanThinkMs: 300, arriving: 9, poolSize: 1, socketOf });
        expect(facts.callers).toBeLessThanOrEqual(waiting);
        expect(facts.aloneShare).toBeGreaterThan(0.95);
      }
    });

    test('where they queue all the time', async () => {
      expect(await record({ waiting: 4, meanThinkMs: 0.5, poolSize: 2, socketOf: ownSockets })).toMatchObject({
        callers: 4,
        callersShare: 1,
        doubt: null,
      });
    });
  });

  describe('arrivals are recognised', () => {
    test('on sockets of their own', async () => {
      expect(await record({ arriving: 20, socketOf: newSockets })).toMatchObject({ aloneShare: 1, doubt: null });
    });

    test('on shared sockets', async () => {
      expect(await record({ arriving: 10, poolSize: 2, socketOf: () => sharedSockets() })).toMatchObject({
        aloneShare: 1,
        doubt: null,
      });
    });

    test.each([
      ['few requests on each', 9.5],
      ['more sockets than are compared', 8],
    ])('on shared sockets of a client that is answered too late, with %s', async (_, arriving) => {
      expect(await record({ arriving, poolSize: 1, socketOf: () => sharedSockets() })).toMatchObject({
        aloneShare: 1,
        doubt: null,
      });
    });
  });

  test('sockets that are opened all the time leave both answers: users who soon leave, or more than the pool serves', async () => {
    const facts = await record({ arriving: 5, poolSize: 1, socketOf: () => lateSockets(createRandom(1)) });
    expect(facts).toMatchObject({ isUnclear: true, doubt: 'sharedSockets' });
    expect(facts.aloneShare).toBeGreaterThan(0.9);
  });

  test('few requests on shared sockets leave both answers', async () => {
    expect(await record({ arriving: 200, untilMs: 40_000, socketOf: () => sharedSockets() })).toMatchObject({
      aloneShare: 1,
      doubt: 'sharedSockets',
    });
  });
});

describe('a slice of a trace', () => {
  /** @param {number} count of checkouts @param {number} routes */
  const recordRoutes = (count, routes) =>
    readTraceText(
      [
        { trace: 'mongodb-pool-lab', version: 2, maxPoolSize: 1 },
        ...Array.from({ length: count }, (_, ms) => ({
          ...{ checkOutStartedMs: ms, waitMs: 0, useMs: 0.5, route: `/${ms % routes}` },
        })),
      ]
        .map((line) => JSON.stringify(line))
        .join('\n'),
    );

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
      expect(thinned.warnings).toEqual([
        `The trace is long: ${length} of its 4000 checkouts are replayed, in 5 pieces spread over it`,
      ]);
    });

    test('never has more connections in use than the pool, across the pieces', () => {
      const { checkOutStartedMs, waitMs, useMs } = thinTrace(long, 1000);
      const uses = Array.from(checkOutStartedMs, (ms, row) => [ms + waitMs[row], ms + waitMs[row] + useMs[row]]);
      const inUse = uses.map(([atMs]) => uses.filter(([fromMs, toMs]) => fromMs <= atMs && toMs > atMs + 1e-6).length);
      expect(Math.max(...inUse)).toBe(4);
    });

    test('is shortened whether it is replayed or checked', async () => {
      const recorded = await recordRoutes(10_500, 1);
      const { trace } = pickReplayed(recorded);
      expect(Math.abs(trace.waitMs.length - 10_000)).toBeLessThan(100);
      expect(openRecording([recorded]).trace).toEqual(trace);
    });

    test('keeps the openings of its pieces, at their checkouts', () => {
      const { checkOutStartedMs, openings } = thinTrace(recordCold(), 80);
      expect(Array.from(openings?.fromMs ?? [])).toEqual(Array.from(checkOutStartedMs));
    });

    test('is the same trace if it is short', () => {
      expect(thinTrace(long, 4000)).toBe(long);
    });
  });

  test('of many routes, the rarest ones are one', async () => {
    expect(pickReplayed(await recordRoutes(55, 55)).trace.routes).toHaveLength(50);
    const trace = { ...recordMixed({ count: 6 }), routes: ['/a', '/b', '/c', '/d'], routeOf: [0, 1, 1, 2, 3, 3] };
    const folded = foldRoutes(trace, 3);
    expect(folded.routes).toEqual(['/b', '/d', '2 others']);
    expect([...Array.from(folded.routeOf)]).toEqual([2, 0, 0, 2, 1, 1]);
    expect(folded.warnings[0]).toBe('The trace has 4 routes: the 2 rarest ones are one, "2 others"');
    expect(foldRoutes(trace, 4)).toBe(trace);
  });
});
