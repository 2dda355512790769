// How often does one more run fall into the 90 % band? Rules, fixed before measuring:
//
// - Each load is new: pools of 1 to 10 connections, utilisation 0.3 to 0.95, 1 to 3 routes with exponential or lognormal service
//   times, 400 to 1500 users.
// - The predictor gets what a user would have: the scenario and the service times; or the scenario and 50 to 500 measurements
//   of each service time and of the overhead; or a trace of one run, recorded at a size within 2 of the predicted one.
// - One more run with the true times is compared: p50, p95, p99 and max of each route, and the mean wait.
// - A figure that is the same in all runs and in this one is left out (nobody waits: the mean wait is 0). It proves nothing.
// - Met when 88 to 92 % of all figures lie in their band. The table also shows each kind and each figure, where it may be less:
//   a trace holds one random run, and nothing measured shows how long the longest query to come will take.
import os from 'node:os';
import { Worker } from 'node:worker_threads';
import { KINDS } from './bands/hidden-load.js';

/** @import { PartContext } from '../parts/run-parts.js' */
/** @import { Check } from './bands/check-load.js' */

const FIGURES = ['p50', 'p95', 'p99', 'max', 'mean wait'];
const ALLOWED = [88, 92];
/** Of each prediction. */
const SEEDS = 39;

export const PART = {
  name: 'coverage',
  about: 'how often one more run falls into the 90 % band',
  /** @param {Pick<PartContext, 'loads' | 'say' | 'signal'>} context */
  async run({ loads, say, signal }) {
    const checks = (await checkAll(loads, say, signal)).filter(({ isCertain }) => !isCertain);
    const rows = ['all', ...KINDS].map((kind) => ({
      known: kind,
      ...Object.fromEntries(['all', ...FIGURES].map((figure) => [figure, describe(checks.filter((check) => (
        (kind === 'all' || check.kind === kind) && (figure === 'all' || check.figure === figure))))])),
    }));
    const share = shareOf(checks);
    return [{
      title: `Share of figures of one more run inside the 90 % band (and of those outside, the share below it), in %; ${loads} loads, `
        + `${checks.length} figures; allowed ${ALLOWED.join(' to ')} of all`,
      rows,
      isMet: share >= ALLOWED[0] && share <= ALLOWED[1],
    }];
  },
};

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
  const lists = await Promise.all(Array.from({ length: threads }, (_, first) => new Promise((resolve, reject) => {
    /** @type {Check[]} */
    const checks = [];
    const worker = new Worker(new URL('./bands/worker.js', import.meta.url), { workerData: { first, step: threads, loads, seeds: SEEDS } });
    signal.addEventListener('abort', () => void worker.terminate());
    worker.on('message', (list) => {
      checks.push(...list);
      if (++done % 100 === 0) say(`${done} of ${loads} loads`);
    });
    worker.on('error', reject);
    worker.on('exit', () => (signal.aborted ? reject(signal.reason) : resolve(checks)));
  })));
  return lists.flat();
}
