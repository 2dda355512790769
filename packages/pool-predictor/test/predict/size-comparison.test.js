import { describe, expect, test } from '@jest/globals';
import { findKnee, findSlowdown } from '../../src/predict/size-comparison.js';

/** @param {number[]} p99s at 1, 2, 4, 8 and so on @param {string} [route] */
const sizesOf = (p99s, route = '/report') =>
  p99s.map((p99Ms, index) => ({ poolSize: 2 ** index, routes: { [route]: { p99Ms } } }));
const WORK = { '/report': { kind: /** @type {const} */ ('fixed'), ms: 30, workShare: 1 } };

test('the largest size about as good as the best, and the largest of all', () => {
  expect(findSlowdown(sizesOf([900, 400, 420, 490, 700, 1200]), WORK)).toEqual({
    route: '/report',
    poolSize: 8,
    p99Ms: 490,
    largerSize: 32,
    largerMs: 1200,
  });
});

test('none where the largest is about as good as any', () => {
  expect(findSlowdown(sizesOf([900, 400, 300, 370]), WORK)).toBeNull();
  expect(findSlowdown([], WORK)).toBeNull();
});

test('queries that only wait for something else are not slowed down by the server', () => {
  for (const workShare of [undefined, 0])
    expect(findSlowdown(sizesOf([100, 200, 400]), { '/report': { kind: 'fixed', ms: 30, workShare } })).toBeNull();
});

test('of several routes the one that suffers most', () => {
  const [one, other] = [sizesOf([100, 100, 200]), sizesOf([10, 10, 50], '/other')];
  const sizes = one.map((size, index) => ({ ...size, routes: { ...size.routes, ...other[index].routes } }));
  const work = WORK['/report'];
  for (const services of [
    { '/report': work, '/other': work },
    { '/other': work, '/report': work },
  ])
    expect(findSlowdown(sizes, services)).toMatchObject({ route: '/other', poolSize: 2, largerMs: 50 });
});

test('as good is 25 % and 1 ms above the best; a size without requests of the route says nothing', () => {
  expect(findSlowdown(sizesOf([100, 126, 126]), WORK)).toBeNull();
  expect(findSlowdown(sizesOf([100, 126, 127]), WORK)).toMatchObject({ poolSize: 2, p99Ms: 126, largerMs: 127 });
  expect(findSlowdown(sizesOf([100, 200, NaN]), WORK)).toMatchObject({ poolSize: 1, largerSize: 2, largerMs: 200 });
  const [first, ...rest] = sizesOf([100, 200]);
  expect(findSlowdown([{ ...first, routes: {} }, ...rest], WORK)).toBeNull();
  expect(findSlowdown(sizesOf([0, 2]), WORK)).toMatchObject({ poolSize: 1, p99Ms: 0 });
});

describe('the knee', () => {
  /** @param {number} p95Ms @param {number} p99Ms @param {number} [failures] */
  const figuresOf = (p95Ms, p99Ms, failures = 0) =>
    /** @type {import('../../src/runs/run-figures.js').RunFigures} */ (
      /** @type {unknown} */ ({ failures, routes: { '/x': { all: { p95Ms, p99Ms } } } })
    );
  /** @param {ReturnType<typeof figuresOf>[]} figures of 1, 2, 3 and so on @param {number} [floor] */
  const kneeOf = (figures, floor = 1, best = figuresOf(100, 200)) =>
    findKnee(
      figures.map((each, index) => ({ poolSize: index + 1, figures: each })),
      best,
      floor,
    );
  const good = figuresOf(100, 200);

  test('is the first size from which on all are as good as no limit: within 5 % and 1 ms', () => {
    expect(kneeOf([figuresOf(500, 900), figuresOf(106, 211), good])).toBe(2);
    expect(kneeOf([figuresOf(106.1, 200), good])).toBe(2);
    expect(kneeOf([figuresOf(100, 211.1), good])).toBe(2);
    expect(kneeOf([good, figuresOf(500, 900), good])).toBe(3);
    expect(kneeOf([good, figuresOf(500, 900)])).toBeUndefined();
  });

  test('needs the floor, and no more failures than without a limit', () => {
    expect(kneeOf([good, good, good], 3)).toBe(3);
    expect(kneeOf([figuresOf(100, 200, 1), good])).toBe(2);
    expect(kneeOf([figuresOf(100, 200, 1), good], 1, figuresOf(100, 200, 1))).toBe(1);
  });

  test('needs every route that has requests without a limit, and no other', () => {
    const none = /** @type {typeof good} */ (/** @type {unknown} */ ({ failures: 0, routes: {} }));
    expect(kneeOf([none, good])).toBe(2);
    const both = (/** @type {typeof good} */ one, /** @type {typeof good} */ other) =>
      /** @type {typeof good} */ ({ ...one, routes: { '/x': one.routes['/x'], '/y': other.routes['/x'] } });
    expect(kneeOf([both(good, figuresOf(100, 900)), both(good, good)], 1, both(good, good))).toBe(2);
    expect(kneeOf([none, good], 1, figuresOf(NaN, NaN))).toBe(1);
    expect(kneeOf([figuresOf(NaN, NaN), good])).toBe(2);
    expect(kneeOf([figuresOf(2, 2), figuresOf(1, 1)], 1, figuresOf(0, 0))).toBe(2);
  });
});
