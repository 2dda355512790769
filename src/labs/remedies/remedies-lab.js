import { fileURLToPath } from 'node:url';
import { parseDelay, parseInteger } from '../../harness/lab-options.js';
import { drawRequests } from '../../harness/open-load.js';
import { parsePoolSizes } from 'mongodb-pool-predictor';
import { readScenario } from 'mongodb-pool-predictor/node';
import { remediesView } from './remedies-view.js';
import { measureRemedy } from './measure.js';
import { predictRemedy } from './remedies-prediction.js';
import { listVariants, REMEDIES_OPTION } from './variants.js';

/** @import { Lab, Plan } from '../../harness/run-lab.js' */
/** @import { DueRequest } from '../../harness/open-load.js' */
/** @import { RemedyFigures } from './remedies-figures.js' */
/** @import { RemedySettings } from './variants.js' */

const SCENARIO = fileURLToPath(new URL('../../../loadtests/remedies.yaml', import.meta.url));

/** A burst of customers. @type {DueRequest[]} */
const BURST = Array.from({ length: 100 }, () => ({ route: '/fast', atMs: 0 }));

/** Start, warm-up and end of the app, in ms: an estimate for the progress bar. */
const OVERHEAD_MS = 2000;

/**
 * @typedef {object} RemediesOptions
 * @property {number} treated
 * @property {number[]} poolSizes
 * @property {string[]} remedies
 * @property {number} slowMs
 * @property {number} rtt
 * @property {string} [environment]
 *
 * @typedef {Plan<RemedySettings, RemedyFigures> & { settings: { slowMs: number, rttMs: number, patienceMs: number },
 *   requests: Record<RemedySettings['load'], DueRequest[]> }} RemediesPlan
 */

/** @typedef {Lab<RemediesOptions, RemedySettings, RemedyFigures, RemediesPlan>} RemediesLab */

/**
 * What helps customers who wait behind administrators: the same requests to one app per remedy.
 * @type {RemediesLab}
 */
export const remedies = {
  name: 'remedies',
  ...remediesView,
  summary: 'what to do about slow queries that starve fast ones: one load, one remedy at a time',
  options: {
    treated: {
      value: 'n', about: 'size of the pool that is too small, which gets each remedy', parse: parseTreated, default: 5,
    },
    poolSizes: { value: 'list', about: 'other sizes to try', parse: parsePoolSizes, default: [1, 20, 100] },
    remedies: REMEDIES_OPTION,
    slowMs: { value: 'ms', about: 'how long a query of /slow takes', parse: parseDelay, default: 1000 },
    rtt: { value: 'ms', about: 'extra time of each round trip, for the bursts only', parse: parseDelay, default: 20 },
    environment: { value: 'name', about: 'an environment of loadtests/remedies.yaml' },
  },
  plan,
  measure: measureRemedy,
  predict: predictRemedy,
};

/** @param {string} text @returns {number} */
function parseTreated(text) {
  const size = parseInteger(text);
  if (size === 1) throw new Error('It must be at least 2, so that the pool can be divided.');
  return size;
}

/** @param {RemediesOptions} options @returns {Promise<RemediesPlan>} */
async function plan({ treated, poolSizes, remedies: chosen, slowMs, rtt, environment }) {
  const workload = await readScenario(SCENARIO, { environment });
  const all = drawRequests(workload);
  return {
    settings: {
      scenario: 'loadtests/remedies.yaml', environment, treated, slowMs, rttMs: rtt, patienceMs: Number(workload.timeoutMs),
    },
    requests: { all, customers: all.filter(({ route }) => route === '/fast'), burst: BURST },
    variants: listVariants(poolSizes, treated, slowMs)
      .filter(({ settings: { remedy } }) => remedy === 'none' || chosen.includes(remedy))
      .map((variant) => ({
        ...variant,
        estimateMs: OVERHEAD_MS + (variant.settings.load === 'burst' ? 0 : all[all.length - 1].atMs) + slowMs,
      })),
  };
}
