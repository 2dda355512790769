import { expect, test } from '@jest/globals';
import { fitQueue } from '../../src/dashboard/queue-fit.js';

test('a short queue is drawn large, a longer one small', () => {
  expect(fitQueue(2, 2, 400, 330)).toEqual({ size: 'large', shown: 2, more: 0 });
  expect(fitQueue(20, 20, 400, 330)).toEqual({ size: 'small', shown: 20, more: 0 });
});

test('what does not fit is counted in the last place', () => {
  const { shown, more } = fitQueue(203, 50, 400, 330);

  expect(shown).toBe(24);
  expect(shown + more).toBe(203);
});

test('those that the app does not tell one by one are counted as well', () => {
  expect(fitQueue(60, 50, 2000, 500)).toEqual({ size: 'small', shown: 50, more: 10 });
});

test.each([[0, 0], [350, 136], [40, 10]])('nobody is forgotten on %i by %i pixels', (width, height) => {
  for (const waiting of [0, 1, 2, 50, 1000]) {
    const { shown, more } = fitQueue(waiting, Math.min(waiting, 50), width, height);

    expect(shown + more).toBe(waiting);
    expect(shown).toBeGreaterThanOrEqual(0);
  }
});
