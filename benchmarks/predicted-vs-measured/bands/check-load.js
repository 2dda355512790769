import { predict } from 'mongodb-pool-predictor';
import { createHiddenLoad } from './hidden-load.js';

/**
 * One figure of one more run, and its predicted band.
 *
 * @typedef {object} Check
 * @property {import('./hidden-load.js').Kind} kind
 * @property {string} figure
 * @property {boolean} isInside
 * @property {boolean} isBelow
 * @property {boolean} isCertain all runs agree, and so does this one
 */

/** @param {number} number of the load @param {number} seeds of the prediction @returns {Promise<Check[]>} */
export async function checkLoad(number, seeds) {
  const { kind, poolSize, measure, known } = createHiddenLoad(number);
  const { variants: [{ predicted }] } = await predict({ ...known, poolSizes: [poolSize], seeds });
  const [measured, low, high] = [measure(), predicted.low, predicted.high].map(listFigures);
  return Object.keys(measured).map((name) => ({
    kind,
    figure: name.startsWith('mean') ? name : name.split(' ')[0],
    isInside: measured[name] >= low[name] && measured[name] <= high[name],
    isBelow: measured[name] < low[name],
    isCertain: low[name] === high[name] && measured[name] === low[name],
  }));
}

/** @param {any} result of one run, or an end of the band @returns {Record<string, number>} in ms */
function listFigures({ routes, meanWaitMs, meanWaiting, durationMs, checkouts }) {
  return {
    ...Object.fromEntries(Object.keys(routes).flatMap((route) => (
      ['p50', 'p95', 'p99', 'max'].map((figure) => [`${figure} ${route}`, routes[route][`${figure}Ms`]])))),
    'mean wait': meanWaitMs ?? (meanWaiting * durationMs) / checkouts,
  };
}
