import { fileURLToPath } from 'node:url';
import { BSON } from 'mongodb';
import { forkScript } from '../../harness/forked-process.js';

/** @import { ReplicateOptions } from 'oplog-replicator' */
/** @import { Report } from './replicator.js' */

const SCRIPT = fileURLToPath(new URL('replicator.js', import.meta.url));

/**
 * Starts a replicator in its own process.
 *
 * @param {ReplicateOptions} options
 * @param {object} [surroundings]
 * @param {(report: Report) => void} [surroundings.onReport] called each second
 * @param {AbortSignal} [surroundings.signal] stops the process
 * @returns {Promise<{ end: Promise<Report>, stop: () => Promise<void> }>} resolves once it reads the oplog; `end`: `until`
 *   was reached; `stop` also stops a process that failed
 * @throws {Error} why it can't replicate
 */
export async function startReplicator(options, { onReport = () => {}, signal } = {}) {
  const { child, died, stop } = await forkScript(SCRIPT, { name: 'the replicator', signal });
  /** @param {string} name of a part of a message @returns {Promise<any>} */
  const receive = (name) => new Promise((resolve, reject) => {
    died.then(reject);
    child.on('message', (/** @type {any} */ message) => {
      if (message.error) reject(new Error(message.error));
      else if (name in message) resolve(message[name]);
    });
  });
  const started = receive('started');
  const end = receive('end');
  // A failure before the caller awaits `end` is not an unhandled rejection.
  end.catch(() => {});
  child.on('message', (/** @type {any} */ { report }) => report && onReport(report));
  child.send(BSON.EJSON.stringify(options));
  await started;
  return { end, stop };
}

/**
 * @param {string} name of what is measured
 * @returns {(report: Report) => string} describes in one line what happened since the last report
 */
export function createReportFormatter(name) {
  let before = { ops: 0, cpuMs: 0, elapsedMs: 0 };
  return ({ figures: { ops, lagMs, backlog, backlogByWorker }, cpuMs, elapsedMs, peakRssMB }) => {
    const ms = elapsedMs - before.elapsedMs;
    const line = [
      `${name}: ${Math.round((ops - before.ops) / ms * 1000)} ops/s`,
      `CPU ${Math.round((cpuMs - before.cpuMs) / ms * 100)} %`,
      `peak RSS ${Math.round(peakRssMB)} MB`,
      `backlog ${backlog}, largest of a worker ${Math.max(0, ...backlogByWorker)}`,
      `lag ${Math.round(lagMs)} ms`,
    ].join(' · ');
    before = { ops, cpuMs, elapsedMs };
    return line;
  };
}
