import { setTimeout as sleep } from 'node:timers/promises';
import { quantile } from 'mongodb-pool-predictor';

/** @import { Collection, Document } from 'mongodb' */

const WARM_UP = 20;
const EVERY_MS = 50;
const SEEN_WITHIN_MS = 10_000;

/**
 * How long single inserts take to arrive when nothing else is to be done: from the moment the source has acknowledged
 * one, with its default write concern, until a query finds it on the target. The target is asked again and again without
 * a pause, so that a figure can be too long by one query, and never too short.
 *
 * @param {object} options
 * @param {Collection} options.source
 * @param {Collection} options.target
 * @param {(index: number) => Document} options.makeDocument
 * @param {number} options.inserts paced 50 ms apart, after some that do not count
 * @param {AbortSignal} [options.signal]
 * @returns {Promise<{ count: number, p50Ms: number, p95Ms: number, maxMs: number }>}
 * @throws {Error} when one does not arrive within 10 s
 */
export async function measureLatency({ source, target, makeDocument, inserts, signal }) {
  const latenciesMs = [];
  const startedAtMs = performance.now();
  for (let index = 0; index < WARM_UP + inserts; index++) {
    await sleep(startedAtMs + index * EVERY_MS - performance.now(), undefined, { signal });
    const { insertedId } = await source.insertOne(makeDocument(index));
    const latencyMs = await waitFor(target, insertedId);
    if (index >= WARM_UP) latenciesMs.push(latencyMs);
  }
  return {
    count: inserts,
    p50Ms: quantile(latenciesMs, 0.5),
    p95Ms: quantile(latenciesMs, 0.95),
    maxMs: quantile(latenciesMs, 1),
  };
}

/**
 * @param {Collection} target
 * @param {import('mongodb').ObjectId} _id
 * @returns {Promise<number>} how long it took, in ms
 */
async function waitFor(target, _id) {
  const startedAtMs = performance.now();
  while (!await target.findOne({ _id })) {
    if (performance.now() - startedAtMs > SEEN_WITHIN_MS) {
      throw new Error(`an insert was not on the target within ${SEEN_WITHIN_MS / 1000} s`);
    }
  }
  return performance.now() - startedAtMs;
}
