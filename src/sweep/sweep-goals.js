import { quantile } from 'mongodb-pool-predictor';
import { hasSucceeded } from './measured-requests.js';

/** @import { Slo } from 'mongodb-pool-predictor' */
/** @import { Variant } from '../report/result-types.js' */
/** @import { MeasuredRequest } from './measured-requests.js' */
/** @import { SweepFigures } from './sweep-figures.js' */

/**
 * @param {Slo[]} slos
 * @param {MeasuredRequest[]} requests
 * @returns {Record<string, number | null>} by goal: what was measured. A request that failed took for ever; null: so did the
 *   goal's percentile, or there was no request
 */
export function measureGoals(slos, requests) {
  return Object.fromEntries(slos.map(({ text, route, share }) => {
    const timesMs = requests.filter((request) => request.route === route)
      .map((request) => (hasSucceeded(request) ? request.totalMs : Infinity));
    const ms = quantile(timesMs, share) ?? Infinity;
    return [text, Number.isFinite(ms) ? ms : null];
  }));
}

/**
 * @param {Slo[]} slos
 * @param {Pick<Variant<unknown, SweepFigures>, 'measured'>} variant
 */
export function meetsGoals(slos, { measured }) {
  return slos.every(({ text, limitMs }) => {
    const ms = measured?.goals?.[text];
    return typeof ms === 'number' && ms < limitMs;
  });
}
