import { startReplicator } from './start-replicator.js';

/** @import { Report } from './replicator.js' */
/** @import { Data, Stage } from './stage.js' */
/** @import { Way } from './cases.js' */

/**
 * Acknowledged by the primary, as was the default of the published experiment's time. A replicator loses nothing by it:
 * its checkpoint is written after what it stands for, so that a target that forgets the one has forgotten the other.
 */
export const WRITE_CONCERN = { w: 1 };

/**
 * @typedef {object} CaseFigures
 * @property {number} ops operations moved
 * @property {number} tookMs
 * @property {number} ratePerSec
 * @property {number} opsPerWrite how many were merged into one write; with the tunnel mock, into what a worker threw away
 * @property {number} cpuPercent of one processor, by the replicator's process
 * @property {number} peakRssMB of the same
 */

/**
 * Move what the source holds to an empty target, and compare the two.
 *
 * @param {Stage} stage filled with the data
 * @param {Data & Way & { merge: boolean }} settings
 * @param {object} options
 * @param {number} options.ops how many the source holds
 * @param {(report: Report) => void} [options.onReport] hears of the replicator each second and at the end
 * @param {AbortSignal} [options.signal]
 * @returns {Promise<{ measured: CaseFigures, failed?: string }>}
 */
export async function measureCase(stage, settings, { ops, onReport = () => {}, signal }) {
  const { tunnel, workers, hash, merge } = settings;
  if (tunnel === 'direct') await stage.clearTarget(settings);
  const replicator = await startReplicator({
    ...stage.describe(settings), until: stage.listEnds(settings), tunnel, workers, hash, merge, writeConcern: WRITE_CONCERN,
    target: tunnel === 'direct' ? stage.target.url : null,
  }, { onReport, signal });
  try {
    const end = await replicator.end;
    onReport(end);
    const { figures, cpuMs, elapsedMs, peakRssMB } = end;
    const problem = figures.inserts === ops
      ? tunnel === 'direct' && describeDifferences(await stage.compare(settings))
      : `${figures.inserts} of ${ops} inserts were moved`;
    return {
      measured: {
        ops: figures.inserts,
        tookMs: figures.tookMs,
        ratePerSec: figures.inserts / figures.tookMs * 1000,
        opsPerWrite: figures.inserts / figures.batches,
        cpuPercent: cpuMs / elapsedMs * 100,
        peakRssMB,
      },
      ...(problem && { failed: problem }),
    };
  } finally {
    await replicator.stop();
  }
}

/** @param {string[]} names */
function describeDifferences(names) {
  return names.length > 0 && `source and target differ in ${names.join(', ')}`;
}
