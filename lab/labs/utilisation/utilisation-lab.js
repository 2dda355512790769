import { PoolClient } from 'mongodb-pool-page/client';
import { createRandom, simulate } from 'mongodb-pool-predictor';
import { startApp } from '../../harness/app-process.js';
import { BUSY_MACHINE } from '../../report/machine.js';
import { COUNT, COUNTS, DELAY, listOption, parseInteger } from '../../harness/lab-options.js';
import { sendRequests } from '../../harness/loads/open-loop.js';
import { requestOnce } from '../../harness/loads/request-once.js';
import { useMsOf, warmUp } from '../../harness/warm-up.js';
import { median } from 'mongodb-pool-predictor/statistics';
import { summariseUse, utilisationView } from './utilisation-view.js';

/** @import { Lab, Plan } from '../../harness/run-lab.js' */
/** @import { DueRequest } from '../../harness/loads/open-loop.js' */
/** @import { UtilisationFigures } from './utilisation-view.js' */

/** Queries without load, which show how long one holds its connection. */
const ALONE = 9;
/** Nobody leaves the queue. */
const PATIENCE_MS = 600_000;
/** Estimate for the progress bar: start, warm-up and end of the app. */
const OVERHEAD_MS = 3000;
/**
 * Tolerance of the use, in percent; quiet runs of 40 s are within 2. A busy machine slows queries down, so connections
 * are in use for longer than planned. Or it slowed down the queries alone, so too few arrive, and the use is less.
 */
const MAX_OFF_PERCENT = 2;
const ARRIVALS = /** @type {const} */ (['even', 'random']);
/** The same in each run, so that runs can be compared. */
const SEED = 1;

/**
 * @typedef {object} UtilisationOptions
 * @property {number[]} shares how busy the connections are to be, in percent
 * @property {typeof ARRIVALS[number][]} arrivals
 * @property {number} poolSize
 * @property {number} useMs how long a query holds its connection
 * @property {number} seconds
 *
 * @typedef {{ arrivals: typeof ARRIVALS[number], share: number }} UtilisationSettings
 * @typedef {Plan<UtilisationSettings, UtilisationFigures> & { settings: UtilisationOptions }} UtilisationPlan
 */

/** @type {Lab<UtilisationOptions, UtilisationSettings, UtilisationFigures, UtilisationPlan>} */
export const utilisation = {
  name: 'utilisation',
  ...utilisationView,
  summary: 'how long queries wait when their connections are busy for 50 to 95 % of the time',
  options: {
    shares: {
      ...COUNTS,
      parse: parseShares,
      about: 'how busy the connections should be, in percent',
      default: [50, 80, 90, 95],
    },
    arrivals: { ...listOption([...ARRIVALS]), about: `how requests arrive: ${ARRIVALS.join(', ')}` },
    poolSize: {
      ...COUNT,
      about: 'connections; with more of them, more requests arrive, so that each is as busy',
      default: 1,
    },
    useMs: { ...DELAY, about: 'how long a query holds its connection', default: 100 },
    seconds: { value: 's', about: 'how long requests arrive', parse: parseInteger, default: 40 },
    parallel: { about: 'measure all variants at once', default: false },
  },
  async plan({ shares, arrivals, poolSize, useMs, seconds }) {
    const variants = arrivals.flatMap((kind) =>
      shares.map((share) => ({
        name: `${kind}, ${share} %`,
        settings: { arrivals: kind, share },
        estimateMs: seconds * 1000 + OVERHEAD_MS,
      })),
    );
    return { settings: { shares, arrivals, poolSize, useMs, seconds }, variants };
  },
  async measure({ name, settings }, plan, { mongoUrl, report, signal }) {
    const { poolSize, useMs } = plan.settings;
    const env = { MONGO_URL: mongoUrl, MONGO_POOLSIZE: String(poolSize), SLOW_MS: String(useMs) };
    const app = await startApp(env, { signal });
    try {
      const client = new PoolClient(app.url);
      const { lastId: warm } = await warmUp(app.url, poolSize);
      for (let query = 0; query < ALONE; query++) await requestOnce(new URL('/slow', app.url), { signal: app.signal });
      const { checkouts: alone, lastId } = await client.checkoutsSince(warm);
      const aloneMs = median(alone.map(useMsOf));
      report(`${name}: watch it at ${app.url}/`);
      const arrivals = planArrivals(settings, plan.settings, aloneMs);
      const answers = await sendRequests(arrivals, { ...app, patienceMs: PATIENCE_MS });
      const failures = answers.filter(({ status }) => status !== 200).length;
      const { checkouts } = await client.checkoutsSince(lastId);
      const figures = summariseUse(checkouts, poolSize);
      const planned = simulateUse(settings, plan.settings, aloneMs);
      return {
        measured: { ...figures, requests: answers.length, failures, aloneMs },
        ...(failures > 0 && { failed: `${failures} requests were not answered` }),
        warnings: warnIfBusy(figures.usedShare, planned.usedShare),
      };
    } finally {
      await app.stop();
    }
  },
  predict: ({ settings }, plan, { aloneMs }) => simulateUse(settings, plan.settings, aloneMs),
};

/**
 * The same arrivals, if each query holds its connection as long as one that is alone.
 * @param {UtilisationSettings} settings
 * @param {UtilisationOptions} options
 * @param {number} aloneMs
 */
function simulateUse(settings, options, aloneMs) {
  const { records = [] } = simulate({
    workload: { phases: [], scenarios: [] },
    arrivals: planArrivals(settings, options, aloneMs),
    pool: { maxPoolSize: options.poolSize },
    services: { '/slow': { kind: 'fixed', ms: aloneMs } },
    keepRequests: true,
  });
  return summariseUse(
    records.map(({ arrivedAtMs, finishedAtMs }) => ({
      checkOutStartedAtMs: arrivedAtMs,
      checkedOutAtMs: finishedAtMs - aloneMs,
      checkedInAtMs: finishedAtMs,
    })),
    options.poolSize,
  );
}

/** @param {number} usedShare as measured @param {number} planned @returns {string[]} empty on a quiet machine */
export function warnIfBusy(usedShare, planned) {
  const [percent, plannedPercent] = [usedShare, planned].map((share) => Math.round(share * 100));
  if (Math.abs(percent - plannedPercent) <= MAX_OFF_PERCENT) return [];
  return [`${BUSY_MACHINE}: connections were in use for ${percent} % of the time, not ${plannedPercent} %`];
}

/**
 * As many requests as keep the connections busy for a share of the time: evenly spaced, or each at a random moment.
 * @param {UtilisationSettings} settings
 * @param {UtilisationOptions} options
 * @param {number} aloneMs how long a query holds its connection
 * @returns {DueRequest[]} oldest first
 */
function planArrivals({ arrivals, share }, { poolSize, seconds }, aloneMs) {
  const durationMs = seconds * 1000;
  const count = Math.max(1, Math.round(((share / 100) * poolSize * durationMs) / aloneMs));
  const random = createRandom(SEED, 'arrivals');
  return Array.from(
    { length: count },
    (_, index) => (arrivals === 'even' ? index / count : random.uniform()) * durationMs,
  )
    .sort((a, b) => a - b)
    .map((atMs) => ({ route: '/slow', atMs }));
}

/** @param {string} text @returns {number[]} @throws {Error} saying what is allowed */
function parseShares(text) {
  const shares = COUNTS.parse(text);
  const tooMuch = shares.find((share) => share >= 100);
  if (tooMuch)
    throw new Error(`${tooMuch} is too much: from 100 % on the queue only grows. Several are written 50,80,95.`);
  return shares;
}
