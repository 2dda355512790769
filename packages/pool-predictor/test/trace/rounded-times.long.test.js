import { expect, test } from '@jest/globals';
import { KINDS, compareRounded } from './rounded-loads.js';

const SEEDS = Array.from({ length: 4 }, (_, index) => index + 1);
/** Callers who come back a little later meet others, so a p95 of 2000 requests differs by up to 3 % for this reason alone. */
const REQUESTS = 5000;
/** Shorter waits than this many steps of the clock are mostly rounding. */
const MIN_WAIT_STEPS = 10;

test.each(Object.keys(KINDS).flatMap((kind) => [0.01, 0.1, 1].map((stepMs) => [kind, stepMs])))(
  'random loads of %s, rounded to %s ms: mean wait and p95 within 5 %',
  async (kind, stepMs) => {
    const compared = [];
    for (const seed of SEEDS)
      compared.push(await compareRounded(String(kind), { seed, count: REQUESTS, stepMs: Number(stepMs) }));
    const clear = compared.filter(({ meanWaitMs }) => meanWaitMs >= MIN_WAIT_STEPS * Number(stepMs));
    expect(clear.length).toBeGreaterThan(SEEDS.length / 2);
    for (const { waitRatio, p95Ratios } of clear)
      for (const ratio of [waitRatio, ...p95Ratios]) expect(Math.abs(ratio - 1)).toBeLessThan(0.05);
  },
);
