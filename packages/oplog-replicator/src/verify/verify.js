import { setTimeout as sleep } from 'node:timers/promises';
import { BSON } from 'mongodb';
import { connectDeployments } from '../base/connect-deployments.js';
import { ByteBudget, forEachConcurrently } from '../base/concurrency.js';
import { listCollections } from '../collections/collection-info.js';
import { splitCollection } from '../snapshot/id-ranges.js';
import { listIndexes, withoutTtl } from '../collections/ttl-indexes.js';
import { compareRange } from './compare-range.js';

/** @import { Deployment } from '../base/deployment.js' */
/** @import { Filter } from '../base/namespaces.js' */
/** @import { Difference } from './compare-range.js' */
/** @import { CollectionInfo } from '../collections/collection-info.js' */

/** Small enough that a reported range says where to look. */
const RANGE_BYTES = 16 << 20;
const MAX_BYTES_AT_ONCE = 16 << 20;
const CONCURRENCY = 4;
const SETTLE_MS = 5000;
const RETRY_EVERY_MS = 500;

/**
 * @typedef {object} Verification
 * @property {number} collections compared
 * @property {number} documents of the source
 * @property {number} bytes of these
 * @property {Difference[]} differences empty if the target has what the source has
 *
 * @typedef {object} VerifyProgress
 * @property {number} bytes compared
 * @property {number} totalBytes of the source, about
 *
 * @typedef {object} CollectionPair the same collection on source and target
 * @property {CollectionInfo} onSource
 * @property {CollectionInfo} onTarget
 */

/**
 * Compares the replicated collections of source and target: options, indexes, and the bytes of all documents, range by
 * range. It reads everything from both. While a replication is running, the target is a little late, so ranges that
 * differ are compared again. A document that changes all the time may be reported although nothing is wrong.
 *
 * @param {object} options
 * @param {string} options.source connection string
 * @param {string} options.target connection string
 * @param {Filter} [options.namespaces]
 * @param {number} [options.settleMs] how long a replication that is running may take to remove a difference; default:
 *   5000
 * @param {(progress: VerifyProgress) => void} [options.onProgress]
 * @param {AbortSignal} [options.signal] ends it with its reason
 * @returns {Promise<Verification>}
 * @throws {Error} when they can't be compared
 */
export async function verify({ source, target, ...options }) {
  const deployments = await connectDeployments({ sources: [source], target });
  try {
    const [{ deployment }] = deployments.sources;
    return await compareDeployments(deployment, /** @type {Deployment} */ (deployments.target), options);
  } finally {
    await deployments.close();
  }
}

/**
 * @param {Deployment} source
 * @param {Deployment} target
 * @param {Omit<Parameters<typeof verify>[0], 'source' | 'target'>} options
 * @returns {Promise<Verification>}
 */
async function compareDeployments(source, target, { namespaces, settleMs = SETTLE_MS, onProgress, ...options }) {
  const { signal = new AbortController().signal } = options;
  const catalog = await compareUntilEqual(() => compareCatalogs(source, target, namespaces), { settleMs, signal });
  const done = { documents: 0, bytes: 0 };
  /** @type {Difference[]} */
  const differences = [...catalog.differences];
  const budget = new ByteBudget(MAX_BYTES_AT_ONCE);
  const ranges = [];
  let totalBytes = 0;
  for (const { onSource, onTarget } of catalog.pairs) {
    const split = await splitCollection(source, onSource, RANGE_BYTES);
    totalBytes += split.bytes;
    ranges.push(...split.ranges.map((range) => ({ range, onSource, onTarget })));
  }
  await forEachConcurrently(ranges, CONCURRENCY, async ({ range, onSource, onTarget }) => {
    const compare = compareRange(range, { source, target, onSource, onTarget, budget, signal });
    const found = await compareUntilEqual(compare, { settleMs, signal });
    done.documents += found.documents;
    done.bytes += found.bytes;
    differences.push(...found.differences);
    onProgress?.({ bytes: done.bytes, totalBytes });
  });
  differences.sort((one, other) => (one.name < other.name ? -1 : 1));
  return { collections: catalog.pairs.length, ...done, differences };
}

/**
 * @param {Deployment} source
 * @param {Deployment} target
 * @param {Filter} [namespaces]
 * @returns {Promise<{ pairs: CollectionPair[], differences: Difference[] }>}
 */
async function compareCatalogs(source, target, namespaces) {
  const [ofSource, ofTarget] = await Promise.all(
    [source, target].map(
      async (deployment) =>
        new Map((await listCollections(deployment, namespaces)).replicated.map((listed) => [listed.name, listed])),
    ),
  );
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
    if (options !== otherOptions)
      differences.push({ name, problem: `options: ${options} on the source, ${otherOptions} on the target` });
    const [indexes, others] = await Promise.all(
      [source, target].map(async (deployment) => (await listIndexes(deployment, onSource)).map(describe).sort()),
    );
    const missing = [
      ...indexes.filter((one) => !others.includes(one)),
      ...others.filter((one) => !indexes.includes(one)),
    ];
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
async function compareUntilEqual(compare, { settleMs, signal }) {
  const deadline = performance.now() + settleMs;
  for (;;) {
    const found = await compare();
    if (found.differences.length === 0 || performance.now() > deadline) return found;
    await sleep(RETRY_EVERY_MS, undefined, { signal }).catch(() => signal.throwIfAborted());
  }
}
