// How often does one more run fall into the 90 % band? Rules, fixed before measuring:
//
// - Each load is new: pools of 1 to 10 connections, utilisation 0.3 to 0.95, 1 to 3 routes with exponential or
//   lognormal service times, 400 to 1500 users.
// - The predictor gets what a user would have: the scenario and the service times; or the scenario and 50 to 500
//   measurements of each service time and of the overhead; or a trace of one run, recorded at a size within 2 of the
//   predicted one.
// - One more run with the true times is compared: p50, p95, p99 and max of each route, and the mean wait.
// - A figure that is the same in all runs and in this one is left out (nobody waits: the mean wait is 0). It proves
//   nothing.
// - Met when 88 to 92 % of all figures lie in their band. The table also shows each kind and each figure, where it may
//   be less:
//   a trace holds one random run, and nothing measured shows how long the longest query to come will take.
import os from 'node:os';
import { parentPort, Worker, workerData } from 'node:worker_threads';
import { predict } from 'mongodb-pool-predictor';
import { createHiddenLoad, KINDS } from './hidden-load.js';

/** @import { PartContext } from '../parts/run-parts.js' */

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

const FIGURES = ['p50', 'p95', 'p99', 'max', 'mean wait'];
const ALLOWED = [88, 92];
/** Seeds of each prediction. */
const SEEDS = 39;

export const PART = {
  name: 'coverage',
  about: 'how often one more run falls into the 90 % band',
  /** @param {Pick<PartContext, 'loads' | 'say' | 'signal'>} context */
  async run({ loads, say, signal }) {
    const checks = (await checkAll(loads, say, signal)).filter(({ isCertain }) => !isCertain);
    const rows = ['all', ...KINDS].map((kind) => ({
      known: kind,
      ...Object.fromEntries(
        ['all', ...FIGURES].map((figure) => [
          figure,
          describe(
            checks.filter(
              (check) => (kind === 'all' || check.kind === kind) && (figure === 'all' || check.figure === figure),
            ),
          ),
        ]),
      ),
    }));
    const share = shareOf(checks);
    return [
      {
        title:
          'Share of figures of one more run inside the 90 % band (and of those outside, the share below it), in %; ' +
          `${loads} loads, ${checks.length} figures; allowed ${ALLOWED.join(' to ')} of all`,
        rows,
        isMet: share >= ALLOWED[0] && share <= ALLOWED[1],
      },
    ];
  },
};

// In a thread of checkAll.
if (workerData) {
  const { first, step, loads } = workerData;
  for (let number = first; number < loads; number += step) parentPort?.postMessage(await checkLoad(number, SEEDS));
}

/**
 * Compares one more run of a load with its prediction.
 *
 * @param {number} number of the load
 * @param {number} seeds of the prediction
 * @returns {Promise<Check[]>}
 */
async function checkLoad(number, seeds) {
  const { kind, poolSize, measure, known } = createHiddenLoad(number);
  const {
    variants: [{ predicted }],
  } = await predict({ ...known, poolSizes: [poolSize], seeds });
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
    ...Object.fromEntries(
      Object.keys(routes).flatMap((route) =>
        ['p50', 'p95', 'p99', 'max'].map((figure) => [`${figure} ${route}`, routes[route][`${figure}Ms`]]),
      ),
    ),
    'mean wait': meanWaitMs ?? (meanWaiting * durationMs) / checkouts,
  };
}

/** @param {Check[]} checks */
function describe(checks) {
  const outside = checks.filter(({ isInside }) => !isInside);
  const below = outside.filter(({ isBelow }) => isBelow).length;
  return `${shareOf(checks).toFixed(1)} (${((100 * below) / outside.length).toFixed(0)})`;
}

/** @param {Check[]} checks in % */
function shareOf(checks) {
  return (100 * checks.filter(({ isInside }) => isInside).length) / checks.length;
}

/**
 * @param {number} loads @param {(line: string) => void} say @param {AbortSignal} signal
 * @returns {Promise<Check[]>}
 */
async function checkAll(loads, say, signal) {
  const threads = Math.min(os.availableParallelism(), loads);
  let done = 0;
  const lists = await Promise.all(
    Array.from(
      { length: threads },
      (_, first) =>
        new Promise((resolve, reject) => {
          /** @type {Check[]} */
          const checks = [];
          const worker = new Worker(new URL(import.meta.url), { workerData: { first, step: threads, loads } });
          signal.addEventListener('abort', () => void worker.terminate());
          worker.on('message', (list) => {
            checks.push(...list);
            if (++done % 100 === 0) say(`${done} of ${loads} loads`);
          });
          worker.on('error', reject);
          worker.on('exit', () => (signal.aborted ? reject(signal.reason) : resolve(checks)));
        }),
    ),
  );
  return lists.flat();
}
