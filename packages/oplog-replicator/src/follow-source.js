import { setTimeout as sleep } from 'node:timers/promises';
import { isTransient } from './errors.js';
import { startSession } from './session.js';

/** @import { Session, SessionOptions } from './session.js' */
/** @import { Progress } from './target/checkpoint.js' */

const MIN_PAUSE_MS = 50;
const MAX_PAUSE_MS = 2000;
/** How long to retry without progress. The driver's server selection timeout comes on top. */
const RETRY_FOR_MS = 30_000;

/**
 * Replicates one source. After a transient error a new session continues from the checkpoint.
 *
 * @param {SessionOptions} options
 * @param {Progress} start
 * @param {object} control
 * @param {AbortSignal} control.stop ends it once everything read is written
 * @param {(session: Session) => void} control.onSession called with each new session
 * @throws {Error} that a retry does not solve
 */
export async function followSource(options, start, { stop, onSession }) {
  const { target, checkpoint, counters, lag } = options;
  /** @type {Progress | null} */
  let progress = start;
  let pauseMs = MIN_PAUSE_MS;
  let processed = -1;
  let processedAtMs = performance.now();
  for (;;) {
    const isLast = stop.aborted;
    try {
      await target?.begin();
      await target?.waitForWrites();
      const session = await startSession(options, progress ?? await checkpoint.read() ?? start, stop);
      progress = null;
      onSession(session);
      await session.done;
      lag.end();
      return;
    } catch (error) {
      if (!isTransient(error) || isLast) throw error;
      if (counters.processed > processed) {
        processed = counters.processed;
        processedAtMs = performance.now();
        pauseMs = MIN_PAUSE_MS;
      }
      if (performance.now() - processedAtMs > RETRY_FOR_MS) throw error;
    }
    // If this was stopped during the pause, one more session writes what is left.
    await sleep(pauseMs, undefined, { signal: stop }).catch(() => {});
    pauseMs = Math.min(2 * pauseMs, MAX_PAUSE_MS);
  }
}
