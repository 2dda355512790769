import { expect, test } from '@jest/globals';
import { checkLoad } from '../../benchmarks/predicted-vs-measured/bands/check-load.js';
import { createHiddenLoad, KINDS } from '../../benchmarks/predicted-vs-measured/bands/hidden-load.js';

const LOADS = 30;

test('about nine of ten figures of one more run lie in their band, whatever is known of the load', async () => {
  const checks = [];
  for (let number = 0; number < LOADS; number++) checks.push(...await checkLoad(number, 19));
  for (const kind of KINDS) {
    const random = checks.filter((check) => check.kind === kind && !check.isCertain);
    const share = random.filter(({ isInside }) => isInside).length / random.length;
    expect(random.length).toBeGreaterThan(50);
    // The figures of one load depend on each other, so this is a wide range. The benchmark has a narrow one.
    expect(share).toBeGreaterThan(0.78);
    expect(share).toBeLessThan(0.99);
  }
});

test('a user of a measured load knows its samples, but not its true times', () => {
  const kinds = [0, 1, 2].map((number) => createHiddenLoad(number));
  expect(kinds.map(({ kind }) => kind)).toEqual(KINDS);
  const [known, measured, trace] = kinds.map(({ known: { services } }) => Object.values(services).map(({ kind }) => kind));
  expect(known).not.toContain('sample');
  expect(new Set([...measured, ...trace])).toEqual(new Set(['sample']));
  expect(createHiddenLoad(1).measure()).toEqual(createHiddenLoad(1).measure());
  expect(createHiddenLoad(1).measure()).not.toEqual(createHiddenLoad(4).measure());
});
