import { describe, expect, test } from '@jest/globals';
import { createArrivals } from '../../src/simulator/arrivals.js';

/** @import { Phase } from '../../src/simulator/arrivals.js' */

/** @param {Phase[]} phases @param {number} [workers] */
function arrive(phases, workers) {
  return [...createArrivals(phases, { workers })];
}

/** @param {Phase[]} phases @param {number} [workers] */
function times(phases, workers) {
  return arrive(phases, workers).map(({ atMs }) => atMs);
}

/** @param {number[]} all */
function perSecond(all) {
  const counts = new Array(Math.ceil((all.at(-1) ?? 0) / 1000)).fill(0);
  for (const atMs of all) counts[Math.ceil(atMs / 1000) - 1]++;
  return counts;
}

describe("arrivals come as Artillery's do", () => {
  test('arrivalCount: evenly, the first after one interval', () => {
    expect(times([{ durationMs: 5000, arrivalCount: 5 }])).toEqual([1000, 2000, 3000, 4000, 5000]);
  });

  test('arrivalRate: evenly, in whole microseconds', () => {
    expect(times([{ durationMs: 1000, arrivalRate: 4 }])).toEqual([250, 500, 750, 1000]);
    expect(times([{ durationMs: 1000, arrivalRate: 3 }])).toEqual([333.333, 666.666, 999.999]);
    // 333 us a user instead of 333.3: a thousand microseconds are left for three more.
    expect(times([{ durationMs: 1000, arrivalRate: 3000 }])).toHaveLength(3003);
  });

  test('phases follow each other; one ends with its last arrival, a pause after its time', () => {
    expect(
      times([{ durationMs: 1000, arrivalRate: 3 }, { pauseMs: 500 }, { durationMs: 1000, arrivalCount: 1 }]),
    ).toEqual([333.333, 666.666, 999.999, 2499.999]);
  });

  test('rampTo: by equal steps from second to second, rounded, in whole milliseconds', () => {
    const ramp = times([{ durationMs: 4000, arrivalRate: 1, rampTo: 10 }]);
    expect(perSecond(ramp)).toEqual([1, 4, 7, 10]);
    expect(ramp.slice(5, 8)).toEqual([2142, 2284, 2426]);
    expect(perSecond(times([{ durationMs: 3000, arrivalRate: 1, rampTo: 10 }]))).toEqual([1, 6, 10]);
  });

  test('rampTo within a single second: the mean of both rates, a millisecond apart', () => {
    expect(times([{ durationMs: 1000, arrivalRate: 0, rampTo: 8 }])).toEqual([1, 2, 3, 4]);
  });

  test('poisson: on average the arrival rate, with exponential gaps', () => {
    const all = times([{ durationMs: 1_000_000, arrivalRate: 20, mode: 'poisson' }]);
    expect(Math.abs(all.length - 20_000)).toBeLessThan(4 * Math.sqrt(20_000));
    const gaps = all.slice(1).map((atMs, i) => atMs - all[i]);
    const share = gaps.filter((gap) => gap > 50).length / gaps.length;
    expect(Math.abs(share - Math.exp(-1))).toBeLessThan(0.015);
  });

  test('several workers: each has its share of a rate and its own clock, the first all of a count', () => {
    expect(times([{ durationMs: 1000, arrivalRate: 4 }], 2)).toEqual([500, 500, 1000, 1000]);
    expect(arrive([{ durationMs: 1000, arrivalRate: 2 }], 3).map(({ worker }) => worker)).toEqual([0, 1]);
    expect(arrive([{ durationMs: 1000, arrivalCount: 3 }], 2).map(({ worker }) => worker)).toEqual([0, 0, 0]);
    expect(
      times(
        [
          { durationMs: 1000, arrivalCount: 1 },
          { durationMs: 1000, arrivalRate: 2 },
        ],
        2,
      ),
    ).toEqual([1000, 2000, 2000]);
  });

  test('several workers share maxVusers, but not for a count', () => {
    const vusers = (/** @type {Phase} */ phase) => arrive([phase], 2).map(({ maxVusers }) => maxVusers);
    expect(vusers({ durationMs: 1000, arrivalRate: 2, maxVusers: 5 })).toEqual([3, 2]);
    expect(vusers({ durationMs: 1000, arrivalRate: 1, maxVusers: 5 })).toEqual([5]);
    expect(vusers({ durationMs: 1000, arrivalCount: 2, maxVusers: 5 })).toEqual([5, 5]);
  });

  test('are in order of time, whatever the workers and phases', () => {
    for (const workers of [1, 2, 3, 7]) {
      const all = times(
        [
          { durationMs: 3000, arrivalRate: 1, rampTo: 2500 },
          { durationMs: 2000, arrivalRate: 50, mode: 'poisson' },
          { durationMs: 2000, arrivalRate: 11 },
        ],
        workers,
      );
      expect(all).toEqual(all.toSorted((a, b) => a - b));
    }
  });
});
