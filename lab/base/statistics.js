// The statistics that the lab uses: one definition of each, which the packages share.
export { mean, median } from 'mongodb-pool-page/universal/stats.js';
export { quantile } from 'mongodb-pool-predictor';

/** @param {number[]} values */
export function sum(values) {
  return values.reduce((total, value) => total + value, 0);
}
