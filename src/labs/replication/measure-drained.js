import { setTimeout as sleep } from 'node:timers/promises';
import { makeFields } from './fill-source.js';
import { WRITE_CONCERN } from './measure-case.js';
import { measureLatency } from './measure-latency.js';
import { startReplicator } from './start-replicator.js';

/** @import { Report } from './replicator.js' */
/** @import { Stage } from './stage.js' */
/** @import { Way } from './cases.js' */

/** What single inserts are made of; no case has data of this shape. */
export const DRAINED = { collections: 1, fields: 5, shards: 1 };

const IDLE_MS = 6000;

/**
 * How late single inserts are when no backlog is left, and what the replicator's process costs while nothing comes.
 *
 * @param {Stage} stage
 * @param {Way & { merge: boolean }} way
 * @param {object} options
 * @param {number} options.inserts
 * @param {(report: Report) => void} [options.onReport] hears of the replicator each second
 * @param {AbortSignal} [options.signal]
 */
export async function measureDrained(stage, { workers, hash, merge }, { inserts, onReport = () => {}, signal }) {
  await stage.fill(DRAINED, 0);
  await stage.clearTarget(DRAINED);
  /** @type {Report[]} */
  const reports = [];
  const replicator = await startReplicator({
    ...stage.describe(DRAINED), target: stage.target.url, tunnel: 'direct', workers, hash, merge,
    writeConcern: WRITE_CONCERN,
  }, { signal, onReport: (report) => { onReport(report); reports.push(report); } });
  try {
    const makeDocument = (/** @type {number} */ index) => makeFields(index, DRAINED);
    const latency = measureLatency({ ...stage.pickCollections(DRAINED), makeDocument, inserts, signal });
    // It has no end by itself: it only says why it failed.
    await Promise.race([latency, replicator.end]);
    const before = reports.length;
    await sleep(IDLE_MS, undefined, { signal });
    const [first, last] = [reports[before], reports[reports.length - 1]];
    return {
      latency: await latency,
      idleCpuPercent: (last.cpuMs - first.cpuMs) / (last.elapsedMs - first.elapsedMs) * 100,
      peakRssMB: last.peakRssMB,
    };
  } finally {
    await replicator.stop();
  }
}
