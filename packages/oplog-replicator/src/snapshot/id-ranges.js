import { BSON } from 'mongodb';
import { readInt } from '../bson/bytes.js';
import { emptyIfDropped } from '../base/errors.js';

/** @import { Deployment } from '../base/deployment.js' */
/** @import { ByteBudget } from '../base/concurrency.js' */
/** @import { CollectionInfo } from '../collections/collection-info.js' */

/**
 * @typedef {object} IdRange a range of `_id`s of a collection
 * @property {string} name `db.collection`
 * @property {CollectionInfo['uuid']} uuid
 * @property {number} number from 0
 * @property {any} min the first `_id`; undefined: no limit
 * @property {any} max where the next range begins; undefined: no limit
 * @property {boolean} isCapped if so, the order of the documents matters
 * @property {number} meanBytes of a document, about
 *
 * @typedef {object} CollectionSplit
 * @property {IdRange[]} ranges which together are the whole collection
 * @property {number} documents about
 * @property {number} bytes about
 */

/** Samples for each range, so that ranges get about the same size. */
const SAMPLES = 10;
/** The server reads the entire collection for a larger sample. */
const MAX_SAMPLED_SHARE = 0.04;

/** Limits of a batch, unless one document is larger. */
const MAX_BATCH_BYTES = 4 << 20;
const MAX_BATCH_DOCUMENTS = 4000;

/**
 * @param {Deployment} deployment
 * @param {CollectionInfo} listed
 * @param {number} rangeBytes how large a range should be
 * @returns {Promise<CollectionSplit>}
 */
export async function splitCollection(deployment, { name, database, collection, uuid, options }, rangeBytes) {
  const [stats] = await deployment
    .readAll(database, {
      aggregate: collection,
      pipeline: [{ $collStats: { storageStats: {} } }],
      cursor: {},
    })
    .catch(emptyIfDropped);
  const [documents, bytes] = ['count', 'size'].map((field) => Number(stats?.storageStats.get(field) ?? 0));
  const isCapped = Boolean(options.capped);
  // A capped collection keeps the order of insertion, and a collation orders _ids differently.
  const isWhole = isCapped || options.collation !== undefined || options.clusteredIndex !== undefined;
  const count = isWhole ? 1 : Math.ceil(Math.min(bytes / rangeBytes, (documents * MAX_SAMPLED_SHARE) / SAMPLES));
  const limits = count > 1 ? await sampleLimits(deployment, { database, collection }, count) : [];
  const meanBytes = Math.ceil(bytes / Math.max(documents, 1));
  const ranges = [undefined, ...limits].map((min, number) => ({
    name,
    uuid,
    number,
    min,
    max: limits[number],
    isCapped,
    meanBytes,
  }));
  return { ranges, documents, bytes };
}

/**
 * @param {Deployment} deployment
 * @param {{ database: string, collection: string }} namespace
 * @param {number} count of ranges
 * @returns {Promise<any[]>} the `_id`s where all but the first begin
 */
async function sampleLimits(deployment, { database, collection }, count) {
  const pipeline = [{ $sample: { size: count * SAMPLES } }, { $group: { _id: '$_id' } }, { $sort: { _id: 1 } }];
  const sampled = await deployment.readAll(database, { aggregate: collection, pipeline, cursor: {} });
  return sampled.map(({ _id }) => _id).filter((_, index) => index > 0 && index % SAMPLES === 0);
}

/**
 * Reads the documents of a range, batch by batch, within a budget of memory. It is spent until a batch has been used.
 *
 * @param {IdRange} range
 * @param {object} options
 * @param {Deployment} options.deployment
 * @param {{ database: string, collection: string }} options.where
 * @param {Record<string, unknown>} [options.find] more options of the command
 * @param {ByteBudget} options.budget
 * @param {AbortSignal} options.signal
 * @param {(documents: Buffer[]) => void | Promise<void>} use also called at the end, with none
 */
export async function forEachBatch(range, { deployment, where, find, budget, signal }, use) {
  const batches = readRange(deployment, where, range, find);
  try {
    for (let isDone = false; !isDone;) {
      isDone = await budget.spend(budgetOf(range), async () => {
        signal.throwIfAborted();
        const { value: batch } = await batches.next();
        await use(
          batch ? batch.starts.map((start) => batch.bytes.subarray(start, start + readInt(batch.bytes, start))) : [],
        );
        return !batch;
      });
    }
  } finally {
    await batches.return();
  }
}

/**
 * The documents of a range: a capped collection's in their order, others by `_id`. `min` and `max` compare values of
 * all types, as `$gte` and `$lt` do not.
 *
 * @param {Deployment} deployment
 * @param {object} where
 * @param {string} where.database
 * @param {string} where.collection
 * @param {IdRange} range
 * @param {Record<string, unknown>} [options] of `find`
 */
function readRange(deployment, { database, collection }, { min, max, isCapped, meanBytes }, options) {
  const batchSize = Math.min(MAX_BATCH_DOCUMENTS, Math.max(1, Math.floor(MAX_BATCH_BYTES / Math.max(meanBytes, 1))));
  return deployment.read(
    database,
    {
      find: collection,
      batchSize,
      ...(!isCapped && { hint: { _id: 1 } }),
      ...(min !== undefined && { min: { _id: min } }),
      ...(max !== undefined && { max: { _id: max } }),
      ...options,
    },
    { batchSize },
  );
}

/** @param {IdRange} range @returns {number} bytes of the budget for reading one batch and writing it */
function budgetOf({ meanBytes }) {
  // Where documents are large, one batch at a time: an answer has up to 16 MB.
  return meanBytes > MAX_BATCH_BYTES / 4 ? Infinity : MAX_BATCH_BYTES;
}

/** @param {IdRange} range */
export function describeRange({ min, max }) {
  const show = (/** @type {any} */ _id) => BSON.EJSON.stringify({ _id });
  if (min === undefined && max === undefined) return 'all documents';
  if (min === undefined) return `documents before ${show(max)}`;
  return max === undefined ? `documents from ${show(min)}` : `documents from ${show(min)} to before ${show(max)}`;
}
