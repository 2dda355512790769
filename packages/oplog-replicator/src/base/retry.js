import { setTimeout as sleep } from 'node:timers/promises';
import { isTransient } from './errors.js';

const MIN_PAUSE_MS = 50;
const MAX_PAUSE_MS = 2000;
/** How long to retry without progress. The driver's server selection timeout comes on top. */
const MAX_RETRY_MS = 30_000;

/**
 * Repeats an attempt after transient errors, such as a lost connection or an election.
 *
 * @template T
 * @param {() => Promise<T>} attempt
 * @param {object} control
 * @param {AbortSignal} control.stop once it is aborted, there is one more attempt
 * @param {() => number} [control.countProgress] grows as long as attempts get further
 * @returns {Promise<T>}
 * @throws {Error} that a retry does not solve
 */
export async function retryTransient(attempt, { stop, countProgress = () => 0 }) {
  let pauseMs = MIN_PAUSE_MS;
  let progress = -1;
  let progressAtMs = performance.now();
  for (;;) {
    const isLast = stop.aborted;
    try {
      return await attempt();
    } catch (error) {
      if (!isTransient(error) || isLast) throw error;
      if (countProgress() > progress) {
        progress = countProgress();
        progressAtMs = performance.now();
        pauseMs = MIN_PAUSE_MS;
      }
      if (performance.now() - progressAtMs > MAX_RETRY_MS) throw error;
    }
    await sleep(pauseMs, undefined, { signal: stop }).catch(() => {});
    pauseMs = Math.min(2 * pauseMs, MAX_PAUSE_MS);
  }
}
