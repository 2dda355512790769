// The statistics that the lab uses: one definition of each, which the predictor has.
export { mean, median, quantile, sum } from 'mongodb-pool-predictor/statistics';
