import { poolOfApp } from '../../predictions/app-pool.js';
import { simulate } from 'mongodb-pool-predictor';
import { summariseAnswers } from './remedies-figures.js';
import { refuses } from './variants.js';

/** The simulator's outcomes as HTTP statuses. */
const STATUS = { ok: 200, refused: 503, waitQueueTimeout: 503, requestTimeout: 503, clientTimeout: 0 };

/**
 * Simulates the same requests with the service time that was measured in the warm-up.
 * @type {NonNullable<import('./remedies-lab.js').RemediesLab['predict']>}
 */
export function predictRemedy({ settings }, plan, { unloaded: { serviceMs, overheadMs, connectMs } }) {
  const { settings: { slowMs, patienceMs }, requests } = plan;
  const {
    MONGO_POOLSIZE: poolSize, MONGO_MIN_POOLSIZE: minPoolSize = 0, MONGO_MAX_CONNECTING: maxConnecting,
    MONGO_WAIT_QUEUE_TIMEOUT_MS: waitQueueTimeoutMs, SLOW_POOLSIZE: slowPoolSize, SLOW_CONCURRENCY: slowConcurrency,
  } = settings.env;
  const { records = [] } = simulate({
    workload: { phases: [], scenarios: [], timeoutMs: patienceMs },
    arrivals: requests[settings.load],
    pool: poolOfApp({ poolSize, slowPoolSize, slowConcurrency, maxConnecting, waitQueueTimeoutMs },
      { connectMs, warm: settings.load !== 'burst' || minPoolSize > 0 }),
    services: { '/fast': { kind: 'fixed', ms: serviceMs }, '/slow': { kind: 'fixed', ms: slowMs + serviceMs } },
    overhead: { kind: 'fixed', ms: overheadMs },
    keepRequests: true,
  });
  return summariseAnswers(records.map(({ route, outcome, arrivedAtMs, finishedAtMs }) => (
    { route, atMs: arrivedAtMs, status: STATUS[outcome], tookMs: finishedAtMs - arrivedAtMs })), refuses(settings.remedy));
}
