import { describe, expect, test } from '@jest/globals';
import { createRandom } from '../../src/simulator/random.js';
import { findFollowUps } from '../../src/trace/follow-ups.js';
import { createTraceLoad } from '../../src/load/trace-load.js';
import { checkClosed, checkOpen, CLOSED, OPEN } from './follow-up-cases.js';
import { callers, GAPS, run, TIMES, toTrace, visitors } from './traces.js';

const COUNT = 1000;

describe('requests that arrive on their own are replayed as they came', () => {
  // follow-ups.long.test.js has the others.
  test.each(OPEN.filter(({ service, utilisation }) => service === 'exponential' && utilisation === 0.97))(
    '$gap, $service times, utilisation $utilisation',
    checkOpen,
  );

  test('slow ones among many fast ones', () => {
    const random = createRandom(1);
    const arrivals = Array.from({ length: 1200 }, (_, index) => ({
      atMs: index * 50 + 30 * random.uniform(),
      route: index % 20 === 0 ? '/slow' : '/fast',
      serviceMs: (index % 20 === 0 ? 500 : 2) * (1 + 0.2 * random.exponential()),
    }));
    expect(createTraceLoad(toTrace(run(arrivals, 8), 8)).callers).toMatchObject({ aloneShare: 1, doubt: 'noSockets' });
  });
});

test.each(CLOSED.filter(({ poolSize }) => poolSize === 4).slice(1, 2))(
  'callers who wait for their answers: $name, recorded at $poolSize',
  checkClosed,
);

test('evenly spaced arrivals and callers with equal queries look alike if nobody waits: there are two answers', () => {
  for (const arrivals of [
    visitors({ count: COUNT, gap: (random) => GAPS.uniform(20, random), service: TIMES.fixed(50) }),
    callers({ count: 1, untilMs: 80_000, service: TIMES.fixed(50), think: TIMES.fixed(5) }),
  ]) {
    const { arrivals: replay, callers: facts, otherwise } = createTraceLoad(toTrace(run(arrivals, 4), 4));
    expect(facts).toMatchObject({ aloneShare: 1, isUnclear: true });
    expect([...replay(1, 1)].every(({ requests }) => requests === undefined)).toBe(true);
    expect(otherwise?.callers.callersShare).toBeGreaterThan(0.9);
  }
});

test('evenly spaced requests of two routes get an answer, even where every start seems to follow something', () => {
  for (let seed = 1; seed <= 15; seed++) {
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

  test('follow each other for certain, unless they overlap', () => {
    const { likely, possible, isSameRequest } = findFollowUps(trace);
    expect([...likely]).toEqual([-1, -1, 0, -1, -1]);
    expect(isSameRequest).toEqual([false, false, true, false, false]);
    expect(possible).toBeNull();
  });

  test('have their overhead once', () => {
    const overheads = run(createTraceLoad(trace).arrivals(1, 1), 1).map(
      ({ arrivedAtMs, startedAtMs, finishedAtMs, waitMs }) => [arrivedAtMs, startedAtMs, finishedAtMs, waitMs],
    );
    expect(overheads).toHaveLength(5);
    expect(createTraceLoad(trace).callers).toMatchObject({ visits: 1, visitsShare: 0.4, aloneShare: 0.6, thinkMs: 1 });
  });
});
