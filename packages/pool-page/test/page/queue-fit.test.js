import { describe, expect, test } from '@jest/globals';
import { fitQueue } from 'mongodb-pool-page/page/queue-fit.js';

describe('on the road of a laptop', () => {
  const fit = (/** @type {number} */ waiting) => fitQueue(waiting, Math.min(waiting, 50), 400, 330);

  test('a short queue is large, and fills a line before it starts the next', () => {
    expect(fit(2)).toEqual({ cell: 80, rows: 2, large: 2, shown: 2, more: 0 });
    expect(fit(3)).toEqual({ cell: 80, rows: 4, large: 3, shown: 3, more: 0 });
  });

  test('only the head of a longer queue is large', () => {
    expect(fit(7)).toEqual({ cell: 80, rows: 2, large: 1, shown: 7, more: 0 });
    expect(fit(10)).toEqual({ cell: 80, rows: 4, large: 2, shown: 10, more: 0 });
  });

  test('the last place counts the vehicles that do not fit', () => {
    expect(fit(203)).toEqual({ cell: 80, rows: 4, large: 2, shown: 13, more: 190 });
  });
});

test('vehicles that the app does not list are counted too', () => {
  expect(fitQueue(60, 50, 2000, 1500)).toMatchObject({ shown: 50, more: 10 });
});

test.each([
  [284, 136],
  [354, 136],
  [400, 360],
  [630, 600],
  [760, 480],
])('on %i by %i pixels, each time takes two fifths of the road, and all places fit', (width, height) => {
  for (let waiting = 1; waiting <= 200; waiting++) {
    const { cell, rows, large, shown, more } = fitQueue(waiting, Math.min(waiting, 50), width, height);
    const small = shown - large + Math.sign(more);
    const columns = 2 + Math.ceil(small / rows);

    expect(shown + more).toBe(waiting);
    expect(2 * cell).toBeGreaterThanOrEqual(Math.min(width * 0.4, 260));
    expect(large).toBeGreaterThanOrEqual(1);
    expect(rows * cell * 0.78).toBeLessThanOrEqual(height);
    expect((small > 0 ? columns : 2 * Math.ceil((2 * large) / rows)) * cell).toBeLessThanOrEqual(width + 0.001);
  }
});

test.each([
  [0, 0],
  [350, 136],
  [40, 10],
])('on %i by %i pixels, every vehicle is shown or counted', (width, height) => {
  for (const waiting of [0, 1, 2, 50, 1000]) {
    const { cell, shown, more } = fitQueue(waiting, Math.min(waiting, 50), width, height);

    expect(shown + more).toBe(waiting);
    expect(shown).toBeGreaterThanOrEqual(0);
    expect(cell).toBeGreaterThan(0);
  }
});
