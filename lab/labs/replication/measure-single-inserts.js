import { poll } from '../../base/poll.js';
import { quantile } from 'mongodb-pool-predictor/statistics';
import { runOpenLoop } from '../../harness/loads/open-loop.js';
import { OTHER_INSERTS, WRITE_CONCERN } from './cases.js';
import { makeDocument } from './fill-source.js';
import { startReplicator } from './start-replicator.js';

/** @import { Collection } from 'mongodb' */
/** @import { ReplicatorSettings } from './cases.js' */
/** @import { Testbed } from './testbed.js' */

const WARM_UP_INSERTS = 20;
const INSERTS = 100;
const INSERT_EVERY_MS = 50;
const ARRIVES_WITHIN_MS = 10_000;

/** @typedef {{ latency: { p50Ms: number, p95Ms: number, maxMs: number } }} SingleInsertFigures */

/**
 * Measures how long single inserts take to arrive when there is no backlog: one every 50 ms, after a warm-up.
 *
 * @param {Testbed} testbed
 * @param {ReplicatorSettings} settings
 * @param {AbortSignal} signal
 * @returns {Promise<SingleInsertFigures>}
 */
export async function measureSingleInserts(testbed, { workers, hash, merge }, signal) {
  await testbed.fill(OTHER_INSERTS, 0);
  await testbed.clearTarget(OTHER_INSERTS);
  const { source, target } = testbed.pickCollections(OTHER_INSERTS);
  const requests = Array.from({ length: WARM_UP_INSERTS + INSERTS }, (_, n) => ({ atMs: n * INSERT_EVERY_MS }));
  const send = async (/** @type {unknown} */ _, /** @type {number} */ n) => {
    const document = makeDocument(n, OTHER_INSERTS);
    await source.insertOne(document);
    return timeArrival(target, document._id);
  };
  const replicator = await startReplicator(signal);
  try {
    const { end } = await replicator.replicate({
      ...testbed.sourceOptions(OTHER_INSERTS),
      target: testbed.targetUrl,
      workers,
      hash,
      merge,
      writeConcern: WRITE_CONCERN,
    });
    const load = runOpenLoop({ requests, send }, { signal });
    // Without `until` the replicator ends only if it fails.
    await Promise.race([load, end]);
    const latenciesMs = (await load).slice(WARM_UP_INSERTS);
    const [p50Ms, p95Ms, maxMs] = [0.5, 0.95, 1].map((share) => quantile(latenciesMs, share));
    return { latency: { p50Ms, p95Ms, maxMs } };
  } finally {
    await replicator.stop();
  }
}

/**
 * Measures from the source's acknowledgement of an insert until a query finds the document on the target. It queries
 * without pauses, so a figure can be too long by one query, but never too short.
 *
 * @param {Collection} target
 * @param {import('mongodb').ObjectId} _id
 * @returns {Promise<number>} ms
 */
async function timeArrival(target, _id) {
  const startedAtMs = performance.now();
  const find = async () => (await target.findOne({ _id })) ?? undefined;
  if (!(await poll(find, { everyMs: 0, timeoutMs: ARRIVES_WITHIN_MS })))
    throw new Error(`an insert did not arrive on the target within ${ARRIVES_WITHIN_MS / 1000} s`);
  return performance.now() - startedAtMs;
}
