import { describe, expect, test } from '@jest/globals';
import { simulate } from '../../src/simulator/simulate.js';

/** @import { DriverPoolOptions } from '../../src/simulator/driver-pool.js' */

/**
 * One request for each pair, in the order of arrival.
 *
 * @param {DriverPoolOptions} pool
 * @param {[atMs: number, serviceMs: number][]} requests
 */
function serve(pool, requests) {
  const run = simulate({
    arrivals: requests.map(([atMs, serviceMs]) => ({ atMs, serviceMs, route: '/x' })),
    pool,
    keepRequests: true,
  });
  const records = (run.records ?? []).toSorted((a, b) => a.user - b.user);
  return { ...run, records, starts: records.map(({ startedAtMs }) => startedAtMs) };
}

describe('a warm pool', () => {
  test('hands out the connection that was checked in last', () => {
    const { records } = serve({ maxPoolSize: 3 }, [
      [0, 10],
      [0, 30],
      [0, 20],
      [40, 100],
      [41, 1],
      [50, 1],
    ]);
    // Checked in at 10, 30 and 20 ms: connection 1 is the freshest, then 2, then 0.
    expect(records.map(({ connection }) => connection)).toEqual([0, 1, 2, 1, 2, 2]);
  });

  test('gives a checked-in connection to the longest waiter', () => {
    expect(
      serve({ maxPoolSize: 1 }, [
        [0, 10],
        [1, 10],
        [2, 10],
      ]).starts,
    ).toEqual([0, 10, 20]);
  });

  test('does not count requests that are served at once as waiting', () => {
    expect(
      serve({ maxPoolSize: 2 }, [
        [0, 10],
        [0, 10],
      ]),
    ).toMatchObject({ peakWaiting: 0, peakActive: 2 });
    expect(
      serve({ maxPoolSize: 1 }, [
        [0, 10],
        [0, 10],
        [0, 10],
      ]),
    ).toMatchObject({ peakWaiting: 2, peakActive: 1 });
  });
});

describe('a cold pool', () => {
  test('opens connections for waiters, two at a time by default', () => {
    const five = /** @type {[number, number][]} */ ([
      [0, 500],
      [0, 500],
      [0, 500],
      [0, 500],
      [0, 500],
    ]);
    const pool = { maxPoolSize: 10, warm: false, connectMs: 100 };
    expect(serve(pool, five).starts).toEqual([100, 100, 200, 200, 300]);
    expect(serve({ ...pool, maxConnecting: 5 }, five).starts).toEqual([100, 100, 100, 100, 100]);
    expect(serve({ ...pool, maxConnecting: 1 }, five).starts).toEqual([100, 200, 300, 400, 500]);
  });

  test('opens no more than maxPoolSize', () => {
    const run = serve({ maxPoolSize: 2, warm: false, connectMs: 10 }, [
      [0, 50],
      [0, 50],
      [0, 50],
    ]);
    expect(run.starts).toEqual([10, 10, 60]);
    expect(run.connections).toBe(2);
  });

  test('lets a later waiter overtake one whose connection is still pending', () => {
    // At 150 ms the second request has a connection opened; meanwhile, at 160, the third finds an idle one.
    const pool = { maxPoolSize: 2, warm: false, connectMs: 100 };
    const { starts, records } = serve(pool, [
      [0, 55],
      [150, 5],
      [160, 5],
    ]);
    expect(starts).toEqual([100, 250, 160]);
    expect(records.map(({ connection }) => connection)).toEqual([0, 1, 0]);
  });

  test('fills up to minPoolSize one connection at a time, looking again 100 ms after each', () => {
    const pool = { maxPoolSize: 5, minPoolSize: 3, warm: false, connectMs: 20 };
    expect(serve(pool, [[261, 1]]).connections).toBe(3);
    // They are open at 20, 140 and 260 ms. Whoever finds none idle has another opened, and gets that.
    expect(
      serve(pool, [
        [300, 9],
        [300, 9],
        [300, 9],
        [300, 9],
      ]).starts,
    ).toEqual([300, 300, 300, 320]);
    expect(
      serve(pool, [
        [125, 100],
        [125, 100],
        [125, 100],
      ]).starts,
    ).toEqual([125, 145, 140]);
  });

  test('opens no more than maxConnecting for minPoolSize either, and looks again 100 ms later', () => {
    const pool = { maxPoolSize: 5, minPoolSize: 3, maxConnecting: 1, warm: false, connectMs: 20 };
    // At 120 ms, the second connection is being opened, for the second request. So the third is not opened before 220.
    const requests = /** @type {[number, number][]} */ ([
      [110, 300],
      [115, 300],
    ]);
    expect(serve(pool, [...requests, [150, 9]]).starts).toEqual([110, 135, 170]);
    expect(serve(pool, [...requests, [230, 9]]).starts).toEqual([110, 135, 240]);
  });

  test('a connection opened for a request does not make it look again sooner', () => {
    const pool = { maxPoolSize: 9, minPoolSize: 4, warm: false, connectMs: 20 };
    // Two are open at 20 ms, one of them for the request. The third is open at 140, and the fourth at 260.
    const requests = /** @type {[number, number][]} */ ([
      [0, 500],
      [150, 500],
      [150, 500],
      [150, 500],
    ]);
    expect(serve(pool, requests).starts).toEqual([20, 150, 150, 170]);
  });

  test('puts a connection opened for minPoolSize behind the idle ones', () => {
    const { records } = serve({ maxPoolSize: 5, minPoolSize: 2, warm: false, connectMs: 20 }, [[200, 5]]);
    expect(records[0].connection).toBe(0);
  });
});

