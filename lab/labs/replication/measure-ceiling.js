import { runClosedLoop } from '../../harness/loads/closed-loop.js';
import { makeDocument } from './fill-source.js';
import { SINGLE_INSERTS } from './measure-single-inserts.js';
import { WRITE_CONCERN } from './measure-case.js';

/** @import { Testbed } from './testbed.js' */

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
