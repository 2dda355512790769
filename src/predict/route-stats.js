import { createLatencyHistogram } from './latency-histogram.js';

/**
 * Times in ms, NaN where there is nothing to tell them from. Percentiles are off by 0.4 % at most, the rest is exact.
 *
 * @typedef {object} Latencies
 * @property {number} p50Ms
 * @property {number} p95Ms
 * @property {number} p99Ms
 * @property {number} maxMs
 * @property {number} meanMs
 */

/**
 * @typedef {object} RouteResult
 * @property {number} count requests sent, failures included
 * @property {number} failures wait queue timeouts and client timeouts together
 * @property {Latencies} wait of the checkouts that got a connection, for it
 */

/**
 * What one route's requests add up to: response times of those that succeeded, waits of those that got a connection.
 *
 * @param {string} name
 * @param {() => number} drawServiceMs
 */
export function createRouteStats(name, drawServiceMs) {
  const responses = createLatencyHistogram();
  const waits = createLatencyHistogram();
  let failures = 0;

  return {
    name,
    drawServiceMs,
    recordResponse: responses.record,
    recordWait: waits.record,
    recordFailure: () => void failures++,
    /** @returns {Latencies & RouteResult} */
    result: () => ({
      count: responses.count() + failures,
      failures,
      ...summarise(responses),
      wait: summarise(waits),
    }),
  };
}

/** @typedef {ReturnType<typeof createRouteStats>} RouteStats */

/** @param {ReturnType<typeof createLatencyHistogram>} histogram @returns {Latencies} */
function summarise(histogram) {
  return {
    p50Ms: histogram.percentile(0.5),
    p95Ms: histogram.percentile(0.95),
    p99Ms: histogram.percentile(0.99),
    maxMs: histogram.max(),
    meanMs: histogram.mean(),
  };
}
