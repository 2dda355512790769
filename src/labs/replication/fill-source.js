import { ObjectId } from 'mongodb';

/** @import { MongoClient, Timestamp } from 'mongodb' */
/** @import { Shape } from './cases.js' */

const BATCH = 5000;
/** Two at once fill as fast as two processors can; more gain nothing. */
const AT_ONCE = 2;
const SHOWN = 100;

/** @typedef {{ from: Timestamp, until: Timestamp }} OplogRange what comes after `from`, up to `until` */

/** @param {Shape} shape */
export function listCollections({ collections }) {
  return Array.from({ length: collections }, (_, index) => nameCollection(index));
}

/**
 * Write documents so that the source's oplog has one insert for each, one collection after the other in turn.
 *
 * The command applyOps takes inserts of several collections at once and logs each by itself; insertMany would log runs
 * of one collection, which merge well, and add a session to each entry, which makes it half as large again.
 *
 * @param {MongoClient} client of a replica set
 * @param {object} options
 * @param {string} options.database made anew
 * @param {Shape} options.shape
 * @param {number} options.ops
 * @param {number} [options.part] write only each `of`th document, beginning with this one, from 0
 * @param {number} [options.of]
 * @param {AbortSignal} [options.signal]
 * @returns {Promise<OplogRange>} where these inserts, and nothing else of this database, are in the oplog
 * @throws {Error} when the source refuses the command
 */
export async function fillSource(client, { database, shape, ops, part = 0, of = 1, signal }) {
  const db = client.db(database);
  await db.dropDatabase();
  const from = await createCollections(db, shape);
  let next = part;
  const fill = async () => {
    while (next < ops) {
      signal?.throwIfAborted();
      const first = next;
      next += BATCH * of;
      const inserts = [];
      for (let index = first; index < Math.min(next, ops); index += of) {
        const ns = `${database}.${nameCollection(index % shape.collections)}`;
        inserts.push({ op: 'i', ns, o: makeDocument(index, shape) });
      }
      await client.db('admin').command({ applyOps: inserts, allowAtomic: false }).catch((cause) => {
        // The server repeats the whole command where it refuses it.
        throw new Error(`the source refuses applyOps: ${cause.message.slice(0, SHOWN)}`, { cause });
      });
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, fill));
  return { from, until: await readOperationTime(client) };
}

/**
 * Make a database's collections, so that no insert has to.
 * @param {import('mongodb').Db} db
 * @param {Shape} shape
 * @returns {Promise<Timestamp>} the time of the last of them in the oplog
 */
export async function createCollections(db, shape) {
  for (const name of listCollections(shape)) await db.createCollection(name);
  return readOperationTime(db.client);
}

/**
 * The same for the same index, whoever makes it.
 * @param {number} index
 * @param {Shape} shape
 */
export function makeDocument(index, shape) {
  return { _id: makeId(index), ...makeFields(index, shape) };
}

/**
 * Names and numbers are as long as gives the entries of the oplog the published sizes: a field is 10 bytes.
 * @param {number} index
 * @param {Shape} shape
 * @returns {Record<string, unknown>}
 */
export function makeFields(index, { fields }) {
  return Object.fromEntries(Array.from({ length: fields }, (_, field) => [`col${field}`, index + field]));
}

/**
 * An ObjectId as drivers make them: a time, a process and a counter.
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
