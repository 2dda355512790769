import { describe, expect, test } from '@jest/globals';
import { pickPool } from '../../src/trace/pick-pool.js';
import { readTraceText } from '../../src/trace/read-trace.js';

const DEFINITIONS = [
  { trace: 'mongodb-pool-lab', version: 3, pool: { requestTimeoutMs: 9 } },
  { define: 'process', id: 0, pid: 10 },
  { define: 'process', id: 1, pid: 11 },
  {
    define: 'pool',
    id: 0,
    name: null,
    appName: 'shop',
    options: { maxPoolSize: { value: 4, from: 'uri' }, maxConnecting: { value: 3 } },
  },
  { define: 'pool', id: 1, name: 'reports', options: { maxPoolSize: { value: 2, from: 'code' } } },
  { define: 'pool', id: 2, process: 1, name: null, options: { maxPoolSize: { value: 0, from: 'code' } } },
  { define: 'pool', id: 3, process: 1, name: 'idle' },
  { define: 'route', id: 0, name: '/a' },
  { define: 'route', id: 1, name: '/b' },
];
const USES = [
  { atMs: 100, waitMs: 0, useMs: 1, pool: 0, connection: 5, route: 0, request: 1 },
  { atMs: 101, waitMs: 0, useMs: 2, pool: 0, route: 0 },
  { atMs: 103, waitMs: 9, useMs: 3, pool: 0, route: 0 },
  { atMs: 105, waitMs: 0, useMs: 4, pool: 1, route: 1 },
  { atMs: 106, waitMs: 0, useMs: 5, pool: 1, outcome: 'operationFailed' },
  { atMs: 107, waitMs: 5, pool: 1, outcome: 'checkOutAborted' },
  { atMs: 108, waitMs: 0, useMs: 7, pool: 2, route: 1 },
  { atMs: 109, waitMs: 0, useMs: 8, pool: 2, route: 1 },
];
/** @param {object[]} [lines] */
const read = (lines = []) =>
  readTraceText([...DEFINITIONS, ...USES, ...lines].map((line) => JSON.stringify(line)).join('\n'));

describe('the pool that is predicted', () => {
  test('is the one with the most checkouts', async () => {
    const { trace, pool, process, others } = pickPool(await read());
    expect({ pool, process }).toMatchObject({ pool: { name: null, appName: 'shop' }, process: { pid: 10 } });
    expect(others.map(({ name, process: row }) => [name, row])).toEqual([
      ['reports', 0],
      [null, 1],
    ]);
    expect(trace).toMatchObject({
      header: { maxPoolSize: 4, pool: { requestTimeoutMs: 9 } },
      routes: ['/a'],
      warnings: [],
      resolutionMs: 1,
    });
    expect([trace.checkOutStartedMs, trace.useMs, trace.routeOf].map((column) => [...Array.from(column)])).toEqual([
      [0, 1, 3],
      [1, 2, 3],
      [0, 0, 0],
    ]);
    expect([[...Array.from(trace.connectionOf ?? [])], [...Array.from(trace.requestOf ?? [])]]).toEqual([
      [5, 0, 0],
      [0, -1, -1],
    ]);
  });

  test('knows what its checkouts waited for', async () => {
    const opened = { atMs: 104, waitMs: 6, openingMs: 5, useMs: 1, pool: 0 };
    const behind = { atMs: 105, waitMs: 6, useMs: 1, pool: 0, behind: [[0, -1, 1, 2]] };
    const { trace } = pickPool(await read([opened, behind, { ...opened, pool: 1 }]));
    expect([...Array.from(trace.openingMs ?? [])]).toEqual([0, 0, 0, 5, 0]);
    expect([...Array.from(trace.isBehind ?? [])]).toEqual([0, 0, 0, 0, 1]);
  });

  test('knows which of its connections were opened, and how many were open before', async () => {
    const { trace } = pickPool(
      await read([
        { event: 'connectionReady', atMs: 99, pool: 0, connection: 4, durationMs: 8 },
        { event: 'connectionReady', atMs: 120, pool: 0, connection: 6, durationMs: 7 },
        { event: 'connectionReady', atMs: 110, pool: 0, connection: 7, durationMs: 9 },
        { event: 'connectionReady', atMs: 111, pool: 1, connection: 1, durationMs: 5 },
        { event: 'connectionClosed', atMs: 112, pool: 0, connection: 4, reason: 'idle' },
        { atMs: 113, waitMs: 7, openingMs: 7, useMs: 1, pool: 0, connection: 6 },
      ]),
    );
    // Numbers 4 and 5 were open: one was closed later, the other one used.
    expect(trace.openings).toEqual({
      openAtStart: 2,
      fromMs: Float64Array.of(1, 13),
      durationsMs: Float64Array.of(9, 7),
      settings: { maxConnecting: 3 },
    });
  });

  test('is the only one where checkouts waited for others, however few', async () => {
    const waited = { atMs: 110, waitMs: 2, useMs: 1, pool: 1, route: 1, behind: [[1, -1, -1]] };
    const { pool, trace } = pickPool(await read([waited]));
    expect(pool.name).toBe('reports');
    expect(trace.header.maxPoolSize).toBe(2);
    expect(trace.routes).toEqual(['/b']);
    expect(trace.checkOutStartedMs[1]).toBe(5);
    expect(trace.requestOf).toBeUndefined();
    expect(trace.warnings).toEqual([
      '1 checkout got no connection and is left out: its service time is unknown',
      '1 checkout had a failed operation and is left out: its service time is unknown',
    ]);
    const both = { ...waited, pool: 0, atMs: 111 };
    expect(pickPool(await read([waited, both])).pool.name).toBe(null);
  });

  test.each([
    [{ client: 'reports' }, 'reports', 10],
    [{ client: 'shop' }, null, 10],
    [{ client: 'client 1', process: '11' }, null, 11],
    [{ process: '11' }, null, 11],
  ])('is that of %j', async (choice, name, pid) => {
    const picked = pickPool(await read(), choice);
    expect([picked.pool.name, picked.process.pid]).toEqual([name, pid]);
  });

  test.each([
    [{ client: 'nobody' }, 'client "nobody"'],
    [{ process: '5' }, 'process 5'],
    [{ client: 'idle', process: '11' }, 'client "idle" in process 11'],
  ])('is none of %j: the error says what there is', async (choice, words) => {
    const trace = await read();
    expect(() => pickPool(trace, choice)).toThrow(
      `The trace has no checkouts of ${words}, but 3 of client "client 1" in process 10, 1 of client "reports" in process 10, ` +
        '2 of client "client 1" in process 11',
    );
  });
});
