import { ObjectId } from 'mongodb';

/** @import { MongoClient, Timestamp } from 'mongodb' */
/** @import { Shape } from './cases.js' */

const [MIN_BATCH_SIZE, MAX_BATCH_SIZE] = [100, 5000];
/** After this share of the operations comes `middle`. */
const FIRST_SHARE = 0.1;
/** Batches in flight. On two busy cores, four fill 1.2 to 1.4 times as fast as two. */
const CONCURRENCY = 4;
const MAX_ERROR_LENGTH = 100;

/**
 * @typedef {{ from: Timestamp, middle: Timestamp, until: Timestamp }} OplogRange after `from`, up to and including
 *   `until`; `middle`: after a tenth of it or somewhat more
 */

/** @param {Shape} shape */
export function listCollections({ collections }) {
  return Array.from({ length: collections }, (_, index) => nameCollection(index));
}

/**
 * Writes so that the source's oplog has one entry for each operation, and the collections take turns.
 *
 * It uses applyOps, which takes operations on several collections and logs one entry for each. insertMany would log
 * many entries of one collection in a row, which merge better than the published ones, and would add a session to each,
 * which makes entries half as large again.
 *
 * @param {MongoClient} client of a replica set
 * @param {object} options
 * @param {string} options.database dropped first
 * @param {Shape} options.shape
 * @param {number} options.ops
 * @param {number} [options.part] only operations on every `of`th document, beginning with number `part`
 * @param {number} [options.of]
 * @param {AbortSignal} [options.signal]
 * @returns {Promise<OplogRange>} of these operations, without anything else of this database
 */
export async function fillSource(client, { database, shape, ops, part = 0, of = 1, signal }) {
  const db = client.db(database);
  await db.dropDatabase();
  const from = await createCollections(db, shape);
  const operations = listEntries(shape, ops, part, of);
  const first = Math.ceil((FIRST_SHARE * ops) / of);
  const size = Math.max(MIN_BATCH_SIZE, Math.min(first, MAX_BATCH_SIZE));
  let filled = 0;
  /** @type {Timestamp | undefined} */
  let middle;
  const fill = async () => {
    for (let batch = take(operations, size); batch.length > 0; batch = take(operations, size)) {
      signal?.throwIfAborted();
      const entries = batch.map(({ collection, ...entry }) => ({ ...entry, ns: `${database}.${collection}` }));
      const { operationTime } = await client
        .db('admin')
        .command({ applyOps: entries, allowAtomic: false })
        .catch((cause) => {
          // The message contains the entire command.
          throw new Error(`the source refused applyOps: ${cause.message.slice(0, MAX_ERROR_LENGTH)}`, { cause });
        });
      filled += batch.length;
      if (filled >= first) middle ??= operationTime;
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, fill));
  const until = await readOperationTime(client);
  return { from, middle: middle ?? until, until };
}

/**
 * @param {Shape} shape
 * @param {number} ops
 * @param {number} part
 * @param {number} of
 * @returns {Generator<{ collection: string, [field: string]: unknown }>}
 */
function* listEntries(shape, ops, part, of) {
  for (let index = part; index < ops; index += of) {
    yield { op: 'i', o: makeDocument(index, shape), collection: nameCollection(index % shape.collections) };
  }
}

/** @template T @param {Iterator<T>} iterator @param {number} count @returns {T[]} the next ones */
function take(iterator, count) {
  /** @type {T[]} */
  const taken = [];
  while (taken.length < count) {
    const { value, done } = iterator.next();
    if (done) break;
    taken.push(value);
  }
  return taken;
}

/**
 * Creates the collections, so that no insert has to.
 * @param {import('mongodb').Db} db
 * @param {Shape} shape
 * @returns {Promise<Timestamp>} of the last one in the oplog
 */
export async function createCollections(db, shape) {
  await Promise.all(listCollections(shape).map((name) => db.createCollection(name)));
  return readOperationTime(db.client);
}

/**
 * Makes the same document for the same index. A field has 10 bytes, which gives oplog entries the published sizes.
 * @param {number} index
 * @param {Shape} shape
 */
export function makeDocument(index, { fields }) {
  const entries = Array.from({ length: fields }, (_, field) => [`col${field}`, index + field]);
  return { _id: makeId(index), ...Object.fromEntries(entries) };
}

/**
 * Like an ObjectId of a driver: a time, a process and a counter.
 * @param {number} index
 */
function makeId(index) {
  const bytes = Buffer.from('5c0000001122334455000000', 'hex');
  bytes.writeUIntBE(index % 2 ** 24, 9, 3);
  bytes.writeUInt8(Math.floor(index / 2 ** 24), 3);
  return new ObjectId(bytes);
}

/** @param {number} index */
function nameCollection(index) {
  return `c_${String(index).padStart(3, '0')}`;
}

/** @param {MongoClient} client */
async function readOperationTime(client) {
  const { operationTime } = await client.db('admin').command({ ping: 1 });
  return operationTime;
}