describe('an aborted query closes its connection', () => {
  const pool = { minPoolSize: 1, maxPoolSize: 1, connectMs: 20, requestTimeoutMs: 50 };

  test('which makes room for another one', () => {
    const { starts, connections } = serve(pool, [
      [0, 100],
      [60, 9],
    ]);
    expect([starts, connections]).toEqual([[0, 80], 1]);
  });

  test('and the pool is filled up to minPoolSize again, 100 ms later', () => {
    expect(
      serve(pool, [
        [0, 100],
        [200, 9],
      ]).starts,
    ).toEqual([0, 200]);
    expect(
      serve({ ...pool, minPoolSize: 0 }, [
        [0, 100],
        [200, 9],
      ]).starts,
    ).toEqual([0, 220]);
  });

  test('one connection at a time, however many were closed', () => {
    // Closed at 50 and 60 ms. One is open again at 170, the other at 290.
    const requests = /** @type {[number, number][]} */ ([
      [0, 100],
      [10, 100],
      [200, 30],
      [200, 30],
    ]);
    expect(serve({ ...pool, minPoolSize: 2, maxPoolSize: 2 }, requests).starts).toEqual([0, 10, 200, 220]);
  });
});

describe('waitQueueTimeoutMS', () => {
  test('fails a request that waited too long, and the next one moves up', () => {
    const run = serve({ maxPoolSize: 1, waitQueueTimeoutMS: 30 }, [
      [0, 100],
      [10, 5],
      [80, 5],
    ]);
    expect(run).toMatchObject({ failures: 1, failuresBy: { waitQueueTimeout: 1, clientTimeout: 0 } });
    expect(run.records[1]).toMatchObject({ outcome: 'waitQueueTimeout', finishedAtMs: 40, connection: -1 });
    expect(run.records[2]).toMatchObject({ outcome: 'ok', startedAtMs: 100 });
  });

  test('does not fail a waiter whose connection comes just in time', () => {
    expect(
      serve({ maxPoolSize: 1, waitQueueTimeoutMS: 30 }, [
        [0, 40],
        [10, 5],
      ]).failures,
    ).toBe(0);
  });

  test('keeps the connection that was opened for a waiter who gave up', () => {
    const pool = { maxPoolSize: 1, warm: false, connectMs: 100, waitQueueTimeoutMS: 50 };
    const run = serve(pool, [
      [0, 5],
      [200, 5],
    ]);
    expect(run.records.map(({ outcome }) => outcome)).toEqual(['waitQueueTimeout', 'ok']);
    expect(run.starts[1]).toBe(200);
  });

  test('applies to each request: the user goes on to its next one', () => {
    const run = simulate({
      workload: {
        phases: [],
        scenarios: [
          { name: 'long', steps: [{ kind: 'request', route: '/slow' }] },
          {
            name: 'two',
            steps: [
              { kind: 'request', route: '/fast' },
              { kind: 'request', route: '/fast' },
            ],
          },
        ],
      },
      arrivals: [
        { atMs: 0, scenario: 'long' },
        { atMs: 10, scenario: 'two' },
      ],
      services: { '/slow': { kind: 'fixed', ms: 50 }, '/fast': { kind: 'fixed', ms: 1 } },
      pool: { maxPoolSize: 1, waitQueueTimeoutMS: 30 },
      keepRequests: true,
    });
    expect(run.records?.map(({ outcome, finishedAtMs }) => [outcome, finishedAtMs])).toEqual([
      ['waitQueueTimeout', 40],
      ['ok', 50],
      ['ok', 51],
    ]);
  });
});

