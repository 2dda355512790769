import { setTimeout as sleep } from 'node:timers/promises';
import { poll } from '../../base/poll.js';
import { quantile } from '../../base/statistics.js';
import { makeFields } from './fill-source.js';
import { WRITE_CONCERN } from './measure-case.js';
import { startReplicator } from './start-replicator.js';

/** @import { Collection, Document, ObjectId } from 'mongodb' */
/** @import { ReplicatorSettings } from './cases.js' */
/** @import { ReplicatorReport } from './replicator.js' */
/** @import { Testbed } from './testbed.js' */

/** No case has data of this shape. */
export const SINGLE_INSERTS = { collections: 1, fields: 5, shards: 1 };

const IDLE_MS = 6000;
const WARM_UP_INSERTS = 20;
const INSERT_EVERY_MS = 50;
const ARRIVES_WITHIN_MS = 10_000;

/**
 * @typedef {object} SingleInsertLatency
 * @property {number} count
 * @property {number} p50Ms
 * @property {number} p95Ms
 * @property {number} maxMs
 *
 * @typedef {{ latency: SingleInsertLatency, idleCpuPercent: number, peakRssMB: number }} SingleInsertFigures
 */

/**
 * Measures how long single inserts take to arrive when there is no backlog, and then the CPU of an idle replicator.
 *
 * @param {Testbed} testbed
 * @param {ReplicatorSettings} replicatorSettings
 * @param {object} options
 * @param {number} options.inserts
 * @param {(report: ReplicatorReport) => void} [options.onReport] called each second
 * @param {AbortSignal} [options.signal]
 * @returns {Promise<SingleInsertFigures>}
 */
export async function measureSingleInserts(
  testbed,
  { workers, hash, merge },
  { inserts, onReport = () => {}, signal },
) {
  await testbed.fill(SINGLE_INSERTS, 0);
  await testbed.clearTarget(SINGLE_INSERTS);
  /** @type {ReplicatorReport[]} */
  const reports = [];
  const replicator = await startReplicator({
    signal,
    onReport: (report) => {
      onReport(report);
      reports.push(report);
    },
  });
  try {
    const { end } = await replicator.replicate({
      ...testbed.sourceOptions(SINGLE_INSERTS),
      target: testbed.targetUrl,
      workers,
      hash,
      merge,
      writeConcern: WRITE_CONCERN,
    });
    const makeDocument = (/** @type {number} */ index) => makeFields(index, SINGLE_INSERTS);
    const latency = measureLatency({ ...testbed.pickCollections(SINGLE_INSERTS), makeDocument, inserts, signal });
    // Without `until` the replicator ends only if it fails.
    await Promise.race([latency, end]);
    const before = reports.length;
    await sleep(IDLE_MS, undefined, { signal });
    const [first, last] = [reports[before], reports[reports.length - 1]];
    return {
      latency: await latency,
      idleCpuPercent: ((last.cpuMs - first.cpuMs) / (last.elapsedMs - first.elapsedMs)) * 100,
      peakRssMB: last.peakRssMB,
    };
  } finally {
    await replicator.stop();
  }
}

/**
 * Measures from the source's acknowledgement of an insert, with its default write concern, until a query finds the
 * document on the target. It queries without pauses, so a figure can be too long by one query, but never too short.
 *
 * @param {object} options
 * @param {Collection} options.source
 * @param {Collection} options.target
 * @param {(index: number) => Document} options.makeDocument
 * @param {number} options.inserts one every 50 ms, after a warm-up
 * @param {AbortSignal} [options.signal]
 * @returns {Promise<SingleInsertLatency>}
 * @throws {Error} when one does not arrive within 10 s
 */
export async function measureLatency({ source, target, makeDocument, inserts, signal }) {
  /** @type {number[]} */
  const latenciesMs = [];
  const startedAtMs = performance.now();
  for (let index = 0; index < WARM_UP_INSERTS + inserts; index++) {
    // From version 24 on, Node warns of a negative time.
    await sleep(Math.max(0, startedAtMs + index * INSERT_EVERY_MS - performance.now()), undefined, { signal });
    const { insertedId } = await source.insertOne(makeDocument(index));
    const latencyMs = await timeArrival(target, insertedId);
    if (index >= WARM_UP_INSERTS) latenciesMs.push(latencyMs);
  }
  const [p50Ms, p95Ms, maxMs] = [0.5, 0.95, 1].map((share) => quantile(latenciesMs, share));
  return { count: inserts, p50Ms, p95Ms, maxMs };
}

/** @param {Collection} target @param {ObjectId} _id @returns {Promise<number>} ms */
async function timeArrival(target, _id) {
  const startedAtMs = performance.now();
  const find = async () => (await target.findOne({ _id })) ?? undefined;
  if (!(await poll(find, { everyMs: 0, timeoutMs: ARRIVES_WITHIN_MS })))
    throw new Error(`an insert did not arrive on the target within ${ARRIVES_WITHIN_MS / 1000} s`);
  return performance.now() - startedAtMs;
}
