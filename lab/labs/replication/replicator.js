// Runs the replicator in its own process, to measure its CPU and memory. The parent sends options, gets a report when
// the replication has ended, and may send options again: the process is warm then. It disconnects to end the process.
import { BSON } from 'mongodb';
import { replicate } from 'oplog-replicator';
import { onParentGone } from '../../../src/process/parent.js';

/** @import { Figures } from 'oplog-replicator' */

/**
 * @typedef {object} ReplicatorReport
 * @property {Figures} figures
 * @property {number} cpuMs used since the replication began
 * @property {number} elapsedMs since the replication began
 * @property {number} peakRssMB since the process started
 */

/** @param {string} options extended JSON, which supports Timestamps */
async function run(options) {
  const startedAtMs = performance.now();
  const cpuAtStart = process.cpuUsage();
  const replication = await replicate(BSON.EJSON.parse(options));
  process.send?.({ started: true });
  const figures = await replication.done;
  const { user, system } = process.cpuUsage(cpuAtStart);
  /** @type {ReplicatorReport} */
  const end = {
    figures,
    cpuMs: (user + system) / 1000,
    elapsedMs: performance.now() - startedAtMs,
    peakRssMB: (process.resourceUsage().maxRSS * 1024) / 1e6,
  };
  process.send?.({ end });
}

// Safe at any moment: the next replicator continues from the checkpoint.
onParentGone(() => process.exit());
process.on('message', (options) => {
  run(String(options)).catch((error) => process.send?.({ error: error.message }));
});
process.send?.('ready');
