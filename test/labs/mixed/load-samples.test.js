import { expect, test } from '@jest/globals';
import { sampleLoad } from '../../../src/labs/mixed/load-samples.js';

/** @param {string | null} route @param {number} waitMs @param {number} useMs @returns {any} */
const checkout = (route, waitMs, useMs) => ({
  route, outcome: 'checkedIn', checkOutStartedAtMs: 100, checkedOutAtMs: 100 + waitMs, checkedInAtMs: 100 + waitMs + useMs,
});
const fast = [1, 2, 3, 4].map((ms) => checkout('/fast', 1, ms));
const others = [checkout('/slow', 0, 200.1234), checkout(null, 0, 9), { ...checkout('/slow', 0, 5), outcome: 'operationFailed' }];

/** @param {number} slower */
const reportOf = (slower) => ({
  counters: {},
  summaries: { 'plugins.metrics-by-endpoint.response_time./fast': {
    count: 4, min: 2 + slower, p50: 3.5 + slower, p75: 4.2 + slower, p90: 4.5 + slower, p95: 4.8 + slower, p99: 5 + slower, max: 5 + slower,
  } },
});

test('service times by route, and overheads from the difference between responses and connections', () => {
  const { services, overheadsMs } = sampleLoad([...fast, ...others], reportOf(10), [77]);
  expect(services).toEqual({ '/fast': [1, 2, 3, 4], '/slow': [200.123] });
  expect(overheadsMs).toHaveLength(4);
  for (const ms of overheadsMs) expect(Math.abs(ms - 10)).toBeLessThan(1);
});

test.each([
  ['slow responses, whose percentiles are too coarse', fast, 200],
  ['requests that failed or got no connection', fast.slice(1), 10],
])('with %s, overheads are those before the load', (_, checkouts, slower) => {
  expect(sampleLoad(checkouts, reportOf(slower), [3, 1]).overheadsMs).toEqual([1, 3]);
});

test('a load without /fast has the overheads from before, too', () => {
  expect(sampleLoad(others, { counters: {}, summaries: {} }, [3])).toEqual({ services: { '/slow': [200.123] }, overheadsMs: [3] });
});
