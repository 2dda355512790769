import { fileURLToPath } from 'node:url';
import { createChoicesParser, parseDelay, parseInteger } from '../../harness/lab-options.js';
import { drawRequests } from '../../harness/open-load.js';
import { parsePoolSizes } from 'mongodb-pool-predictor';
import { readScenario } from 'mongodb-pool-predictor/node';
import { remediesView } from './remedies-view.js';
import { measureRemedy } from './measure.js';
import { predictRemedy } from './remedies-prediction.js';
import { listVariants, REMEDIES } from './variants.js';

/** @import { Lab, Plan, PlannedVariant } from '../../harness/run-lab.js' */
/** @import { DueRequest } from '../../harness/open-load.js' */
/** @import { RemedySettings, RemedyVariant } from './variants.js' */

const SCENARIO = fileURLToPath(new URL('../../../loadtests/remedies.yaml', import.meta.url));

/** So many customers are a burst. @type {DueRequest[]} */
const BURST = Array.from({ length: 100 }, () => ({ route: '/fast', atMs: 0 }));

/** The app's start, its warm-up and its end, in ms: an estimate for the progress bar. */
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
 * @typedef {Plan & { settings: { slowMs: number, rttMs: number, patienceMs: number },
 *   requests: Record<RemedySettings['load'], DueRequest[]> }} RemediesPlan
 */

/**
 * What helps customers who stand behind administrators: the very same requests to one app per remedy.
 * @type {Lab}
 */
export const remedies = {
  name: 'remedies',
  ...remediesView,
  summary: 'what to do about slow queries that starve fast ones: one load, one remedy at a time',
  options: {
    treated: {
      value: 'n', about: 'size of the pool that is too small and gets each remedy', parse: parseTreated, default: 5,
    },
    poolSizes: { value: 'list', about: 'sizes to try instead', parse: parsePoolSizes, default: [1, 20, 100] },
    remedies: {
      value: 'list', about: `which to try: ${REMEDIES.join(', ')}`, parse: createChoicesParser(REMEDIES),
      default: REMEDIES,
    },
    slowMs: { value: 'ms', about: 'how long a query of /slow takes', parse: parseDelay, default: 1000 },
    rtt: { value: 'ms', about: 'of the burst alone: how far away the server is', parse: parseDelay, default: 20 },
    environment: { value: 'name', about: 'one of those of loadtests/remedies.yaml' },
  },
  plan,
  measure: (variant, planned, context) => (
    measureRemedy(toRemedy(variant), /** @type {RemediesPlan} */ (planned), context)),
  predict: (variant, planned, { unloaded }) => (
    predictRemedy(toRemedy(variant), /** @type {RemediesPlan} */ (planned), unloaded)),
};

/**
 * A variant as this lab planned it.
 * @param {PlannedVariant} variant
 * @returns {RemedyVariant}
 */
function toRemedy({ name, settings }) {
  return { name, settings: /** @type {RemedySettings} */ (settings) };
}

/**
 * @param {string} text
 * @returns {number}
 */
function parseTreated(text) {
  const size = parseInteger(text);
  if (size === 1) throw new Error('It must be at least 2, or there is nothing to divide.');
  return size;
}

/**
 * @param {RemediesOptions} options
 * @returns {Promise<RemediesPlan>}
 */
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
