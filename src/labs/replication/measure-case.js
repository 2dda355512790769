import { startReplicator } from './start-replicator.js';

/** @import { ReplicatorSettings } from './cases.js' */
/** @import { Report } from './replicator.js' */
/** @import { Data, Testbed } from './testbed.js' */

/**
 * The default when the published experiment was made. The replicator loses nothing by it: a checkpoint waits until a
 * majority has the writes that it covers.
 */
export const WRITE_CONCERN = { w: 1 };

/**
 * @typedef {object} CaseFigures
 * @property {number} ops operations replicated
 * @property {number} tookMs
 * @property {number} ratePerSec
 * @property {number} opsPerBatch
 * @property {number} cpuPercent of one processor, used by the replicator's process
 * @property {number} peakRssMB of this process
 */

/**
 * Replicates the data to an empty target and compares the two.
 *
 * @param {Testbed} testbed filled with the data
 * @param {Data & ReplicatorSettings & { rttMs?: number }} settings
 * @param {object} options
 * @param {number} options.ops that the source has
 * @param {(report: Report) => void} [options.onReport] called each second and at the end
 * @param {AbortSignal} [options.signal]
 * @returns {Promise<{ measured: CaseFigures, failed?: string }>}
 */
export async function measureCase(testbed, settings, { ops, onReport = () => {}, signal }) {
  const { mode, workers, hash, merge, rttMs = 0 } = settings;
  if (mode === 'direct') await testbed.clearTarget(settings);
  const target = await testbed.openTarget(rttMs);
  try {
    const end = await runReplicator({
      ...testbed.sourceOptions(settings), until: testbed.listEnds(settings), workers, hash, merge, writeConcern: WRITE_CONCERN,
      target: mode === 'direct' ? target.url : null,
    }, { onReport, signal });
    onReport(end);
    const { figures, cpuMs, elapsedMs, peakRssMB } = end;
    const replicated = figures.inserts + figures.updates + figures.deletes;
    const problem = replicated === ops
      ? mode === 'direct' && describeDifferences(await testbed.compare(settings))
      : `${replicated} of ${ops} operations were replicated`;
    return {
      measured: {
        ops: replicated,
        tookMs: figures.tookMs,
        ratePerSec: replicated / figures.tookMs * 1000,
        opsPerBatch: replicated / figures.batches,
        cpuPercent: cpuMs / elapsedMs * 100,
        peakRssMB,
      },
      ...(problem && { failed: problem }),
    };
  } finally {
    await target.close();
  }
}

/** @param {Parameters<typeof startReplicator>} args @returns {Promise<Report>} once `until` is reached */
async function runReplicator(...args) {
  const replicator = await startReplicator(...args);
  try {
    return await replicator.end;
  } finally {
    await replicator.stop();
  }
}

/** @param {string[]} names */
function describeDifferences(names) {
  return names.length > 0 && `source and target differ in ${names.join(', ')}`;
}
