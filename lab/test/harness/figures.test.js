import { expect, test } from '@jest/globals';
import { createRandom } from 'mongodb-pool-predictor';
import { mergeFigures } from '../../harness/merge-figures.js';
import { findOverheads, spread, spreadSummary } from '../../labs/mixed/load-samples.js';
import { listArrivals, summariseCheckouts } from '../../harness/summarise-checkouts.js';

test('counts are added up, levels become medians, also deep inside', () => {
  const run = (/** @type {number} */ maxMs, /** @type {number} */ failures) => ({
    requests: 10,
    failures,
    maxMs,
    routes: { '/fast': { count: 5, p50Ms: maxMs / 2 } },
  });
  expect(mergeFigures([run(30, 0), run(10, 1), run(20, 0)])).toEqual({
    requests: 30,
    failures: 1,
    maxMs: 20,
    routes: { '/fast': { count: 15, p50Ms: 10 } },
  });
});

test('an even number of runs gives the middle between the two', () => {
  expect(mergeFigures([{ maxMs: 1 }, { maxMs: 9 }, { maxMs: 4 }, { maxMs: 2 }])).toEqual({ maxMs: 2 });
});

test('what only some runs have is merged of those', () => {
  expect(
    mergeFigures([
      { maxMs: null, routes: {} },
      { maxMs: 7, routes: { '/slow': { maxMs: 7 } } },
    ]),
  ).toEqual({ maxMs: 7, routes: { '/slow': { maxMs: 7 } } });
  expect(mergeFigures([{ maxMs: null }])).toEqual({ maxMs: null });
});

test('failures are added up by kind', () => {
  const run = { failures: 10, errors: 1, timeouts: 2, non2xx: 3, reopened: 4 };
  expect(mergeFigures([run, run])).toEqual({ failures: 20, errors: 2, timeouts: 4, non2xx: 6, reopened: 8 });
});

const random = createRandom(1, 'times');
const draw = (/** @type {number} */ count, /** @type {() => number} */ one) => Array.from({ length: count }, one);

test('overheads added to independent times on connections give the responses again', () => {
  const connections = draw(2000, () => 1 + 3 * random.exponential());
  const overheads = draw(2000, () => 2 + 5 * random.exponential());
  const responses = connections.map((ms, index) => ms + overheads[index]);
  const found = findOverheads(responses, connections);
  expect(found).toHaveLength(200);
  for (const share of [0.1, 0.5, 0.9]) {
    const [actual, expected] = [found, overheads].map(
      (all) => all.toSorted((a, b) => a - b)[Math.floor(share * all.length)],
    );
    // A difference of percentiles would be off by 30 % at the median.
    expect(Math.abs(actual - expected)).toBeLessThan(0.12 * expected + 0.1);
  }
  const again = draw(
    2000,
    () => connections[Math.floor(random.uniform() * 2000)] + found[Math.floor(random.uniform() * 200)],
  );
  for (const share of [0.5, 0.95]) {
    const [actual, expected] = [again, responses].map(
      (all) => all.toSorted((a, b) => a - b)[Math.floor(share * all.length)],
    );
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

/**
 * @param {number} checkOutStartedAtMs
 * @param {number | null} checkedOutAtMs
 * @param {number | null} checkedInAtMs
 * @returns {import('mongodb-pool-monitor').CheckoutRecord}
 */
function checkout(checkOutStartedAtMs, checkedOutAtMs, checkedInAtMs) {
  return {
    id: 1,
    pool: null,
    route: '/slow',
    requestId: 'r1',
    request: 1,
    operation: null,
    kind: null,
    holds: 0,
    connectionId: 1,
    server: 'db:1',
    isFresh: false,
    openingMs: 0,
    heldBy: [],
    behind: [],
    outcome: 'checkedIn',
    reason: null,
    checkOutStartedAtMs,
    checkedOutAtMs,
    checkedInAtMs,
    endedAtMs: checkedInAtMs ?? checkOutStartedAtMs,
  };
}

test('waits, and how many were active and waiting at once', () => {
  const checkouts = [checkout(0, 0.1, 100), checkout(10, 100, 110), checkout(20, 110, 120), checkout(50, 50.2, 130)];
  expect(summariseCheckouts(checkouts)).toEqual({
    waitP50Ms: expect.closeTo(0.2),
    waitP95Ms: 90,
    waitMaxMs: 90,
    peakActive: 2,
    peakWaiting: 2,
  });
});

test('a request without a connection waits to the end and is never active', () => {
  expect(summariseCheckouts([checkout(0, null, null)])).toEqual({
    waitP50Ms: null,
    waitP95Ms: null,
    waitMaxMs: null,
    peakActive: 0,
    peakWaiting: 1,
  });
});

test('arrivals are counted from the first, whatever the order of the record', () => {
  expect(listArrivals([checkout(1012.5, 1013, 1014), checkout(1000, 1001, 1020)])).toEqual([0, 12.5]);
});
