import { expect, test } from '@jest/globals';
import { inferResolution, levelRounding } from '../../src/trace/resolution.js';
import { readTraceText } from '../../src/trace/read-trace.js';
import { KINDS, compareRounded } from './rounded-loads.js';

test.each(Object.keys(KINDS).flatMap((kind) => [0.01, 0.1, 1].map((stepMs) => [kind, stepMs])))(
  'a trace of %s whose times are rounded to %s ms is replayed with the recorded waits',
  async (kind, stepMs) => {
    for (const seed of [1, 2]) {
      const { resolutionMs, waitRatio, p95Ratios } = await compareRounded(String(kind), {
        seed,
        count: 500,
        stepMs: Number(stepMs),
      });
      expect(resolutionMs).toBe(stepMs);
      for (const ratio of [waitRatio, ...p95Ratios]) expect(Math.abs(ratio - 1)).toBeLessThan(0.05);
    }
  },
);

test('the resolution is that of the header, or what all times are multiples of', async () => {
  const read = async (/** @type {object} */ fields, /** @type {number} */ useMs) => {
    const lines = [
      { trace: 'mongodb-pool-lab', version: 2, ...fields },
      { checkOutStartedMs: 1_767_225_600_000.123, waitMs: 0, useMs: 7 },
      { checkOutStartedMs: 1_767_225_600_010, waitMs: 3, useMs },
    ];
    return (await readTraceText(lines.map((line) => JSON.stringify(line)).join('\n'))).resolutionMs;
  };
  expect(await read({}, 12)).toBe(0.001);
  expect(await read({ resolutionMs: 1 }, 12)).toBe(1);
  const columns = (/** @type {number[]} */ useMs) =>
    /** @type {any} */ ({ startedMs: [1_767_225_600_000, 20], waitMs: [NaN, 0], useMs });
  expect(
    [
      [10, NaN],
      [10, 7],
      [10, 0.3],
      [10, 0.07],
      [10, 0.007],
    ].map((useMs) => inferResolution(columns(useMs))),
  ).toEqual([1, 1, 0.1, 0.01, 0.001]);
});

test('what rounding may have made is replaced by its mean, so that the sum stays', () => {
  expect(levelRounding([-1, 2, 1, 40], 2)).toEqual([2 / 3, 2 / 3, 2 / 3, 40]);
  expect(levelRounding([-1, 0], 2)).toEqual([0, 0]);
  expect(levelRounding([], 2)).toEqual([]);
});
