import { fileURLToPath } from 'node:url';
import { BSON } from 'mongodb';
import { forkScript } from '../../harness/forked-process.js';

/** @import { ReplicateOptions } from 'oplog-replicator' */
/** @import { ReplicatorReport } from './replicator.js' */

const SCRIPT = fileURLToPath(new URL('replicator.js', import.meta.url));

/**
 * A process that replicates, once or several times.
 * @typedef {object} ReplicatorProcess
 * @property {(options: ReplicateOptions) => Promise<{ end: Promise<ReplicatorReport> }>} replicate resolves once it
 *   reads the oplog; `end`: `until` was reached. Both throw why it can't replicate
 * @property {() => Promise<void>} stop also stops a replication that goes on
 */

/**
 * @param {AbortSignal} [signal] stops the process
 * @returns {Promise<ReplicatorProcess>}
 */
export async function startReplicator(signal) {
  const { child, died, stop } = await forkScript(SCRIPT, { name: 'the replicator', signal });
  /** @param {string} name of a part of a message @returns {Promise<any>} */
  const receive = (name) =>
    new Promise((resolve, reject) => {
      died.then(reject);
      const listen = (/** @type {any} */ message) => {
        if (!message.error && !(name in message)) return;
        child.off('message', listen);
        if (message.error) reject(new Error(message.error));
        else resolve(message[name]);
      };
      child.on('message', listen);
    });
  return {
    async replicate(options) {
      const [started, end] = ['started', 'end'].map(receive);
      // A failure before the caller awaits `end` is not an unhandled rejection.
      end.catch(() => {});
      child.send(BSON.EJSON.stringify(options));
      await started;
      return { end };
    },
    stop,
  };
}
