import { fileURLToPath } from 'node:url';
import { DELAY, POOL_SIZES, parseInteger } from '../../harness/lab-options.js';
import { drawRequests } from '../../harness/loads/open-loop.js';
import { poolOfApp, simulate } from 'mongodb-pool-predictor';
import { readScenario } from 'mongodb-pool-predictor/node';
import { readSettings } from '../../../src/settings.js';
import { remediesView } from './remedies-view.js';
import { measureRemedy } from './measure.js';
import { summariseAnswers } from './remedies-figures.js';
import { listVariants, refuses, REMEDIES_OPTION } from './variants.js';

/** @import { Lab, Plan } from '../../harness/run-lab.js' */
/** @import { DueRequest } from '../../harness/loads/open-loop.js' */
/** @import { RemedyFigures } from './remedies-figures.js' */
/** @import { RemedySettings } from './variants.js' */

/** As in the driver, unless MONGO_MAX_CONNECTING says otherwise. */
const DEFAULT_MAX_CONNECTING = 2;

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
      value: 'n',
      about: 'size of the pool that is too small, which gets each remedy',
      parse: parseTreated,
      default: 5,
    },
    poolSizes: { ...POOL_SIZES, about: 'other sizes to try', default: [1, 20, 100] },
    remedies: REMEDIES_OPTION,
    slowMs: { ...DELAY, about: 'how long a query of /slow takes', default: 1000 },
    rtt: { ...DELAY, about: 'extra time of each round trip, for the bursts only', default: 20 },
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
  const { maxConnecting = DEFAULT_MAX_CONNECTING } = readSettings();
  return {
    settings: {
      scenario: 'loadtests/remedies.yaml',
      environment,
      treated,
      slowMs,
      rttMs: rtt,
      patienceMs: Number(workload.timeoutMs),
    },
    requests: { all, customers: all.filter(({ route }) => route === '/fast'), burst: BURST },
    variants: listVariants(poolSizes, treated, slowMs, maxConnecting)
      .filter(({ settings: { remedy } }) => remedy === 'none' || chosen.includes(remedy))
      .map((variant) => ({
        ...variant,
        estimateMs: OVERHEAD_MS + (variant.settings.load === 'burst' ? 0 : all[all.length - 1].atMs) + slowMs,
      })),
  };
}

/** The simulator's outcomes as HTTP statuses. */
const STATUS = {
  ok: 200,
  refused: 503,
  waitQueueTimeout: 503,
  operationTimeout: 503,
  requestTimeout: 503,
  clientTimeout: 0,
};

/**
 * Simulates the same requests with the service time that was measured in the warm-up.
 * @type {NonNullable<RemediesLab['predict']>}
 */
function predictRemedy({ settings }, plan, { unloaded: { serviceMs, overheadMs, connectMs } }) {
  const {
    settings: { slowMs, patienceMs },
    requests,
  } = plan;
  const {
    MONGO_POOLSIZE: poolSize,
    MONGO_MIN_POOLSIZE: minPoolSize = 0,
    MONGO_MAX_CONNECTING: maxConnecting,
    MONGO_WAIT_QUEUE_TIMEOUT_MS: waitQueueTimeoutMs,
    SLOW_POOLSIZE: slowPoolSize,
    SLOW_CONCURRENCY: slowConcurrency,
  } = settings.env;
  const { records = [] } = simulate({
    workload: { phases: [], scenarios: [], timeoutMs: patienceMs },
    arrivals: requests[settings.load],
    pool: poolOfApp(
      { poolSize, slowPoolSize, slowConcurrency, maxConnecting, waitQueueTimeoutMs },
      { connectMs, warm: settings.load !== 'burst' || minPoolSize > 0 },
    ),
    services: { '/fast': { kind: 'fixed', ms: serviceMs }, '/slow': { kind: 'fixed', ms: slowMs + serviceMs } },
    overhead: { kind: 'fixed', ms: overheadMs },
    keepRequests: true,
  });
  return summariseAnswers(
    records.map(({ route, outcome, arrivedAtMs, finishedAtMs }) => ({
      route,
      atMs: arrivedAtMs,
      status: STATUS[outcome],
      tookMs: finishedAtMs - arrivedAtMs,
    })),
    refuses(settings.remedy),
  );
}
