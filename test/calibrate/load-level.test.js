import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from '@jest/globals';
import { measureLevel, workRate, workRatesOfHalves } from '../../src/calibrate/load-level.js';

const { signal } = new AbortController();

describe('the rate of work', () => {
  const run = (/** @type {number} */ startedAtMs, /** @type {number} */ endedAtMs) => ({ route: '/a', startedAtMs, endedAtMs });
  const level = { callers: 2, clientCores: 0, fromMs: 100, untilMs: 200, runs: [run(50, 150), run(100, 200), run(190, 230), run(0, 99)] };

  test('counts each query by the part of it within the time', () => {
    // Half of the first, all of the second, a quarter of the third.
    expect(workRate(level, { '/a': 40 })).toBeCloseTo((0.5 + 1 + 0.25) * 40 / 100);
  });

  test('is that of both halves together', () => {
    const [first, second] = workRatesOfHalves(level, { '/a': 40 });
    expect((first + second) / 2).toBeCloseTo(workRate(level, { '/a': 40 }));
  });
});

test('callers run the queries in turns, and start none after the time', async () => {
  let atOnce = 0;
  let most = 0;
  const run = async () => {
    most = Math.max(most, ++atOnce);
    await sleep(5);
    atOnce -= 1;
  };
  const level = await measureLevel([{ route: '/a', run }, { route: '/b', run }], { callers: 3, forMs: 100, signal });
  expect(most).toBe(3);
  const [a, b] = ['/a', '/b'].map((route) => level.runs.filter((one) => one.route === route).length);
  expect(Math.abs(a - b)).toBeLessThanOrEqual(1);
  expect(Math.max(...level.runs.map(({ startedAtMs }) => startedAtMs))).toBeLessThan(level.untilMs + 100);
  expect(level.fromMs).toBeLessThan(level.untilMs);
});

test('a query that fails ends the level', async () => {
  const run = async () => {
    throw new Error('refused');
  };
  await expect(measureLevel([{ route: '/a', run }], { callers: 2, forMs: 10_000, signal })).rejects.toThrow('refused');
});
