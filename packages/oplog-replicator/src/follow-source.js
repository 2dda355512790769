import { retryTransient } from './retry.js';
import { startSession } from './session.js';

/** @import { Session, SessionOptions } from './session.js' */
/** @import { Progress } from './target/checkpoint.js' */

/**
 * @typedef {object} Control
 * @property {AbortSignal} stop ends it once everything read is written
 * @property {(session: Session) => void} onSession called with each new session
 */

/**
 * Replicates one source. After a transient error a new session continues from the checkpoint.
 *
 * @param {SessionOptions} options
 * @param {Progress} start
 * @param {Control} control
 * @throws {Error} that a retry does not solve
 */
export async function followSource(options, start, { stop, onSession }) {
  const { target, checkpoint, counters } = options;
  /** @type {Progress | null} */
  let progress = start;
  await retryTransient(async () => {
    await target?.begin();
    await target?.waitForWrites();
    const session = await startSession(options, progress ?? await checkpoint.read() ?? start, stop);
    progress = null;
    onSession(session);
    await session.done;
  }, { stop, countProgress: () => counters.processed });
}
