import { createHash } from 'node:crypto';
import { BSON } from 'mongodb';
import { findId } from '../bson/bytes.js';
import { decodeDocument } from '../bson/decode.js';
import { keyOfId } from '../bson/id-key.js';
import { describePiece, forEachBatch } from '../snapshot/pieces.js';
import { idOf } from '../target/write-batch.js';

/** @import { End } from '../end.js' */
/** @import { Listed } from '../snapshot/list-collections.js' */
/** @import { Piece } from '../snapshot/pieces.js' */
/** @import { ByteBudget } from '../target/byte-budget.js' */
/** @import { Difference } from './verify.js' */

/** With more, only the range is named and compared again. */
const MAX_DOCUMENTS = 1000;
const SHOWN = 3;

/**
 * @typedef {{ documents: number, bytes: number, hash: string }} Summary
 * @typedef {Map<string, { id: Buffer, hash: string }>} Hashes of documents, by the key of their `_id`
 *
 * @typedef {object} CompareOptions
 * @property {End} source
 * @property {End} target
 * @property {Listed} onSource the collection
 * @property {Listed} onTarget
 * @property {ByteBudget} budget memory that all comparisons share
 * @property {AbortSignal} signal
 */

/**
 * @param {Piece} piece
 * @param {CompareOptions} options
 * @returns {() => Promise<{ documents: number, bytes: number, differences: Difference[] }>} compares the range. If it differs,
 *   the next call compares only the documents that differed, if they are few
 */
export function comparePiece(piece, { source, target, onSource, onTarget, budget, signal }) {
  const { name } = piece;
  const ends = [{ end: source, listed: onSource }, { end: target, listed: onTarget }];
  /** @type {Summary[]} */
  let summaries = [];
  /** Documents that differed. @type {Buffer[] | null} */
  let suspects = null;

  /**
   * @param {Record<string, unknown> | undefined} filter
   * @param {(document: Buffer) => void} visit
   * @param {typeof ends[0]} where
   */
  function visitDocuments(filter, visit, { end, listed }) {
    return forEachBatch(piece, { end, where: listed, find: filter && { filter }, budget, signal }, (documents) => documents.forEach(visit));
  }

  /** @param {typeof ends[0]} where @returns {Promise<Summary>} */
  async function summarise(where) {
    const hash = createHash('sha256');
    const sum = { documents: 0, bytes: 0 };
    await visitDocuments(undefined, (document) => {
      hash.update(document);
      sum.documents++;
      sum.bytes += document.length;
    }, where);
    return { ...sum, hash: hash.digest('hex') };
  }

  /** @param {Buffer[] | null} ids @param {typeof ends[0]} where */
  async function hashEach(ids, where) {
    /** @type {Hashes} */
    const hashes = new Map();
    const filter = ids ? { _id: { $in: ids.map((id) => decodeDocument(id, 0)._id) } } : undefined;
    await visitDocuments(filter, (document) => {
      const hash = createHash('sha256').update(document).digest('hex');
      hashes.set(keyOfId(document, findId(document, 0)), { id: idOf(document), hash });
    }, where);
    return hashes;
  }

  return async () => {
    if (!suspects) {
      summaries = await Promise.all(ends.map(summarise));
      if (summaries[0].hash === summaries[1].hash) return { ...summaries[0], differences: [] };
    }
    const [ofSource, ofTarget] = await Promise.all(ends.map((where) => hashEach(suspects, where)));
    const different = [...new Set([...ofSource.keys(), ...ofTarget.keys()])]
      .filter((key) => ofSource.get(key)?.hash !== ofTarget.get(key)?.hash)
      .map((key) => /** @type {{ id: Buffer }} */ (ofSource.get(key) ?? ofTarget.get(key)).id);
    const isSettled = different.length === 0 && !piece.isCapped;
    suspects = different.length > 0 && different.length <= MAX_DOCUMENTS ? different : null;
    const [{ documents, bytes }, other] = summaries;
    const shown = different.slice(0, SHOWN).map((id) => BSON.EJSON.stringify(BSON.deserialize(id))).join(', ');
    const detail = different.length === 0 ? 'the order of the documents differs'
      : `${different.length} different: ${shown}${different.length > SHOWN ? ', ...' : ''}`;
    const problem = `${describePiece(piece)}: ${documents} on the source, ${other.documents} on the target; ${detail}`;
    return { documents, bytes, differences: isSettled ? [] : [{ name, problem }] };
  };
}
