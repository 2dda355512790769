import { expect, test } from '@jest/globals';
import { readTrace } from '../../src/node/input-files.js';
import { nameClient, pickPool } from '../../src/trace/pick-pool.js';
import { EVENTS, OUTCOMES } from '../../src/trace/recorded-trace.js';

/** @import { RecordedTrace } from '../../src/trace/recorded-trace.js' */

/** Traces as this and earlier releases wrote them. They must stay readable. @param {number} version */
const read = (version) => readTrace(new URL(`golden/version-${version}.jsonl`, import.meta.url).pathname);

/** A checkout in words. @param {RecordedTrace} trace @param {number} row */
function describeRow({ checkouts, pools, processes, routes, operations, behind, reasons }, row) {
  const { poolOf, outcomeOf, routeOf, operationOf, reasonOf, behindFrom, behindCount } = checkouts;
  const pool = pools[poolOf[row]];
  const from = behindFrom[row];
  return {
    pool: `${processes[pool.process].pid} ${nameClient(pool)}`,
    route: routes[routeOf[row]],
    operation: operations[operationOf[row]]?.name,
    outcome: OUTCOMES[outcomeOf[row]],
    reason: reasons[reasonOf[row]],
    behind: Array.from({ length: behindCount[row] }, (_, index) => routes[behind.routeOf[from + index]]),
  };
}

test('version 3 has all that the monitor knows', async () => {
  const trace = await read(3);
  const { checkouts, requests, events, seconds, pools, behind } = trace;
  expect(trace).toMatchObject({ version: 3, resolutionMs: 0.001, missing: [], warnings: [] });
  expect(trace.processes).toMatchObject([
    { pid: 18377, attached: true },
    { pid: 18376, attached: true },
  ]);
  expect(pools.map(({ process, maxPoolSize }) => [process, maxPoolSize])).toEqual(
    [0, 1].flatMap((process) => [4, 2, 1, 4].map((size) => [process, size])),
  );
  expect(checkouts).toHaveLength(21);
  expect(checkouts.startedMs[0]).toBe(0);
  const rowAt = (/** @type {number} */ atMs) =>
    checkouts.startedMs.findIndex((ms) => Math.abs(ms - 215.32 - atMs) < 1e-6);
  expect(describeRow(trace, rowAt(76.603))).toEqual({
    pool: '18376 audit',
    route: '/report',
    operation: 'insert log',
    outcome: 'checkOutFailed',
    reason: 'timeout',
    behind: ['/report'],
  });
  expect([checkouts.waitMs[rowAt(76.603)], checkouts.useMs[rowAt(76.603)]]).toEqual([42.583, NaN]);
  const waited = rowAt(187.967);
  expect(describeRow(trace, waited)).toMatchObject({ pool: '18376 reports', behind: ['/report', '/report'] });
  const holders = behind.requestOf.subarray(checkouts.behindFrom[waited], checkouts.behindFrom[waited] + 2);
  expect(new Set(holders).size).toBe(2);
  const fresh = rowAt(425.777);
  expect(describeRow(trace, fresh)).toMatchObject({ pool: '18376 brief', route: '/brief', operation: 'find articles' });
  expect([checkouts.isFresh[fresh], checkouts.openingMs[fresh], checkouts.connectionOf[fresh]]).toEqual([1, 10.987, 2]);
  expect(trace.operations.map(({ kind }) => kind)).toEqual([null, null, 'changeStream']);
  // A checkout and the line of its request have one row.
  const request = checkouts.requestOf[rowAt(31.114)];
  expect([requests.durationMs[request], requests.statusOf[request], requests.socketOf[request]]).toEqual([
    53.414, 200, 6,
  ]);
  expect(requests.startedMs[request]).toBeCloseTo(29.388 + 215.32, 6);
  expect(Array.from(events.kindOf, (kind) => EVENTS[kind])).toEqual([
    'connectionReady',
    'connectionClosed',
    'connectionReady',
    'connectionClosed',
    'poolCleared',
  ]);
  expect(Array.from(events.reasonOf, (row) => trace.reasons[row])).toEqual([
    undefined,
    'idle',
    undefined,
    'idle',
    'MongoNetworkError: connect ECONNREFUSED 127.0.0.1:28741',
  ]);
  expect(seconds.loop.map(({ process, maxMs }) => [process, maxMs])).toEqual([
    [0, 24.368],
    [1, 43.57],
    [0, 22.107],
  ]);
  expect(seconds.server).toMatchObject([
    { process: 0, busyCores: 0.323, ticketsTotal: 256 },
    { process: 1, busyCores: 0.333 },
  ]);
});

test('version 2 has one pool, and says what it lacks', async () => {
  const trace = await read(2);
  expect(trace).toMatchObject({
    version: 2,
    pools: [{ process: 0, maxPoolSize: 10 }],
    header: { pool: { requestTimeoutMs: 150_000 }, overhead: { kind: 'sample' } },
    server: { cores: 2, busyCores: 1.8 },
    resolutionMs: 0.01,
  });
  expect(trace.missing).toContain('which operation it was for');
  expect(trace.warnings).toEqual([
    expect.stringMatching(/version-2\.jsonl is incomplete: it reached its size limit$/),
    expect.stringMatching(/is incomplete: the recorded app did not answer for 1\.5 s, and 7 checkouts are missing$/),
  ]);
  expect([0, 1, 2, 3].map((row) => describeRow(trace, row))).toMatchObject([
    { route: '/fast', outcome: 'checkedIn' },
    { route: '/slow', outcome: 'checkOutFailed', reason: undefined },
    { route: '/slow', outcome: 'operationFailed' },
    { route: 'checkout', outcome: 'checkedIn' },
  ]);
  const { trace: picked } = pickPool(trace);
  expect(Array.from(picked.useMs)).toEqual([1.83, 4]);
  expect(picked.header).toBe(trace.header);
});

test('version 1 called the start of a checkout askedMs', async () => {
  const trace = await read(1);
  expect([trace.version, ...trace.checkouts.startedMs]).toEqual([1, 0, 12.5, 35.801]);
  expect(trace.missing.length).toBeGreaterThan(3);
});
