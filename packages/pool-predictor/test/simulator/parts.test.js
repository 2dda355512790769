import { describe, expect, test } from '@jest/globals';
import { createArrivals } from '../../src/simulator/arrivals.js';
import { createEventHeap } from '../../src/simulator/event-heap.js';
import { createRandom } from '../../src/simulator/random.js';
import { createLatencyHistogram } from '../../src/simulator/latency-histogram.js';
import { createServiceTime, meanServiceMs, resample } from '../../src/simulator/service-time.js';
import { findTail, resampleTail } from '../../src/simulator/tail.js';

/** @import { Phase } from '../../src/simulator/arrivals.js' */
/** @import { Service } from '../../src/simulator/service-time.js' */

describe('arrivals', () => {
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
});

describe('the heap of events', () => {
  test.each([1, 2, 3])('events come by time, then in the order they were pushed (seed %i)', (seed) => {
    const random = createRandom(seed);
    const heap = createEventHeap();
    /** @type {{ atMs: number, code: number }[]} */
    const expected = [];
    /** @type {number[]} */
    const popped = [];
    for (let code = 0; code < 500; code++) {
      const atMs = Math.floor(random.uniform() * 100);
      heap.push(atMs, code);
      expected.push({ atMs, code });
      if (random.uniform() < 0.4) {
        // A stable sort and the first of it is the slow way to the same.
        expected.sort((a, b) => a.atMs - b.atMs);
        expect(heap.nextMs()).toBe(expected[0].atMs);
        popped.push(heap.pop());
        expect(popped.at(-1)).toBe(expected.shift()?.code);
      }
    }
    expected.sort((a, b) => a.atMs - b.atMs);
    expect(expected.map(() => heap.pop())).toEqual(expected.map(({ code }) => code));
    expect(heap.nextMs()).toBe(Infinity);
  });
});

describe('a latency histogram', () => {
  const random = createRandom(1);
  /** @type {Record<string, () => number>} */
  const draws = {
    exponential: () => random.exponential() * 20,
    'lognormal, heavy tail': () => Math.exp(2 * random.normal()),
    'from microseconds to days': () => 10 ** (-3 + 11 * random.uniform()),
    'two kinds of query': () => (random.uniform() < 0.95 ? 2 : 5000) * (1 + random.uniform() / 10),
  };

  test.each(Object.keys(draws))('%s: percentiles are within 0.5 % of the sorted values', (name) => {
    const values = Array.from({ length: 20_000 }, draws[name]);
    const histogram = createLatencyHistogram();
    values.forEach(histogram.record);
    values.sort((a, b) => a - b);
    for (const share of [0.001, 0.1, 0.5, 0.9, 0.95, 0.99, 0.999, 1]) {
      const exact = values[Math.ceil(share * values.length) - 1];
      expect(Math.abs(histogram.percentile(share) / exact - 1)).toBeLessThan(0.005);
    }
    expect(histogram.min()).toBe(values[0]);
    expect(histogram.max()).toBe(values[19_999]);
    expect(histogram.count()).toBe(20_000);
    expect(histogram.mean()).toBeCloseTo(values.reduce((sum, value) => sum + value) / 20_000, 6);
  });

  test('takes the nearest rank, between minimum and maximum', () => {
    const histogram = createLatencyHistogram();
    [0, 0, 0, 7].forEach(histogram.record);
    expect([0.5, 0.75, 0.76, 1].map((fraction) => histogram.percentile(fraction))).toEqual([0, 0, 7, 7]);
  });

  test('counts failures as infinitely long', () => {
    const histogram = createLatencyHistogram();
    [1, 2, 3].forEach(histogram.record);
    expect(histogram.percentileAmong(0.6, 5)).toBeCloseTo(3, 1);
    expect(histogram.percentileAmong(0.61, 5)).toBe(Infinity);
    expect(createLatencyHistogram().percentileAmong(0.5, 1)).toBe(Infinity);
    expect(createLatencyHistogram().percentileAmong(0.5, 0)).toBeNaN();
  });

  test('puts values beyond its scale into the first or last bucket', () => {
    const histogram = createLatencyHistogram();
    [1e-9, 1e15].forEach(histogram.record);
    expect(histogram.percentile(0.5)).toBe(1e-9);
    expect(histogram.max()).toBe(1e15);
    expect(histogram.count()).toBe(2);
  });

  test('has no figures when empty', () => {
    const histogram = createLatencyHistogram();
    for (const read of [() => histogram.percentile(0.5), histogram.min, histogram.max, histogram.mean]) {
      expect(read()).toBeNaN();
    }
    expect(histogram.count()).toBe(0);
  });
});

