import { expect, test } from '@jest/globals';
import { simulate } from '../../src/simulator/simulate.js';
import { scenarioOf } from '../load/sample-scenarios.js';

/** @import { PipeliningPoolOptions } from '../../src/simulator/pipelining-pool.js' */

/** @param {Omit<PipeliningPoolOptions, 'kind'>} pool */
function runMixed(pool) {
  return simulate({
    workload: {
      phases: [{ durationMs: 5000, arrivalCount: 5 }],
      scenarios: [scenarioOf('/slow', '/fast')],
    },
    services: { '/slow': { kind: 'fixed', ms: 5000 }, '/fast': { kind: 'fixed', ms: 2 } },
    pool: { kind: 'pipelining', ...pool },
    keepRequests: true,
  });
}

test.each([
  [1, 21],
  [3, 9],
  [10, 5],
])('a fresh pool of %i gives the %i s of 2020', (maxPoolSize, seconds) => {
  const { maxMs } = runMixed({ maxPoolSize, warm: false, connectMs: 3 });
  expect(Math.abs(maxMs - seconds * 1000)).toBeLessThan(20);
});

test('with 3 connections, the start of its round robin decides between 7, 8 and 9 s', () => {
  const seconds = [0, 1, 2, 3].map((operationsBefore) =>
    Math.round(runMixed({ maxPoolSize: 3, warm: false, operationsBefore }).maxMs / 1000),
  );
  expect(seconds).toEqual([9, 7, 8, 9]);
});

test('a query waits behind a slow one although another connection becomes idle', () => {
  const { records = [] } = simulate({
    arrivals: [
      [0, 100],
      [0, 10],
      [1, 5],
    ].map(([atMs, serviceMs]) => ({ atMs, serviceMs, route: '/x' })),
    pool: { kind: 'pipelining', maxPoolSize: 2 },
    keepRequests: true,
  });
  expect(records.map(({ user, connection, startedAtMs }) => [user, connection, startedAtMs])).toEqual([
    [1, 1, 0],
    [0, 0, 0],
    [2, 0, 100],
  ]);
});

test('the server answers the queries of a connection in order', () => {
  const { records = [] } = runMixed({ maxPoolSize: 1 });
  expect(records.map(({ user, route }) => `${user}${route}`)).toEqual([
    '0/slow',
    '1/slow',
    '2/slow',
    '3/slow',
    '4/slow',
    '0/fast',
    '1/fast',
    '2/fast',
    '3/fast',
    '4/fast',
  ]);
});
