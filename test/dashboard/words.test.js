import { describe, expect, test } from '@jest/globals';
import {
  describeBehind, describeLoadTest, describePool, describePrediction, describeToday, describeWaiter,
} from '../../src/dashboard/words.js';
import { createLoadTest, createPool, createWaiter } from './sample-pool.js';

describe('the pool in a sentence', () => {
  test.each([
    [{ max: 1, active: 0 }, 0, 'calm', 'The only lane is free', ''],
    [{ max: 10, active: 0 }, 0, 'calm', 'All 10 lanes are free', ''],
    [{ max: 0, active: 0 }, 0, 'calm', 'All lanes are free', ''],
    [{ max: 10, active: 3 }, 0, 'calm', '3 of 10 lanes busy', 'nobody waits'],
    [{ max: 3, active: 3 }, 0, 'calm', '3 of 3 lanes busy', 'nobody waits'],
    [{ max: 0, active: 7 }, 0, 'calm', '7 lanes busy, and no limit', 'nobody waits'],
    [{ waiting: 1, queue: [createWaiter()] }, 250, 'queue', '1 of 1 lanes busy', '1 waits, for 4.3 s'],
    [{ waiting: 3, queue: [createWaiter()] }, 200, 'queue', '1 of 1 lanes busy',
      '3 wait; the longest for 4.2 s'],
    [{ waiting: 2, queue: [] }, 200, 'queue', '1 of 1 lanes busy', '2 wait'],
  ])('%j', (pool, elapsedMs, mood, lanes, queue) => {
    expect(describePool(createPool(pool), elapsedMs)).toEqual({ mood, lanes, queue });
  });
});

describe('who waits for whom', () => {
  /** @param {(string | null)[]} routes */
  const holders = (...routes) => routes.map((route, index) => ({ requestId: `r${index}`, route }));

  test.each([
    [holders(), ''],
    [holders('/slow'), '/slow'],
    [holders('/slow', '/slow'), '2 /slow'],
    [holders('/slow', '/fast', '/slow'), '2 /slow and 1 /fast'],
    [holders(null), 'own query'],
  ])('%j', (behind, text) => {
    expect(describeBehind(behind)).toBe(text);
  });

  test('a waiting request is told with its time', () => {
    expect(describeWaiter('/fast', 4240, holders('/slow'))).toBe('/fast has waited 4.2 s behind /slow');
    expect(describeWaiter('/fast', 40, [])).toBe('/fast has waited 0.0 s');
  });
});

test('a load test is summed up, and its failure told', () => {
  const measured = {
    requests: 10, failures: 0, maxMs: 21_117,
    routes: { '/fast': { count: 5, p50Ms: 1, p95Ms: 2, maxMs: 20_071 } },
  };

  expect(describeLoadTest(createLoadTest({ state: 'done', measured })))
    .toBe('With a pool of 1, the slowest request took 21.1 s, the slowest /fast 20.1 s; no request failed.');
  const failing = { ...measured, failures: 2, routes: {} };
  expect(describeLoadTest(createLoadTest({ state: 'done', measured: failing })))
    .toBe('With a pool of 1, the slowest request took 21.1 s; 2 requests failed.');
  expect(describeLoadTest(createLoadTest({ state: 'failed', error: 'port in use' })))
    .toBe('The load test failed: port in use');
});

describe('a prediction', () => {
  test('is told with what it is to be held against', () => {
    expect(plain(describePrediction(6, { '/fast': 2, '/slow': 5012 })))
      .toBe('With 6 connections: /fast p95 2 ms, /slow p95 5.0 s.');
    expect(plain(describePrediction(1, { '/fast': 4200 }))).toBe('With 1 connection: /fast p95 4.2 s.');
    expect(plain(describeToday(1, { '/fast': 4200, '/slow': 9100 })))
      .toBe('Measured today, with 1: /fast 4.2 s, /slow 9.1 s.');
  });

  test('has nothing to be held against without a measurement', () => {
    expect(plain(describeToday(6, {}))).toBe('Today, with 6: nothing measured yet.');
    expect(plain(describeToday(0, {}))).toBe('Today, without a limit: nothing measured yet.');
  });

  test('never parts a number from its unit', () => {
    expect(describeToday(1, { '/fast': 4200 })).toContain('/fast\u00a04.2\u00a0s');
  });

  /** @param {string} text */
  const plain = (text) => text.replaceAll('\u00a0', ' ');
});