describe('random numbers', () => {
  /** @param {number} seed @param {string} [name] */
  function draw(seed, name) {
    const { uniform } = createRandom(seed, name);
    return Array.from({ length: 1000 }, uniform);
  }

  describe('a random stream', () => {
    test('depends on seed and name', () => {
      expect(draw(1, 'a')).toEqual(draw(1, 'a'));
      expect(draw(1, 'b')).not.toEqual(draw(1, 'a'));
      expect(draw(2, 'a')).not.toEqual(draw(1, 'a'));
      expect(draw(1 + 2 ** 40, 'a')).not.toEqual(draw(1, 'a'));
    });

    test('is the same on every machine', () => {
      expect(draw(1).slice(0, 3)).toEqual([0.7213824954815209, 0.9982774262316525, 0.4712726064026356]);
    });
  });
});

describe('service times', () => {
  /** @type {[Service, { drawnMs: number, meanMs: number }][]} */
  const KNOWN = [
    [
      { kind: 'fixed', ms: 7 },
      { drawnMs: 7, meanMs: 7 },
    ],
    [
      { kind: 'exponential', meanMs: 3 },
      { drawnMs: 6, meanMs: 3 },
    ],
    [
      { kind: 'lognormal', medianMs: 2, sigma: 0.5 },
      { drawnMs: 2 / Math.exp(0.5), meanMs: 2 * Math.exp(0.125) },
    ],
    [
      { kind: 'sample', valuesMs: [1, 1, 1, 5, 12] },
      { drawnMs: 5, meanMs: 4 },
    ],
  ];

  test.each(KNOWN)('%j is drawn from one random number, and has its mean', (service, { drawnMs, meanMs }) => {
    const random = { ...createRandom(1), uniform: () => 0.7, exponential: () => 2, normal: () => -1 };
    expect(createServiceTime(service, random, '/x')()).toBeCloseTo(drawnMs, 9);
    expect(meanServiceMs(service)).toBeCloseTo(meanMs, 9);
  });

  test('a resample has the same size and values, but other frequencies; the seed decides which', () => {
    const valuesMs = Array.from({ length: 100 }, (_, index) => index);
    const again = (/** @type {number} */ seed) => {
      const service = resample({ kind: 'sample', valuesMs }, createRandom(seed));
      return service.kind === 'sample' ? Array.from(service.valuesMs) : [];
    };
    expect(again(1)).toHaveLength(100);
    expect(valuesMs).toEqual(expect.arrayContaining(again(1)));
    // Of n values about n (1 - 1/e) are drawn at least once.
    expect(new Set(again(1)).size).toBeGreaterThan(50);
    expect(new Set(again(1)).size).toBeLessThan(80);
    expect(again(1)).toEqual(again(1));
    expect(again(1)).not.toEqual(again(2));
    expect(resample({ kind: 'sample', valuesMs }, createRandom(1))).toMatchObject({ tail: findTail(again(1)) });
    expect(resample(KNOWN[1][0], createRandom(1))).toBe(KNOWN[1][0]);
  });

  test('of a sample with a tail, only its largest values are redrawn, and its mean stays', () => {
    const valuesMs = Array.from({ length: 100 }, (_, index) => -10 * Math.log((index + 0.5) / 100));
    const sorted = valuesMs.toSorted((a, b) => a - b);
    const tail = findTail(valuesMs);
    expect(tail).toMatchObject({ fromMs: sorted[89], count: 10 });
    /** Each value once, with the same exponential number. @param {number} exponential */
    const drawAll = (exponential) =>
      sorted.map((_, index) => {
        const random = { ...createRandom(1), uniform: () => (index + 0.5) / 100, exponential: () => exponential };
        return createServiceTime({ kind: 'sample', valuesMs: sorted, tail }, random, '/x')();
      });
    expect(drawAll(1).reduce((sum, ms) => sum + ms)).toBeCloseTo(
      valuesMs.reduce((sum, ms) => sum + ms),
      6,
    );
    expect(drawAll(9).slice(0, 90)).toEqual(sorted.slice(0, 90));
    expect(Math.min(...drawAll(9).slice(90))).toBeGreaterThan(sorted[99]);
  });

  test('values that are all alike, or few, have no tail', () => {
    expect(findTail([2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2])).toBeUndefined();
    expect(findTail([1, 2, 3])).toBeUndefined();
    expect(findTail([])).toBeUndefined();
  });

  test('a tail is resampled by the mean of as many exponential numbers as it has values', () => {
    const numbers = [1, 2, 3, 2];
    const random = { ...createRandom(1), exponential: () => Number(numbers.pop()) };
    expect(resampleTail({ fromMs: 3, meanMs: 6, count: 4 }, random)).toEqual({ fromMs: 3, meanMs: 12, count: 4 });
  });
});
