import { expect, test } from '@jest/globals';
import { Lag } from '../src/source/lag.js';

/** @param {number} ms */
const secondsAgo = (ms) => ({ seconds: (Date.now() - ms) / 1000, increment: 0, term: 1 });

test('lag counts from the last known position until the source is heard', () => {
  const lag = new Lag(secondsAgo(5000));
  expect(lag.measure()).toBeGreaterThanOrEqual(5000);
  lag.beginSession(() => Infinity);
  expect(lag.measure()).toBeGreaterThanOrEqual(5000);
  lag.hear();
  expect(lag.measure()).toBe(0);
});

test('lag counts from the oldest operation that is not written, and grows between sessions', () => {
  const lag = new Lag(secondsAgo(0));
  const oldestMs = Date.now() - 3000;
  lag.beginSession(() => oldestMs);
  lag.hear();
  expect(lag.measure()).toBeGreaterThanOrEqual(3000);
  lag.endSession();
  expect(lag.measure()).toBeGreaterThanOrEqual(3000);
  lag.beginSession(() => Infinity);
  lag.hear();
  expect(lag.measure()).toBe(0);
});

test('lag is 0 once everything that was asked for is written', () => {
  const lag = new Lag(secondsAgo(5000));
  lag.end();
  expect(lag.measure()).toBe(0);
});
