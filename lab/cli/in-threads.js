import { isMainThread } from 'node:worker_threads';
import { createSimulationThreads } from 'mongodb-pool-predictor/node';
import { createRunProgress } from './progress-bar.js';

/** @typedef {Parameters<typeof createSimulationThreads>[0]} ThreadInput */

/**
 * Simulates on all processors and shows the progress on stderr. Whoever runs commands in threads uses the other
 * processors already.
 * @template T
 * @param {ThreadInput} input
 * @param {(hooks: { simulateRuns: ReturnType<typeof createSimulationThreads>['simulateRuns'],
 *   onProgress: ReturnType<typeof createRunProgress>['onProgress'],
 *   say: ReturnType<typeof createRunProgress>['say'] }) => Promise<T>} work
 * @returns {Promise<T>} what `work` returns
 */
export async function inThreads(input, work) {
  const progress = createRunProgress(process.stderr);
  const { simulateRuns, close } = createSimulationThreads(input, isMainThread ? {} : { threads: 1 });
  try {
    return await work({ simulateRuns, onProgress: progress.onProgress, say: progress.say });
  } finally {
    progress.stop();
    await close();
  }
}
