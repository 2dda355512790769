import { quantile } from 'mongodb-pool-predictor';

/**
 * @typedef {object} LatencyFigures
 * @property {number} count how many were done
 * @property {number} tookMs all of them
 * @property {number} ratePerSec
 * @property {number} avgMs how long one took; so stdevMs, p50Ms, p95Ms, p99Ms, maxMs
 * @property {number} stdevMs
 * @property {number} p50Ms
 * @property {number} p95Ms
 * @property {number} p99Ms
 * @property {number} maxMs
 */

/**
 * @param {number[]} latenciesMs at least one
 * @param {number} tookMs the time that all of them were done in
 * @returns {LatencyFigures}
 */
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
