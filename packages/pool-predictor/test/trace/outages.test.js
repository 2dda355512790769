import { describe, expect, test } from '@jest/globals';
import { RECORDED_SEED, createTraceLoad } from '../../src/load/trace-load.js';
import { simulateHere } from '../../src/runs/simulation-runs.js';
import { nameClient, namePool, pickPool } from '../../src/trace/pick-pool.js';
import { readTraceText } from '../../src/reading/read-trace.js';

/**
 * Two connections are open from the start. The pool is cleared at 100 ms and ready again at 600.
 *
 * @param {object[]} lines
 * @param {object[]} [events]
 */
function traceOf(
  lines,
  events = [
    { event: 'poolCleared', atMs: 100, pool: 0 },
    { event: 'connectionReady', atMs: 610, pool: 0, connection: 3, durationMs: 10 },
  ],
) {
  const options = { maxPoolSize: { value: 2, from: 'code' } };
  const all = [
    { trace: 'mongodb-pool-lab', version: 3, resolutionMs: 0.001 },
    ...[0, 1].map((id) => ({ define: 'pool', id, name: 'shop', address: `db${id}:27017`, options })),
    { define: 'route', id: 0, name: '/a' },
    ...['find a', 'find b'].map((name, id) => ({ define: 'operation', id, name })),
    ...lines,
    ...events,
    { end: 'closed' },
  ];
  return readTraceText(all.map((line) => JSON.stringify(line)).join('\n'));
}

/** @param {number} request @param {number} atMs @param {number} waitMs @param {object} [more] */
const checkout = (request, atMs, waitMs, more) => ({ atMs, waitMs, pool: 0, route: 0, operation: 0, request, ...more });
/** @param {number} request @param {number} atMs @param {number} durationMs */
const answer = (request, atMs, durationMs) => ({ request, route: 0, atMs, durationMs, status: 200, socket: request });
const FAILED = { outcome: 'operationFailed' };
const REFUSED = { outcome: 'checkOutFailed', reason: 'connectionError' };

/** Two have the connections at the clear, one waits, one comes later. */
const RESTART = [
  checkout(1, 0, 0, { useMs: 50, connection: 1 }),
  checkout(2, 60, 0, { useMs: 41, connection: 1, ...FAILED }),
  checkout(3, 70, 0, { useMs: 31, connection: 2, ...FAILED }),
  checkout(4, 80, 21, REFUSED),
  checkout(4, 600, 10, { openingMs: 10, useMs: 50, connection: 3 }),
  checkout(2, 600, 10, { openingMs: 10, useMs: 50, connection: 4 }),
  checkout(3, 600.5, 59.5, { useMs: 50, connection: 3 }),
  checkout(5, 601, 59, { useMs: 50, connection: 4 }),
  checkout(6, 650, 60, { useMs: 50, connection: 3 }),
  answer(1, 0, 50),
  answer(2, 60, 600),
  answer(3, 70, 640),
  answer(4, 80, 580),
  answer(5, 300, 410),
  answer(6, 650, 110),
];

const { trace } = pickPool(await traceOf(RESTART));

