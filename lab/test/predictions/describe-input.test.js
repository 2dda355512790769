import { expect, test } from '@jest/globals';
import {
  describeCoverage,
  describeMissing,
  describePick,
  describePool,
  describeSharedPool,
  describeTraceQueries,
  describeTraceRoutes,
} from '../../predictions/describe-input.js';
import { describeCallers, describeDoubt, describeWorse, pickWorse } from '../../predictions/describe-callers.js';

/** @import { Advice } from 'mongodb-pool-predictor' */

test('the times cover the rest of a response only where it was measured', () => {
  expect(describeCoverage(undefined, '')).toBe(
    'The times cover only the wait for a connection and its use, not the rest of a ' +
      'response. --app or --from shows how long that takes.',
  );
  expect(describeCoverage({ kind: 'sample', valuesMs: [1, 2, 30] }, 'in result.json')).toBe(
    'The times are whole responses: the wait for a connection, its use, and the overhead, 2 ms (median of 3 in result.json).',
  );
  expect(describeCoverage({ kind: 'fixed', ms: 3 }, 'of the app')).toContain('as it is of the app');
});

const app = 'the app at http://127.0.0.1';

test('the simulated pool is named in one line', () => {
  expect(describePool({ settings: { poolSize: 10, slowPoolSize: 2, waitQueueTimeoutMs: 500 }, app })).toBe(
    'The simulated pool is that of the app at http://127.0.0.1: 10 connections, 2 more for /slow, wait-queue timeout 500 ms. ' +
      'Only the size of the main pool changes.',
  );
});

test("an advice says when it is not for the app's pool", () => {
  expect(describeSharedPool({ settings: { poolSize: 10, requestTimeoutMs: 150_000 }, app })).toBe('');
  expect(describeSharedPool({ settings: { poolSize: 10, slowConcurrency: 2 }, app })).toBe(
    'This advice assumes one pool shared by all routes, without timeouts, but the app at http://127.0.0.1 is set up ' +
      'differently: 10 connections, at most 2 requests of /slow at once.',
  );
});

test('a trace with several pools: which one it is about', () => {
  const trace = { useMs: [1, 2], header: {}, routes: [], routeOf: [], waitMs: [], checkOutStartedMs: [], warnings: [] };
  const [first, reports, second] = [{ process: 0 }, { process: 0, name: 'reports' }, { process: 1 }];
  expect(describePick({ trace, pool: first, process: {}, others: [] })).toEqual([]);
  expect(describePick({ trace, pool: reports, process: { pid: 7 }, others: [first] })).toEqual([
    'The trace has 2 pools. This is the one of client "reports", with 2 checkouts. The others are assumed to stay as ' +
      'recorded. Choose with --client.',
  ]);
  expect(describePick({ trace, pool: first, process: { pid: 7 }, others: [reports, second] })).toEqual([
    'The trace has 3 pools. This is the one of client "client 1" in process 7, with 2 checkouts. The others are assumed ' +
      'to stay as recorded. Choose with --client and --process.',
  ]);
});

test('a trace of an earlier version: what it can not tell', () => {
  expect(describeMissing({ version: 3, missing: [] })).toEqual([]);
  expect(describeMissing({ version: 2, missing: ['its pool', 'its operation', 'its caller'] })).toEqual([
    "A trace of version 2 can't tell its pool, its operation or its caller. Traces recorded with this release can.",
  ]);
});

test.each([
  [['/fast', 'GET /orders'], 1],
  [['/graphql'], 1],
  [['GET /orders', 'POST /orders', '/graphql GetUser', 'checkout'], 0],
  [[], 0],
])('a trace with the routes %j: %i notes that paths are not enough', (routes, count) => {
  expect(describeTraceRoutes(routes)).toHaveLength(count);
});

test('a trace tells how many queries a request makes, if it numbers requests', () => {
  const trace = {
    header: {},
    routes: ['/orders', '/fast'],
    routeOf: [0, 0, 0, 1, 0, 0],
    requestOf: [7, 7, 7, 8, 9, 9],
    warnings: [],
    checkOutStartedMs: [0, 1, 2, 3, 4, 5],
    waitMs: [0, 0, 0, 0, 0, 0],
    useMs: [1, 1, 1, 1, 1, 1],
  };
  expect(describeTraceQueries(trace)).toEqual([
    'Some requests make several queries: 2.5 for /orders, on average. The figures are those of whole requests.',
  ]);
  expect(describeTraceQueries({ ...trace, requestOf: [1, 2, 3, 4, 5, 6] })).toEqual([]);
  expect(describeTraceQueries({ ...trace, requestOf: undefined })).toEqual([
    'The trace does not say which queries belong to one request, so each counts as one.',
  ]);
});

const OPEN = {
  callers: 0,
  callersShare: 0,
  visits: 0,
  visitsShare: 0,
  aloneShare: 1,
  thinkMs: NaN,
  isUnclear: false,
  doubt: null,
};
const CLOSED = { ...OPEN, callers: 32, callersShare: 0.97, aloneShare: 0.03, thinkMs: 2.1 };
const adviceOf = (/** @type {Partial<Advice>} */ part) => /** @type {Advice} */ ({ verdict: 'size', ...part });

test('says what share of a trace waits for answers', () => {
  expect(describeCallers(OPEN)).toBe('No query waits for the answer to another: all arrive at the times in the trace.');
  expect(describeCallers(CLOSED)).toBe(
    'Of the trace, 97 % of the queries come from 32 callers that wait for their answers; 3 % arrive on ' +
      'their own. From an answer to the next query it takes 2.1 ms (median).',
  );
  expect(describeCallers({ ...OPEN, visits: 1, visitsShare: 0.999, aloneShare: 0.001, thinkMs: 50 })).toMatch(
    /^Of the trace, 99 % come in one chain, each query after the one before it; under 1 % arrive on their own\./,
  );
});

test("where it can't tell, no sentence denies another", () => {
  expect(describeCallers({ ...OPEN, isUnclear: true })).toBe('First, all queries arrive at the times in the trace.');
  expect(describeDoubt({ ...CLOSED, isUnclear: true, doubt: 'noSockets' })).toMatch(
    /^The trace has no sockets .* can't tell whether .* as above, or .* as below\. Of the trace, 97 %/,
  );
});

test('of two pieces of advice the worse one counts', () => {
  const [small, large, none] = [
    adviceOf({ poolSize: 3 }),
    adviceOf({ poolSize: 9 }),
    adviceOf({ verdict: 'nothing', poolSize: null }),
  ];
  expect(pickWorse(small, large)).toBe(large);
  expect(pickWorse(large, small)).toBe(large);
  expect(pickWorse(none, large)).toBe(none);
  const unheard = adviceOf({ verdict: 'belowNoise', poolSize: null });
  expect(pickWorse(large, unheard)).toBe(unheard);
  expect(describeWorse(CLOSED, large, unheard)).toContain('The first gives 9, the second "below the noise"');
  expect(describeWorse(CLOSED, small, none)).toMatch(
    /The first gives 3, the second "no size": this advice is the worse of the two\.$/,
  );
});
