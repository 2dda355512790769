import { fileURLToPath } from 'node:url';
import { BSON } from 'mongodb';
import { forkScript } from '../../harness/forked-process.js';

/** @import { ReplicateOptions } from 'oplog-replicator' */
/** @import { Report } from './replicator.js' */

const SCRIPT = fileURLToPath(new URL('replicator.js', import.meta.url));

/**
 * Replicate in a process of its own.
 *
 * @param {ReplicateOptions} options
 * @param {object} [surroundings]
 * @param {(report: Report) => void} [surroundings.onReport] hears of it each second
 * @param {AbortSignal} [surroundings.signal] ends the process
 * @returns {Promise<{ end: Promise<Report>, stop: () => Promise<void> }>} once it reads the oplog; `end` when all up to
 *   `until` is applied; `stop` ends the process, also one that has failed
 * @throws {Error} why it can't replicate
 */
export async function startReplicator(options, { onReport = () => {}, signal } = {}) {
  const { child, died, stop } = await forkScript(SCRIPT, { name: 'the replicator', signal });
  /** @param {string} name of a part of a message @returns {Promise<any>} */
  const hear = (name) => new Promise((resolve, reject) => {
    died.then(reject);
    child.on('message', (/** @type {any} */ message) => {
      if (message.error) reject(new Error(message.error));
      else if (name in message) resolve(message[name]);
    });
  });
  const started = hear('started');
  const end = hear('end');
  // Whoever waits for it learns of a failure; nobody does while a process is started.
  end.catch(() => {});
  child.on('message', (/** @type {any} */ { report }) => report && onReport(report));
  child.send(BSON.EJSON.stringify(options));
  await started;
  return { end, stop };
}
