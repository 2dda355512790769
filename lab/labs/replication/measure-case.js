import { sum } from '../../base/statistics.js';
import { startReplicator } from './start-replicator.js';
import { runClosedLoop } from '../../harness/loads/closed-loop.js';
import { makeDocument } from './fill-source.js';
import { SINGLE_INSERTS } from './measure-single-inserts.js';

/** @import { ReplicateOptions } from 'oplog-replicator' */
/** @import { ReplicatorSettings } from './cases.js' */
/** @import { ReplicatorReport } from './replicator.js' */
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
 * Replicates the data to an empty target, again and again in one process, and compares the two in the end.
 *
 * @param {Testbed} testbed filled with the data
 * @param {Data & ReplicatorSettings & { rttMs?: number }} settings
 * @param {object} options
 * @param {number} options.ops that the source has
 * @param {number} options.seconds how long it is measured at least
 * @param {(report: ReplicatorReport) => void} [options.onReport] called each second and at the end
 * @param {AbortSignal} [options.signal]
 * @returns {Promise<{ measured: CaseFigures, failed?: string }>}
 */
export async function measureCase(testbed, settings, { ops, seconds, onReport = () => {}, signal }) {
  const { mode, workers, hash, merge, rttMs = 0 } = settings;
  const prepare = async () => {
    if (mode === 'direct') await testbed.clearTarget(settings);
  };
  const target = await testbed.openTarget(rttMs);
  try {
    const ends = await replicateFor(
      seconds * 1000,
      {
        ...testbed.sourceOptions(settings),
        until: testbed.listEnds(settings),
        workers,
        hash,
        merge,
        writeConcern: WRITE_CONCERN,
        target: mode === 'direct' ? target.url : null,
      },
      { prepare, onReport, signal },
    );
    const wrong = ends.map(countOperations).find((count) => count !== ops);
    const problem =
      wrong === undefined
        ? mode === 'direct' && describeDifferences(await testbed.compare(settings))
        : `${wrong} of ${ops} operations were replicated`;
    return { measured: summarise(ends), ...(problem && { failed: problem }) };
  } finally {
    await target.close();
  }
}

/**
 * Repeats a replication until all but the first, which is the warm-up, took long enough. If the first took long enough,
 * it is the only one.
 *
 * @param {number} enoughMs
 * @param {ReplicateOptions} options
 * @param {object} surroundings
 * @param {() => Promise<void>} surroundings.prepare called before each replication
 * @param {(report: ReplicatorReport) => void} surroundings.onReport
 * @param {AbortSignal} [surroundings.signal]
 * @returns {Promise<ReplicatorReport[]>} without that of the warm-up
 */
async function replicateFor(enoughMs, options, { prepare, onReport, signal }) {
  const replicator = await startReplicator({ onReport, signal });
  const replicateOnce = async () => {
    await prepare();
    const { end } = await replicator.replicate(options);
    onReport(await end);
    return end;
  };
  try {
    const first = await replicateOnce();
    if (first.figures.tookMs >= enoughMs) return [first];
    /** @type {ReplicatorReport[]} */
    const ends = [];
    while (sum(ends.map(({ figures }) => figures.tookMs)) < enoughMs) ends.push(await replicateOnce());
    return ends;
  } finally {
    await replicator.stop();
  }
}

/** @param {ReplicatorReport[]} ends @returns {CaseFigures} */
function summarise(ends) {
  const [ops, tookMs, batches, cpuMs, elapsedMs] = [
    ends.map(countOperations),
    ends.map(({ figures }) => figures.tookMs),
    ends.map(({ figures }) => figures.batches),
    ends.map(({ cpuMs }) => cpuMs),
    ends.map(({ elapsedMs }) => elapsedMs),
  ].map(sum);
  return {
    ops,
    tookMs,
    ratePerSec: (ops / tookMs) * 1000,
    opsPerBatch: ops / batches,
    cpuPercent: (cpuMs / elapsedMs) * 100,
    peakRssMB: ends[ends.length - 1].peakRssMB,
  };
}

/** @param {ReplicatorReport} report */
function countOperations({ figures: { inserts, updates, deletes } }) {
  return inserts + updates + deletes;
}

/** @param {string[]} names */
function describeDifferences(names) {
  return names.length > 0 && `source and target differ in ${names.join(', ')}`;
}

const WARM_UP_MS = 500;

/**
 * Measures what the target takes without a replicator: inserts of this process.
 *
 * @param {Testbed} testbed
 * @param {object} settings
 * @param {number} settings.workers inserts at a time
 * @param {number} settings.opsPerBatch documents of an insert
 * @param {number} settings.forMs
 * @param {AbortSignal} [signal]
 * @returns {Promise<{ ops: number, tookMs: number, ratePerSec: number, opsPerBatch: number }>}
 */
export async function measureCeiling(testbed, { workers, opsPerBatch, forMs }, signal) {
  await testbed.fill(SINGLE_INSERTS, 0);
  await testbed.clearTarget(SINGLE_INSERTS);
  const { target } = testbed.pickCollections(SINGLE_INSERTS);
  let made = 0;
  const make = () => makeDocument(made++, SINGLE_INSERTS);
  const task = () =>
    target.insertMany(Array.from({ length: opsPerBatch }, make), { ordered: false, writeConcern: WRITE_CONCERN });
  const run = (/** @type {number} */ withinMs) => runClosedLoop({ workers, task, withinMs }, { signal });
  await run(WARM_UP_MS);
  const { count, tookMs } = await run(forMs);
  const ops = count * opsPerBatch;
  return { ops, tookMs, ratePerSec: (ops / tookMs) * 1000, opsPerBatch };
}
