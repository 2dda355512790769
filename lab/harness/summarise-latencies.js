import { mean, median, quantile } from 'mongodb-pool-predictor/statistics';

/**
 * @typedef {object} LatencyFigures
 * @property {number} count
 * @property {number} tookMs all together
 * @property {number} ratePerSec
 * @property {number} avgMs of one, like the rest
 * @property {number} stdevMs
 * @property {number} p50Ms
 * @property {number} p95Ms
 * @property {number} p99Ms
 * @property {number} maxMs
 */

/** @param {number[]} latenciesMs at least one @param {number} tookMs all together @returns {LatencyFigures} */
export function summariseLatencies(latenciesMs, tookMs) {
  const count = latenciesMs.length;
  const avgMs = mean(latenciesMs);
  return {
    count,
    tookMs,
    ratePerSec: (count / tookMs) * 1000,
    avgMs,
    stdevMs: Math.sqrt(mean(latenciesMs.map((ms) => (ms - avgMs) ** 2))),
    p50Ms: median(latenciesMs),
    p95Ms: quantile(latenciesMs, 0.95),
    p99Ms: quantile(latenciesMs, 0.99),
    maxMs: quantile(latenciesMs, 1),
  };
}
