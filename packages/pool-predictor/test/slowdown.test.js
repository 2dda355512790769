import { expect, test } from '@jest/globals';
import { findSlowdown } from '../src/slowdown.js';

/** @param {number[]} p99s at 1, 2, 4, 8 and so on @param {string} [route] */
const sizesOf = (p99s, route = '/report') => p99s.map((p99Ms, index) => ({ poolSize: 2 ** index, routes: { [route]: { p99Ms } } }));
const WORK = { '/report': { kind: /** @type {const} */ ('fixed'), ms: 30, workShare: 1 } };

test('the largest size about as good as the best, and the largest of all', () => {
  expect(findSlowdown(sizesOf([900, 400, 420, 490, 700, 1200]), WORK)).toEqual(
    { route: '/report', poolSize: 8, p99Ms: 490, largerSize: 32, largerMs: 1200 });
});

test('none where the largest is about as good as any', () => {
  expect(findSlowdown(sizesOf([900, 400, 300, 370]), WORK)).toBeNull();
  expect(findSlowdown([], WORK)).toBeNull();
});

test('queries that only wait for something else are not slowed down by the server', () => {
  expect(findSlowdown(sizesOf([100, 200, 400]), { '/report': { kind: 'fixed', ms: 30 } })).toBeNull();
});

test('of several routes the one that suffers most', () => {
  const [one, other] = [sizesOf([100, 100, 200]), sizesOf([10, 10, 50], '/other')];
  const sizes = one.map((size, index) => ({ ...size, routes: { ...size.routes, ...other[index].routes } }));
  expect(findSlowdown(sizes, { ...WORK, '/other': WORK['/report'] })).toMatchObject({ route: '/other', poolSize: 2, largerMs: 50 });
});
