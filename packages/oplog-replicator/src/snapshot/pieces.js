import { BSON } from 'mongodb';
import { readInt } from '../bson/bytes.js';
import { emptyIfDropped } from '../errors.js';

/** @import { End } from '../end.js' */
/** @import { ByteBudget } from '../target/byte-budget.js' */
/** @import { Listed } from './list-collections.js' */

/**
 * @typedef {object} Piece a range of `_id`s of a collection
 * @property {string} name `db.collection`
 * @property {Listed['uuid']} uuid
 * @property {number} number from 0
 * @property {any} min the first `_id`; undefined: no limit
 * @property {any} max where the next piece begins; undefined: no limit
 * @property {boolean} isCapped if so, the order of the documents matters
 * @property {number} meanBytes of a document, about
 *
 * @typedef {object} Split
 * @property {Piece[]} pieces which together are the whole collection
 * @property {number} documents about
 * @property {number} bytes about
 */

/** For each piece, so that pieces get about the same size. */
const SAMPLES = 10;
/** With a larger share, the server would read the entire collection. */
const MAX_SAMPLED_SHARE = 0.04;

/** Per batch, unless one document is larger. */
const BATCH_BYTES = 4 << 20;
const MAX_BATCH_DOCUMENTS = 4000;

/**
 * @param {End} end
 * @param {Listed} listed
 * @param {number} pieceBytes how large a piece should be
 * @returns {Promise<Split>}
 */
export async function splitCollection(end, { name, database, collection, uuid, options }, pieceBytes) {
  const [stats] = await end.readAll(database, {
    aggregate: collection, pipeline: [{ $collStats: { storageStats: {} } }], cursor: {},
  }).catch(emptyIfDropped);
  const [documents, bytes] = ['count', 'size'].map((field) => Number(stats?.storageStats.get(field) ?? 0));
  const isCapped = Boolean(options.capped);
  // A capped collection has its own order, and a collation another order of _ids.
  const isWhole = isCapped || options.collation !== undefined || options.clusteredIndex !== undefined;
  const count = isWhole ? 1 : Math.ceil(Math.min(bytes / pieceBytes, documents * MAX_SAMPLED_SHARE / SAMPLES));
  const limits = count > 1 ? await sampleLimits(end, { database, collection }, count) : [];
  const meanBytes = Math.ceil(bytes / Math.max(documents, 1));
  const pieces = [undefined, ...limits].map((min, number) => ({
    name, uuid, number, min, max: limits[number], isCapped, meanBytes,
  }));
  return { pieces, documents, bytes };
}

/**
 * @param {End} end
 * @param {{ database: string, collection: string }} namespace
 * @param {number} count of pieces
 * @returns {Promise<any[]>} the `_id`s where all but the first begin
 */
async function sampleLimits(end, { database, collection }, count) {
  const pipeline = [{ $sample: { size: count * SAMPLES } }, { $group: { _id: '$_id' } }, { $sort: { _id: 1 } }];
  const sampled = await end.readAll(database, { aggregate: collection, pipeline, cursor: {} });
  return sampled.map(({ _id }) => _id).filter((_, index) => index > 0 && index % SAMPLES === 0);
}

/**
 * Reads the documents of a piece, batch by batch, within a budget of memory. It is spent until a batch has been used.
 *
 * @param {Piece} piece
 * @param {object} options
 * @param {End} options.end
 * @param {{ database: string, collection: string }} options.where
 * @param {Record<string, unknown>} [options.find] more options of the command
 * @param {ByteBudget} options.budget
 * @param {AbortSignal} options.signal
 * @param {(documents: Buffer[]) => void | Promise<void>} use also called at the end, with none
 */
export async function forEachBatch(piece, { end, where, find, budget, signal }, use) {
  const batches = readPiece(end, where, piece, find);
  try {
    for (let isDone = false; !isDone;) {
      isDone = await budget.spend(budgetOf(piece), async () => {
        signal.throwIfAborted();
        const { value: batch } = await batches.next();
        await use(batch ? batch.starts.map((start) => batch.bytes.subarray(start, start + readInt(batch.bytes, start))) : []);
        return !batch;
      });
    }
  } finally {
    await batches.return();
  }
}

/**
 * The documents of a piece: a capped collection's in their order, others by `_id`. `min` and `max` compare values of all
 * types, as `$gte` and `$lt` do not.
 *
 * @param {End} end
 * @param {object} where
 * @param {string} where.database
 * @param {string} where.collection
 * @param {Piece} piece
 * @param {Record<string, unknown>} [options] of `find`
 */
function readPiece(end, { database, collection }, { min, max, isCapped, meanBytes }, options) {
  const batchSize = Math.min(MAX_BATCH_DOCUMENTS, Math.max(1, Math.floor(BATCH_BYTES / Math.max(meanBytes, 1))));
  return end.read(database, {
    find: collection, batchSize, ...!isCapped && { hint: { _id: 1 } },
    ...min !== undefined && { min: { _id: min } }, ...max !== undefined && { max: { _id: max } }, ...options,
  }, { batchSize });
}

/** @param {Piece} piece @returns {number} how much of a budget reading one batch and writing it takes */
function budgetOf({ meanBytes }) {
  // Where documents are large, one batch at a time: an answer has up to 16 MB.
  return meanBytes > BATCH_BYTES / 4 ? Infinity : BATCH_BYTES;
}

/** @param {Piece} piece */
export function describePiece({ min, max }) {
  const show = (/** @type {any} */ _id) => BSON.EJSON.stringify({ _id });
  if (min === undefined && max === undefined) return 'all documents';
  if (min === undefined) return `documents before ${show(max)}`;
  return max === undefined ? `documents from ${show(min)}` : `documents from ${show(min)} to before ${show(max)}`;
}
