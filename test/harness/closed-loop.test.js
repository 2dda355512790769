import { expect, test } from '@jest/globals';
import { runClosedLoop } from '../../src/harness/closed-loop.js';

test('as many tasks run at once as there are workers, each once, and all are counted', async () => {
  /** @type {number[]} */
  const seen = [];
  let running = 0;
  let most = 0;
  const figures = await runClosedLoop({
    workers: 3,
    total: 20,
    task: async (index, worker) => {
      expect(worker).toBeLessThan(3);
      seen.push(index);
      most = Math.max(most, ++running);
      await new Promise((resolve) => { setTimeout(resolve, 2); });
      running--;
    },
  });
  expect(most).toBe(3);
  expect(seen).toEqual([...seen.keys()]);
  expect(figures.count).toBe(20);
  expect(figures.ratePerSec).toBeCloseTo(20 / figures.tookMs * 1000);
  expect(figures.p50Ms).toBeGreaterThan(1);
  expect(figures.maxMs).toBeGreaterThanOrEqual(figures.p99Ms);
});

test('no task begins once the time is up, and those that run count', async () => {
  const figures = await runClosedLoop({
    workers: 2,
    total: 1000,
    withinMs: 30,
    task: () => new Promise((resolve) => { setTimeout(resolve, 20); }),
  });
  expect(figures.count).toBeGreaterThanOrEqual(2);
  expect(figures.count).toBeLessThanOrEqual(4);
  expect(figures.ratePerSec).toBeCloseTo(figures.count / figures.tookMs * 1000);
  expect(figures.maxMs).toBeGreaterThan(15);
});

test('a task that fails ends the loop with its error, after those that run', async () => {
  let finished = 0;
  await expect(runClosedLoop({
    workers: 2,
    total: 100,
    task: async (index) => {
      if (index === 1) throw new Error('one failed');
      await new Promise(setImmediate);
      finished++;
    },
  })).rejects.toThrow('one failed');
  expect(finished).toBe(1);
});

test('no task begins after an abort', async () => {
  const controller = new AbortController();
  let begun = 0;
  await expect(runClosedLoop({
    workers: 1,
    total: 100,
    signal: controller.signal,
    task: async () => {
      begun++;
      controller.abort(new Error('enough'));
    },
  })).rejects.toThrow('enough');
  expect(begun).toBe(1);
});
