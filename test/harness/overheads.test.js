import { expect, test } from '@jest/globals';
import { spreadSummary } from '../../src/harness/artillery.js';
import { findOverheads, spread } from '../../src/harness/overheads.js';
import { createRandom } from '../../packages/pool-predictor/src/simulator/random.js';

const random = createRandom(1, 'times');
const draw = (/** @type {number} */ count, /** @type {() => number} */ one) => Array.from({ length: count }, one);

test('overheads added to independent times on connections give the responses again', () => {
  const connections = draw(2000, () => 1 + 3 * random.exponential());
  const overheads = draw(2000, () => 2 + 5 * random.exponential());
  const responses = connections.map((ms, index) => ms + overheads[index]);
  const found = findOverheads(responses, connections);
  expect(found).toHaveLength(200);
  for (const share of [0.1, 0.5, 0.9]) {
    const [actual, expected] = [found, overheads].map((all) => all.toSorted((a, b) => a - b)[Math.floor(share * all.length)]);
    // A difference of percentiles would be off by 30 % at the median.
    expect(Math.abs(actual - expected)).toBeLessThan(0.12 * expected + 0.1);
  }
  const again = draw(2000, () => connections[Math.floor(random.uniform() * 2000)] + found[Math.floor(random.uniform() * 200)]);
  for (const share of [0.5, 0.95]) {
    const [actual, expected] = [again, responses].map((all) => all.toSorted((a, b) => a - b)[Math.floor(share * all.length)]);
    expect(Math.abs(actual / expected - 1)).toBeLessThan(0.08);
  }
});

test('a response faster than its connection, by a coarse clock, has no overhead', () => {
  expect(findOverheads([1, 1], [1.4, 1.3])).toEqual([0, 0]);
});

test('a sample is cut to evenly spaced percentiles', () => {
  expect(spread([3, 1, 2])).toEqual([1, 2, 3]);
  const many = spread(Array.from({ length: 1000 }, (_, index) => index));
  expect(many).toHaveLength(200);
  expect(many.slice(0, 2)).toEqual([2, 7]);
});

test('a summary spreads into as many times as it has', () => {
  const summary = { count: 5, min: 0, p50: 10, p75: 20, p90: 30, p95: 40, p99: 50, max: 60 };
  expect(spreadSummary(summary, 5)).toEqual([0, 5, 10, 20, 60]);
  expect(spreadSummary(summary, 1)).toEqual([10]);
});
