import { expect, test } from '@jest/globals';
import { shareOfCpu, sharesOfSlowdown } from '../../src/calibrate/work-share.js';

test.each([
  [{ cpuMs: 28, meanMs: 32 }, 1],
  [{ cpuMs: 16, meanMs: 32 }, 0.5],
  [{ cpuMs: 40, meanMs: 32 }, 1],
  [{ cpuMs: 0.3, meanMs: 32 }, 0],
  [{ cpuMs: 0, meanMs: 0 }, 0],
])('%j is a share of %d', (alone, share) => {
  expect(shareOfCpu(alone)).toBe(share);
});

test('without processor time, the slowdown tells: work takes longer, a delay does not', () => {
  // Four queries for each core: 32 ms of work take 128 ms, 16 ms of delay and 16 ms of work take 80 ms.
  expect(sharesOfSlowdown([32, 32, 30], [128, 80, 30])).toEqual([1, 0.5, 0]);
});

test('queries that do not slow each other down count as a delay', () => {
  expect(sharesOfSlowdown([32, 30], [35, 30])).toEqual([0, 0]);
});
