// A process that does nothing but replicate, so that its CPU and memory are the replicator's alone. Its parent sends
// what to do, hears of it each second, and ends it by letting go of it.
import { BSON } from 'mongodb';
import { replicate } from 'oplog-replicator';

/** @import { Figures } from 'oplog-replicator' */

const REPORT_MS = 1000;

/**
 * @typedef {object} Report
 * @property {Figures} figures
 * @property {number} cpuMs of this process since replication began
 * @property {number} elapsedMs since then
 * @property {number} peakRssMB of this process since its start
 */

/** @param {string} options extended JSON, which keeps a Timestamp whole */
async function run(options) {
  const startedAtMs = performance.now();
  const cpuAtStart = process.cpuUsage();
  /** @param {Figures} figures @returns {Report} */
  const describe = (figures) => {
    const { user, system } = process.cpuUsage(cpuAtStart);
    return {
      figures,
      cpuMs: (user + system) / 1000,
      elapsedMs: performance.now() - startedAtMs,
      peakRssMB: process.resourceUsage().maxRSS * 1024 / 1e6,
    };
  };
  const replication = await replicate(BSON.EJSON.parse(options));
  process.send?.({ started: true });
  const ticker = setInterval(() => process.send?.({ report: describe(replication.figures()) }), REPORT_MS);
  try {
    process.send?.({ end: describe(await replication.done) });
  } finally {
    clearInterval(ticker);
  }
}

// It may be ended at any moment: what is not written then, the next one writes.
process.once('disconnect', () => process.exit());
process.once('message', (options) => {
  run(String(options))
    .catch((error) => process.send?.({ error: error.message }))
    .finally(() => process.disconnect?.());
});
process.send?.('ready');