describe('a recording in which the driver lost its server', () => {
  test('has each operation once, from its first attempt on, or from when it asked for a server', () => {
    expect(trace.outages).toEqual([{ atMs: 100, readyMs: 600, losesUses: true }]);
    expect(Array.from(trace.checkOutStartedMs)).toEqual([0, 60, 70, 80, 300, 650]);
    expect(Array.from(trace.waitMs)).toEqual([0, 550, 590, 530, 360, 60]);
    expect(Array.from(trace.isBehind ?? [])).toEqual([0, 1, 1, 1, 1, 0]);
  });

  test('leaves nothing out, and says what happened', () => {
    expect(trace.unservedShare).toBe(0);
    expect(trace.warnings).toEqual([
      'The driver had no server for 500 ms, 0.1 s after the first checkout, and neither has any pool that is ' +
        'simulated. The waits include that time',
    ]);
  });

  test('is replayed with its outage, to the millisecond', async () => {
    const load = createTraceLoad(trace);
    const simulateRuns = simulateHere({ load, services: load.services, keepRequests: true });
    const replay = async (/** @type {number} */ maxPoolSize) => {
      const [{ records = [] }] = await simulateRuns([{ pool: { maxPoolSize }, seed: RECORDED_SEED, factor: 1 }]);
      return records.toSorted((a, b) => a.arrivedAtMs - b.arrivedAtMs).map(({ responseMs }) => responseMs);
    };
    expect(await replay(2)).toEqual([50, 600, 640, 580, 410, 110]);
    // Three break, one more waits for the server, and their connections are opened two at a time.
    expect(await replay(4)).toEqual([50, 600, 590, 590, 370, 110]);
  });

  test('is without one where the driver never came back', async () => {
    const gone = await traceOf([checkout(1, 0, 0, { useMs: 50, connection: 1 }), checkout(2, 80, 20, REFUSED)]);
    expect(pickPool({ ...gone, events: { ...gone.events, length: 1 } }).trace.outages).toBeUndefined();
  });

  test('does not take another operation of the request for a second attempt', async () => {
    const { trace: other } = pickPool(
      await traceOf([
        checkout(1, 0, 0, { useMs: 99.5, connection: 1 }),
        checkout(1, 600, 10, { useMs: 50, connection: 3, operation: 1 }),
        answer(1, 0, 660),
      ]),
    );
    expect(Array.from(other.checkOutStartedMs)).toEqual([0, 99.5]);
    expect(Array.from(other.waitMs)).toEqual([0, 510.5]);
    expect(other.outages).toMatchObject([{ losesUses: false }]);
  });
});

describe('a recording in which the primary stepped down', () => {
  const OTHER = { pool: 1 };
  const moved = [
    checkout(1, 0, 0, { useMs: 50, connection: 1 }),
    checkout(2, 80, 0, { useMs: 5, connection: 1 }),
    checkout(2, 90, 12, { useMs: 30, connection: 1, ...OTHER }),
    checkout(3, 95, 10, { useMs: 30, connection: 2, ...OTHER }),
    answer(1, 0, 50),
    answer(2, 80, 52),
    answer(3, 95, 40),
  ];
  const opened = [{ event: 'connectionReady', atMs: 102, pool: 1, connection: 1, durationMs: 11 }];

  test('has one pool, which is cleared when the driver leaves that of the former primary', async () => {
    const { trace: joint, others } = pickPool(await traceOf(moved, opened));
    expect(others).toEqual([]);
    expect(joint.outages).toEqual([{ atMs: 80, readyMs: 90, losesUses: true }]);
    expect(Array.from(joint.checkOutStartedMs)).toEqual([0, 80, 95]);
    expect(Array.from(joint.connectionOf ?? [])).toEqual([1, 2, 3]);
  });

  test('has two where it uses both at once', async () => {
    const both = await traceOf([...moved, checkout(4, 200, 0, { useMs: 5, connection: 1 }), answer(4, 200, 6)], opened);
    const { others, trace: one } = pickPool(both);
    expect(others.map(nameClient)).toEqual(['shop']);
    expect(one.outages).toBeUndefined();
    expect([0, 1].map((row) => namePool(both, row))).toEqual(['db0:27017/shop', 'db1:27017/shop']);
    const inTurn = await traceOf(moved, opened);
    expect([0, 1].map((row) => namePool(inTurn, row))).toEqual(['shop', 'shop']);
    for (const address of ['db0:27017', 'db1:27017'])
      expect(pickPool(both, { client: `${address}/shop` }).pool.address).toBe(address);
    expect(() => pickPool(both, { client: 'db2:27017/shop' })).toThrow(
      'no checkouts of client "db2:27017/shop", but 3 of client "db0:27017/shop", 2 of client "db1:27017/shop"',
    );
  });

  test('an appName that several clients share chooses none of them', async () => {
    const lines = ['shop maxPoolSize=5', 'shop maxPoolSize=50'].flatMap((name, index) => [
      { define: 'pool', id: index + 2, name, address: 'db:27017', appName: 'shop' },
      checkout(index, 0, 0, { useMs: 5, connection: 1, pool: index + 2 }),
    ]);
    const trace = await traceOf([], lines);
    expect(pickPool(trace, { client: 'shop maxPoolSize=50' }).pool.name).toBe('shop maxPoolSize=50');
    expect(() => pickPool(trace, { client: 'shop' })).toThrow(
      'no checkouts of client "shop", but 1 of client "shop maxPoolSize=5", 1 of client "shop maxPoolSize=50"',
    );
  });
});
