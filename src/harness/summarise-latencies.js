import { quantile } from 'mongodb-pool-predictor';

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
  const avgMs = sum(latenciesMs) / count;
  return {
    count,
    tookMs,
    ratePerSec: count / tookMs * 1000,
    avgMs,
    stdevMs: Math.sqrt(sum(latenciesMs.map((ms) => (ms - avgMs) ** 2)) / count),
    p50Ms: quantile(latenciesMs, 0.5),
    p95Ms: quantile(latenciesMs, 0.95),
    p99Ms: quantile(latenciesMs, 0.99),
    maxMs: quantile(latenciesMs, 1),
  };
}

/** @param {number[]} values */
function sum(values) {
  return values.reduce((total, value) => total + value, 0);
}
