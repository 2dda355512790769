import { createHash } from 'node:crypto';
import { BSON } from 'mongodb';
import { findId } from '../bson/bytes.js';
import { decodeDocument } from '../bson/decode.js';
import { keyOfId } from '../bson/id-key.js';
import { describeRange, forEachBatch } from '../snapshot/id-ranges.js';
import { idOf } from '../target/write-batch.js';

/** @import { Deployment } from '../base/deployment.js' */
/** @import { CollectionInfo } from '../collections/collection-info.js' */
/** @import { IdRange } from '../snapshot/id-ranges.js' */
/** @import { ByteBudget } from '../base/concurrency.js' */

/** If more documents differ, the whole range is compared again. */
const MAX_DOCUMENTS = 1000;
const MAX_SHOWN = 3;

/**
 * @typedef {{ documents: number, bytes: number, hash: string }} RangeSummary
 * @typedef {Map<string, { id: Buffer, hash: string }>} Hashes of documents, by the key of their `_id`
 *
 * @typedef {object} Difference
 * @property {string} name `db.collection`
 * @property {string} problem such as `the target does not have this collection`
 *
 * @typedef {object} CompareOptions
 * @property {Deployment} source
 * @property {Deployment} target
 * @property {CollectionInfo} onSource the collection
 * @property {CollectionInfo} onTarget
 * @property {ByteBudget} budget memory that all comparisons share
 * @property {AbortSignal} signal
 */

/**
 * @param {IdRange} range
 * @param {CompareOptions} options
 * @returns {() => Promise<{ documents: number, bytes: number, differences: Difference[] }>} compares the range. If it
 *   differs, the next call compares only the documents that differed, if there are not too many
 */
export function compareRange(range, { source, target, onSource, onTarget, budget, signal }) {
  const { name } = range;
  const deployments = [
    { deployment: source, listed: onSource },
    { deployment: target, listed: onTarget },
  ];
  /** @type {RangeSummary[]} */
  let summaries = [];
  /** Documents that differed. @type {Buffer[] | null} */
  let suspects = null;

  /**
   * @param {Record<string, unknown> | undefined} filter
   * @param {(document: Buffer) => void} visit
   * @param {typeof deployments[0]} where
   */
  function visitDocuments(filter, visit, { deployment, listed }) {
    return forEachBatch(range, { deployment, where: listed, find: filter && { filter }, budget, signal }, (documents) =>
      documents.forEach(visit),
    );
  }

  /** @param {typeof deployments[0]} where @returns {Promise<RangeSummary>} */
  async function summarise(where) {
    const hash = createHash('sha256');
    const sum = { documents: 0, bytes: 0 };
    await visitDocuments(
      undefined,
      (document) => {
        hash.update(document);
        sum.documents++;
        sum.bytes += document.length;
      },
      where,
    );
    return { ...sum, hash: hash.digest('hex') };
  }

  /** @param {Buffer[] | null} ids @param {typeof deployments[0]} where */
  async function hashEach(ids, where) {
    /** @type {Hashes} */
    const hashes = new Map();
    const filter = ids ? { _id: { $in: ids.map((id) => decodeDocument(id, 0)._id) } } : undefined;
    await visitDocuments(
      filter,
      (document) => {
        const hash = createHash('sha256').update(document).digest('hex');
        hashes.set(keyOfId(document, findId(document, 0)), { id: idOf(document), hash });
      },
      where,
    );
    return hashes;
  }

  return async () => {
    if (!suspects) {
      summaries = await Promise.all(deployments.map(summarise));
      if (summaries[0].hash === summaries[1].hash) return { ...summaries[0], differences: [] };
    }
    const [ofSource, ofTarget] = await Promise.all(deployments.map((where) => hashEach(suspects, where)));
    const different = [...new Set([...ofSource.keys(), ...ofTarget.keys()])]
      .filter((key) => ofSource.get(key)?.hash !== ofTarget.get(key)?.hash)
      .map((key) => /** @type {{ id: Buffer }} */ (ofSource.get(key) ?? ofTarget.get(key)).id);
    const isSettled = different.length === 0 && !range.isCapped;
    suspects = different.length > 0 && different.length <= MAX_DOCUMENTS ? different : null;
    const [{ documents, bytes }, other] = summaries;
    const shown = different
      .slice(0, MAX_SHOWN)
      .map((id) => BSON.EJSON.stringify(BSON.deserialize(id)))
      .join(', ');
    const detail =
      different.length === 0
        ? 'the order of the documents differs'
        : `${different.length} different: ${shown}${different.length > MAX_SHOWN ? ', ...' : ''}`;
    const problem = `${describeRange(range)}: ${documents} on the source, ${other.documents} on the target; ${detail}`;
    return { documents, bytes, differences: isSettled ? [] : [{ name, problem }] };
  };
}
