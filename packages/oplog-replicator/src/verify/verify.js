import { setTimeout as sleep } from 'node:timers/promises';
import { BSON } from 'mongodb';
import { connectEnds } from '../connect-ends.js';
import { listIndexes } from '../snapshot/catalog.js';
import { forEachOf } from '../snapshot/for-each-of.js';
import { listCollections } from '../snapshot/list-collections.js';
import { splitCollection } from '../snapshot/pieces.js';
import { ByteBudget } from '../target/byte-budget.js';
import { withoutTtl } from '../ttl-indexes.js';
import { comparePiece } from './compare-piece.js';

/** @import { End } from '../end.js' */
/** @import { Filter } from '../namespaces.js' */
/** @import { Listed } from '../snapshot/list-collections.js' */

/** Small enough to tell people where to look. */
const PIECE_BYTES = 16 << 20;
const MAX_BYTES_AT_ONCE = 16 << 20;
const AT_ONCE = 4;
const SETTLE_MS = 5000;
const RETRY_EVERY_MS = 500;

/**
 * @typedef {object} Difference
 * @property {string} name `db.collection`
 * @property {string} problem such as `the target does not have this collection`
 *
 * @typedef {object} Verification
 * @property {number} collections compared
 * @property {number} documents of the source
 * @property {number} bytes of these
 * @property {Difference[]} differences none: the target has what the source has
 *
 * @typedef {object} VerifyProgress
 * @property {number} bytes compared
 * @property {number} totalBytes of the source, about
 *
 * @typedef {object} CollectionPair the same collection on both ends
 * @property {Listed} onSource
 * @property {Listed} onTarget
 */

/**
 * Compares the replicated collections of source and target: options, indexes, and the bytes of all documents, range by range.
 * It reads everything from both. While a replication is running, the target is a little late, so what differs is compared
 * again. A document that never rests may be reported although nothing is wrong.
 *
 * @param {object} options
 * @param {string} options.source connection string
 * @param {string} options.target connection string
 * @param {Filter} [options.namespaces]
 * @param {number} [options.settleMs] how long a replication that is running may take to remove a difference; default: 5000
 * @param {(progress: VerifyProgress) => void} [options.onProgress]
 * @param {AbortSignal} [options.signal] ends it with its reason
 * @returns {Promise<Verification>}
 * @throws {Error} when they can't be compared
 */
export async function verify({
  source, target, namespaces, settleMs = SETTLE_MS, onProgress = () => {}, signal = new AbortController().signal,
}) {
  const ends = await connectEnds({ sources: [source], target });
  try {
    return await compareEnds(ends.sources[0].end, /** @type {End} */ (ends.target), { namespaces, settleMs, onProgress, signal });
  } finally {
    await ends.close();
  }
}

/**
 * @param {End} source
 * @param {End} target
 * @param {{ namespaces?: Filter, settleMs: number, onProgress: (progress: VerifyProgress) => void, signal: AbortSignal }} options
 * @returns {Promise<Verification>}
 */
async function compareEnds(source, target, { namespaces, settleMs, onProgress, signal }) {
  const catalog = await settle(() => compareCatalogs(source, target, namespaces), { settleMs, signal });
  const done = { documents: 0, bytes: 0 };
  /** @type {Difference[]} */
  const differences = [...catalog.differences];
  const budget = new ByteBudget(MAX_BYTES_AT_ONCE);
  const pieces = [];
  let totalBytes = 0;
  for (const { onSource, onTarget } of catalog.pairs) {
    const split = await splitCollection(source, onSource, PIECE_BYTES);
    totalBytes += split.bytes;
    pieces.push(...split.pieces.map((piece) => ({ piece, onSource, onTarget })));
  }
  await forEachOf(pieces, AT_ONCE, async ({ piece, onSource, onTarget }) => {
    const compare = comparePiece(piece, { source, target, onSource, onTarget, budget, signal });
    const found = await settle(compare, { settleMs, signal });
    done.documents += found.documents;
    done.bytes += found.bytes;
    differences.push(...found.differences);
    onProgress({ bytes: done.bytes, totalBytes });
  });
  differences.sort((one, other) => (one.name < other.name ? -1 : 1));
  return { collections: catalog.pairs.length, ...done, differences };
}

/**
 * @param {End} source
 * @param {End} target
 * @param {Filter} [namespaces]
 * @returns {Promise<{ pairs: CollectionPair[], differences: Difference[] }>}
 */
async function compareCatalogs(source, target, namespaces) {
  const [ofSource, ofTarget] = await Promise.all([source, target].map(async (end) => (
    new Map((await listCollections(end, namespaces)).replicated.map((listed) => [listed.name, listed])))));
  /** @type {Difference[]} */
  const differences = [];
  /** @type {CollectionPair[]} */
  const pairs = [];
  for (const [name, onSource] of ofSource) {
    const onTarget = ofTarget.get(name);
    if (!onTarget) {
      differences.push({ name, problem: 'the target does not have this collection' });
      continue;
    }
    pairs.push({ onSource, onTarget });
    const [options, otherOptions] = [onSource, onTarget].map((listed) => describe(withoutTtl(listed.options)));
    if (options !== otherOptions) differences.push({ name, problem: `options: ${options} on the source, ${otherOptions} on the target` });
    const [indexes, others] = await Promise.all([source, target].map(async (end) => (
      (await listIndexes(end, onSource)).map(describe).sort())));
    const missing = [...indexes.filter((one) => !others.includes(one)), ...others.filter((one) => !indexes.includes(one))];
    if (missing.length > 0) differences.push({ name, problem: `only one of them has the index ${missing.join(', ')}` });
  }
  for (const name of ofTarget.keys()) {
    if (!ofSource.has(name)) differences.push({ name, problem: 'the source does not have this collection' });
  }
  return { pairs, differences };
}

/** @param {Record<string, any>} document */
function describe(document) {
  return BSON.EJSON.stringify(document);
}

/**
 * Compares again while there are differences.
 * @template {{ differences: Difference[] }} T
 * @param {() => Promise<T>} compare
 * @param {{ settleMs: number, signal: AbortSignal }} options
 */
async function settle(compare, { settleMs, signal }) {
  const deadline = performance.now() + settleMs;
  for (;;) {
    const found = await compare();
    if (found.differences.length === 0 || performance.now() > deadline) return found;
    await sleep(RETRY_EVERY_MS, undefined, { signal }).catch(() => signal.throwIfAborted());
  }
}
