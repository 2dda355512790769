// Is advise ever wrong? Rules, fixed before measuring:
//
// - 1000 random loads: open (each user makes one request), closed (several requests, pauses, loops, users who give up) and
//   traces of both. 1 or 2 routes with fixed, exponential or lognormal service times, with and without overhead; 1 or 2 goals
//   around what the load can do; 1, 1.3 or 2 times the load.
// - Brute force, with the same runs: every size from 1 to the most connections ever in use. A size is enough when each goal, at
//   each load, is missed in no more runs than 95 % confidence for 95 of 100 runs allows. The smallest such size, or that there
//   is none, must be the advice.
// - Without overhead, a goal must be refused (belowNoise) exactly when it leaves less above the time without a wait than the
//   noise that advise reports, unless no size meets the goals anyway.
// - 400 fresh runs, with other seeds. The advised size is too small when they miss a goal so often that 95 of 100 are ruled out:
//   P(that many or more of 400 | 5 %) < 1e-4. One connection fewer is wrongly refused when they miss no goal often enough to
//   agree with the first runs: for each goal that was missed too often, Fisher's exact test < 1e-4.
// - Met when nothing is wrong.
import os from 'node:os';
import { Worker } from 'node:worker_threads';
import { KINDS } from './advice-loads.js';

/** @import { Check } from './advice-worker.js' */

export const PART = {
  name: 'advice',
  about: 'advise against brute force over all sizes, on random loads',
  /** @param {{ loads?: number, say?: (line: string) => void, signal?: AbortSignal }} options */
  async run({ loads = 1000, say = () => {}, signal }) {
    const checks = await checkAll(loads, say, signal);
    const rows = [...KINDS, 'all'].map((kind) => {
      const ofKind = checks.filter((check) => kind === 'all' || check.kind === kind);
      const count = (/** @type {(check: Check) => boolean} */ is) => ofKind.filter(is).length;
      const verdict = (/** @type {string} */ name) => count((check) => check.verdict === name);
      return {
        load: kind,
        loads: ofKind.length,
        size: verdict('size'),
        'no size': verdict('nothing'),
        'below noise': verdict('belowNoise'),
        'not enough data': verdict('notEnoughData'),
        wrong: count(({ wrong }) => wrong.length > 0),
        'more is worse': count(({ isMoreWorse }) => isMoreWorse),
        'binary search fails': count(({ failsBinarySearch }) => failsBinarySearch),
      };
    });
    const wrong = checks.flatMap((check) => check.wrong.map((text) => ({ load: check.number, wrong: text })));
    return [
      { title: `Advice for ${loads} random loads; allowed 0 wrong`, rows, isMet: wrong.length === 0 },
      ...(wrong.length > 0 ? [{ title: 'Wrong advice', rows: wrong }] : []),
    ];
  },
};

/**
 * @param {number} loads @param {(line: string) => void} say @param {AbortSignal} [signal]
 * @returns {Promise<Check[]>}
 */
async function checkAll(loads, say, signal) {
  const threads = Math.min(os.availableParallelism(), loads);
  /** @type {Check[]} */
  const checks = [];
  await Promise.all(Array.from({ length: threads }, (_, first) => new Promise((resolve, reject) => {
    const worker = new Worker(new URL('./advice-worker.js', import.meta.url), { workerData: { first, step: threads, loads } });
    signal?.addEventListener('abort', () => void worker.terminate());
    worker.on('message', (check) => {
      if (checks.push(check) % 50 === 0) {
        say(`${checks.length} of ${loads} loads, ${checks.filter(({ wrong }) => wrong.length > 0).length} wrong`);
      }
    });
    worker.on('error', reject);
    worker.on('exit', () => (signal?.aborted ? reject(signal.reason) : resolve(null)));
  })));
  return checks;
}
