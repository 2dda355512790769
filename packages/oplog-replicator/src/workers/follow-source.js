import { retryTransient } from '../base/retry.js';
import { Session } from './session.js';

/** @import { SessionOptions } from './session.js' */
/** @import { OplogProgress } from '../target/checkpoint.js' */

/**
 * @typedef {object} Control
 * @property {AbortSignal} stop ends it once everything read is written
 * @property {(session: Session) => void} onSession called with each new session
 */

/**
 * Replicates one source. After a transient error a new session continues from the checkpoint.
 *
 * @param {SessionOptions} options
 * @param {OplogProgress} start
 * @param {Control} control
 * @throws {Error} that a retry does not solve
 */
export async function followSource(options, start, { stop, onSession }) {
  const { target, checkpoint, counters } = options;
  /** @type {OplogProgress | null} */
  let progress = start;
  await retryTransient(
    async () => {
      await target?.begin();
      await target?.waitForWrites();
      const session = await Session.start(options, progress ?? (await checkpoint.read()) ?? start, stop);
      progress = null;
      onSession(session);
      await session.done;
    },
    { stop, countProgress: () => counters.processed },
  );
}
