import { describe, expect, test } from '@jest/globals';
import { createRandom } from '../../src/simulator/random.js';
import { findFollowUps } from '../../src/trace/follow-ups.js';
import { createTraceLoad } from '../../src/load/trace-load.js';
import { summariseTrace } from '../../src/trace/trace.js';
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
