import { setTimeout as sleep } from 'node:timers/promises';
import { isPassing } from './errors.js';
import { startSession } from './session.js';

/** @import { Progress } from './target/checkpoint.js' */
/** @import { Work } from './session.js' */

/** @typedef {Awaited<ReturnType<typeof startSession>>} Session */

const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 2000;
/** For how long it is tried again while nothing moves. Servers that are away have the driver's own patience on top. */
const PATIENCE_MS = 30_000;

/**
 * Replicate one source, in as many sessions as it takes.
 *
 * @param {Work} work
 * @param {Progress} begin
 * @param {object} options
 * @param {AbortSignal} options.stop ends it once all is written that was read
 * @param {(session: Session) => void} options.onSession hears of each that begins
 * @throws {Error} what does not pass
 */
export async function followSource(work, begin, { stop, onSession }) {
  const { target, checkpoint, counts: { counters } } = work;
  /** @type {Progress | null} */
  let progress = begin;
  let pauseMs = FIRST_PAUSE_MS;
  let moved = -1;
  let movedAtMs = performance.now();
  for (;;) {
    const isLast = stop.aborted;
    try {
      await target?.reach();
      await target?.waitForWrites();
      const session = await startSession(work, progress ?? await checkpoint.read() ?? begin, stop);
      progress = null;
      onSession(session);
      return await session.done;
    } catch (error) {
      if (!isPassing(error) || isLast) throw error;
      if (counters.ops + counters.skipped > moved) {
        moved = counters.ops + counters.skipped;
        movedAtMs = performance.now();
        pauseMs = FIRST_PAUSE_MS;
      }
      if (performance.now() - movedAtMs > PATIENCE_MS) throw error;
    }
    // A stop in the meantime is heeded by the next session.
    await sleep(pauseMs, undefined, { signal: stop }).catch(() => {});
    pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS);
  }
}
