import { sum } from 'mongodb-pool-predictor/statistics';
import { startReplicator } from './start-replicator.js';
import { runClosedLoop } from '../../harness/loads/closed-loop.js';
import { makeDocument } from './fill-source.js';
import { OTHER_INSERTS, WRITE_CONCERN } from './cases.js';

/** @import { ReplicatorSettings } from './cases.js' */
/** @import { OplogRange } from './fill-source.js' */
/** @import { ReplicatorReport } from './replicator.js' */
/** @import { Data, Testbed } from './testbed.js' */

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
 * Replicates the data to an empty target, again and again in one process, and compares the two in the end. The first
 * tenth is the warm-up.
 *
 * @param {Testbed} testbed filled with the data
 * @param {Data & ReplicatorSettings & { rttMs?: number }} settings
 * @param {object} options
 * @param {number} options.ops that the source has
 * @param {number} options.seconds how long it is measured at least; 0: once, without a warm-up
 * @param {AbortSignal} [options.signal]
 * @returns {Promise<{ measured: CaseFigures, failed?: string }>}
 */
export async function measureCase(testbed, settings, { ops, seconds, signal }) {
  const { mode, workers, hash, merge, rttMs = 0 } = settings;
  const prepare = async () => {
    if (mode === 'direct') await testbed.clearTarget(settings);
  };
  const target = await testbed.openTarget(rttMs);
  const replicator = await startReplicator(signal);
  const common = {
    ...testbed.sourceOptions(settings),
    workers,
    hash,
    merge,
    writeConcern: WRITE_CONCERN,
    target: mode === 'direct' ? target.url : null,
  };
  /** @type {ReplicatorReport[]} */
  const ends = [];
  const replicatePart = async (/** @type {keyof OplogRange} */ from, /** @type {keyof OplogRange} */ until) => {
    const [start, stop] = [from, until].map((name) => testbed.listTimes(settings, name));
    const { end } = await replicator.replicate({ ...common, from: start, until: stop });
    ends.push(await end);
  };
  const isEnough = () => sum(ends.slice(1).map(({ figures }) => figures.tookMs)) >= seconds * 1000;
  try {
    await prepare();
    if (seconds > 0) await replicatePart('from', 'middle');
    await replicatePart(seconds > 0 ? 'middle' : 'from', 'until');
    let rounds = 1;
    for (; !isEnough(); rounds++) {
      await prepare();
      await replicatePart('from', 'until');
    }
    const count = sum(ends.map(countOperations));
    const problem =
      count === rounds * ops
        ? mode === 'direct' && describeDifferences(await testbed.compare(settings))
        : `${count} of ${rounds * ops} operations were replicated`;
    return { measured: summarise(seconds > 0 ? ends.slice(1) : ends), ...(problem && { failed: problem }) };
  } finally {
    await replicator.stop();
    await target.close();
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
  await testbed.fill(OTHER_INSERTS, 0);
  await testbed.clearTarget(OTHER_INSERTS);
  const { target } = testbed.pickCollections(OTHER_INSERTS);
  let made = 0;
  const make = () => makeDocument(made++, OTHER_INSERTS);
  const task = () =>
    target.insertMany(Array.from({ length: opsPerBatch }, make), { ordered: false, writeConcern: WRITE_CONCERN });
  const run = (/** @type {number} */ withinMs) => runClosedLoop({ workers, task, withinMs }, { signal });
  await run(WARM_UP_MS);
  const { count, tookMs } = await run(forMs);
  const ops = count * opsPerBatch;
  return { ops, tookMs, ratePerSec: (ops / tookMs) * 1000, opsPerBatch };
}
