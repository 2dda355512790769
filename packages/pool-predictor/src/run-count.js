/** @import { SimulateRuns } from './simulation-runs.js' */

/**
 * @typedef {{ step: string, done: number, total: number }} Progress simulation runs; `total` is an estimate as long as it
 *   is not known which pools will be simulated
 */

/**
 * Reports each run that ends.
 *
 * @param {SimulateRuns} simulateRuns
 * @param {(progress: Progress) => void} onProgress
 */
export function countRuns(simulateRuns, onProgress) {
  let step = '';
  let done = 0;
  let left = 0;
  return {
    /** @param {string} name of what is simulated next */
    begin(name) {
      step = name;
    },
    /** @param {number} runs that are still to come */
    expect(runs) {
      left = runs;
    },
    /** @type {SimulateRuns} */
    simulateRuns: (runs) => simulateRuns(runs, () => {
      done++;
      left = Math.max(0, left - 1);
      onProgress({ step, done, total: done + left });
    }),
  };
}