test('a pool begins with the connections that are open, and opens each other one in its own time', () => {
  const { records } = serve({ maxPoolSize: 4, maxConnecting: 4, warm: 1, connectMs: [30, 10] }, [
    [0, 100],
    [1, 100],
    [2, 100],
    [3, 100],
  ]);
  expect(records.map(({ waitMs }) => waitMs)).toEqual([0, 30, 10, 30]);
});

test('connections idle for too long are closed at a check, those of minPoolSize too, and opened one by one', () => {
  const waitsMs = (/** @type {number} */ minPoolSize) =>
    serve({ maxPoolSize: 2, minPoolSize, connectMs: 30, maxIdleTimeMS: 50 }, [
      [0, 10],
      [0, 10],
      // Both have been idle for 50 ms, but not for longer.
      [60, 5],
      [61, 50],
      // At 200 ms both are closed. One is open again at 230 ms, if there has to be one.
      [240, 5],
    ]).records.map(({ waitMs }) => waitMs);
  expect(waitsMs(0)).toEqual([0, 0, 0, 30, 30]);
  expect(waitsMs(1)).toEqual([0, 0, 0, 30, 0]);
});

test('timeoutMS ends operations, also those that have a connection, and replaces waitQueueTimeoutMS', () => {
  const run = serve({ maxPoolSize: 1, connectMs: 50, timeoutMS: 30, waitQueueTimeoutMS: 5 }, [
    [0, 20],
    [10, 50],
    [11, 5],
    [12, 50],
    [70, 5],
  ]);
  // The second one got its connection at 20 ms. The driver closes that, and opens another one until 90 ms.
  expect(run.records.map(({ outcome, finishedAtMs }) => [outcome, finishedAtMs])).toEqual([
    ['ok', 20],
    ['operationTimeout', 40],
    ['waitQueueTimeout', 41],
    ['waitQueueTimeout', 42],
    ['ok', 95],
  ]);
  expect(run.failuresBy).toMatchObject({ operationTimeout: 1, waitQueueTimeout: 2 });
});

test.each([
  [{ maxPoolSize: 0 }, 'maxPoolSize must be a whole number of at least 1, not 0'],
  [{ maxPoolSize: 2.5 }, 'maxPoolSize must be a whole number of at least 1, not 2.5'],
  [{ maxPoolSize: 2, minPoolSize: 3 }, 'minPoolSize must be a whole number from 0 to 2, not 3'],
  [{ maxPoolSize: 2, maxConnecting: 0 }, 'maxConnecting must be a whole number of at least 1, not 0'],
  [{ maxPoolSize: 2, waitQueueTimeoutMS: -1 }, 'waitQueueTimeoutMS must be at least 0 (no timeout), not -1'],
  [{ maxPoolSize: 2, timeoutMS: -1 }, 'timeoutMS must be at least 0 (no timeout), not -1'],
  [{ maxPoolSize: 2, connectMs: NaN }, 'connectMs must be at least 0, not NaN'],
  [{ maxPoolSize: 2, connectMs: [1, -1] }, 'connectMs must be at least 0, not -1'],
  [{ maxPoolSize: 2, maxIdleTimeMS: -1 }, 'maxIdleTimeMS must be at least 0 (never closed), not -1'],
])('a pool of %j is refused: %s', (pool, message) => {
  expect(() => serve(pool, [[0, 1]])).toThrow(new Error(message));
});
