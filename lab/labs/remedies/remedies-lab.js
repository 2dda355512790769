import { fileURLToPath } from 'node:url';
import { DELAY, listOption, POOL_SIZES, parseInteger } from '../../harness/lab-options.js';
import { drawRequests } from '../../harness/loads/open-loop.js';
import { poolOfApp, simulate } from 'mongodb-pool-predictor';
import { readScenario } from 'mongodb-pool-predictor/node';
import { readSettings } from '../../../src/settings.js';
import { remediesView } from './remedies-view.js';
import { measureRemedy } from './measure.js';
import { REFUSED, refuses, summariseAnswers } from './remedies-figures.js';

/** @import { Lab, Plan } from '../../harness/run-lab.js' */
/** @import { DueRequest } from '../../harness/loads/open-loop.js' */
/** @import { RemedyFigures } from './remedies-figures.js' */

const REMEDIES = ['size', 'client', 'limit', 'timeout', 'warm'];

/** The share of the treated pool's connections that slow queries may take. */
const SLOW_SHARE = 0.6;
/** A wait-queue timeout, as a share of how long a slow query takes. */
const TIMEOUT_SHARE = 0.5;

/** Size of the pool that a burst meets. */
const BURST_POOL_SIZE = 20;

/** As in the driver, unless MONGO_MAX_CONNECTING says otherwise. */
const DEFAULT_MAX_CONNECTING = 2;

const SCENARIO = fileURLToPath(new URL('../../../loadtests/remedies.yaml', import.meta.url));

/** A burst of customers. @type {DueRequest[]} */
const BURST = Array.from({ length: 100 }, () => ({ route: '/fast', atMs: 0 }));

/** Start, warm-up and end of the app, in ms: an estimate for the progress bar. */
const OVERHEAD_MS = 2000;

/**
 * @typedef {object} RemedySettings
 * @property {'none' | 'size' | 'client' | 'limit' | 'timeout' | 'warm'} remedy
 * @property {'all' | 'customers' | 'burst'} load all requests, those without administrators, or customers at one moment
 * @property {{ MONGO_POOLSIZE: number } & Record<string, number>} env settings of the app
 *
 * @typedef {{ name: string, settings: RemedySettings }} RemedyVariant
 */

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
    remedies: { ...listOption(REMEDIES), about: `which to try: ${REMEDIES.join(', ')}` },
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

/**
 * One app for each remedy: first the pool that is too small, without and with administrators, then other sizes, then
 * the remedies that keep its size; and a burst, which is another load.
 * @param {number[]} poolSizes
 * @param {number} treated size of the pool that is too small, at least 2
 * @param {number} slowMs
 * @param {number} maxConnecting of the pool that a burst meets
 * @returns {RemedyVariant[]}
 */
function listVariants(poolSizes, treated, slowMs, maxConnecting) {
  const slow = Math.min(treated - 1, Math.ceil(treated * SLOW_SHARE));
  const rest = treated - slow;
  const timeoutMs = Math.ceil(slowMs * TIMEOUT_SHARE);
  const pool = { MONGO_POOLSIZE: treated };
  const burstPool = { MONGO_POOLSIZE: BURST_POOL_SIZE, MONGO_MAX_CONNECTING: maxConnecting };
  return [
    describe(`pool ${treated}, no /slow`, 'none', pool, 'customers'),
    describe(`pool ${treated}`, 'none', pool),
    ...poolSizes
      .filter((size) => size !== treated)
      .map((size) => describe(`pool ${size}`, 'size', { MONGO_POOLSIZE: size })),
    describe(`second client ${rest}+${slow}`, 'client', { MONGO_POOLSIZE: rest, SLOW_POOLSIZE: slow }),
    describe(`limit of ${slow}`, 'limit', { ...pool, SLOW_CONCURRENCY: slow }),
    describe(`timeout ${timeoutMs} ms`, 'timeout', { ...pool, MONGO_WAIT_QUEUE_TIMEOUT_MS: timeoutMs }),
    describe('burst, cold pool', 'warm', burstPool, 'burst'),
    describe('burst, warm pool', 'warm', { ...burstPool, MONGO_MIN_POOLSIZE: BURST_POOL_SIZE }, 'burst'),
  ];
}

/**
 * @param {string} name
 * @param {RemedySettings['remedy']} remedy
 * @param {RemedySettings['env']} env
 * @param {RemedySettings['load']} [load]
 * @returns {RemedyVariant}
 */
function describe(name, remedy, env, load = 'all') {
  return { name, settings: { remedy, load, env } };
}

/** @param {RemediesOptions} options @returns {Promise<RemediesPlan>} */
async function plan({ treated, poolSizes, remedies: chosen, slowMs, rtt, environment }) {
  const workload = await readScenario(SCENARIO, { environment });
  const all = drawRequests(workload);
  const { maxConnecting = DEFAULT_MAX_CONNECTING } = readSettings();
  const patienceMs = Number(workload.timeoutMs);
  return {
    settings: { scenario: 'loadtests/remedies.yaml', environment, treated, slowMs, rttMs: rtt, patienceMs },
    requests: { all, customers: all.filter(({ route }) => route === '/fast'), burst: BURST },
    variants: listVariants(poolSizes, treated, slowMs, maxConnecting)
      .filter(({ settings: { remedy } }) => remedy === 'none' || chosen.includes(remedy))
      .map((variant) => ({
        ...variant,
        estimateMs: OVERHEAD_MS + (variant.settings.load === 'burst' ? 0 : all[all.length - 1].atMs) + slowMs,
      })),
  };
}

/** The simulator's outcomes as HTTP statuses; all others are refusals. @type {Record<string, number>} */
const STATUS = { ok: 200, clientTimeout: 0 };

/**
 * Simulates the same requests with the service time that was measured in the warm-up.
 * @type {NonNullable<RemediesLab['predict']>}
 */
function predictRemedy({ settings }, plan, { unloaded: { serviceMs, overheadMs, connectMs } }) {
  const { slowMs, patienceMs } = plan.settings;
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
    arrivals: plan.requests[settings.load],
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
      status: STATUS[outcome] ?? REFUSED,
      tookMs: finishedAtMs - arrivedAtMs,
    })),
    refuses(settings.remedy),
  );
}
