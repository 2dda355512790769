// Not public, and without types; the tests notice when a driver changes it.
// @ts-expect-error TS7016
import { DocumentSequence } from 'mongodb/lib/cmap/commands.js';
import { setTimeout as sleep } from 'node:timers/promises';
import { findId } from '../bson/bytes.js';
import { decodeDocument } from '../bson/decode.js';
import { keyOfId } from '../bson/id-key.js';
import { explainRefusal } from '../errors.js';
import { applyDefinition } from './definitions.js';

/** @import { End } from '../connect-ends.js' */
/** @import { Definition } from './definitions.js' */
/** @import { Namespace } from '../namespaces.js' */

const POLL_MS = 20;

/**
 * @typedef {object} WriteError
 * @property {number} index of the statement
 * @property {number} code
 * @property {string} errmsg
 * @property {Record<string, unknown>} [keyPattern] of the index that has the value already
 */

/**
 * Write what is BSON already. The driver's public methods take objects alone: the documents of an oplog would have to
 * be parsed and made into BSON again, which takes longer than all the rest, and not every document would come out as it
 * went in (`{ b: 1, 1: 1 }` would change the order of its fields). The driver itself sends bulk writes as
 * DocumentSequences, which hold bytes.
 *
 * @param {End} end
 * @param {object} options
 * @param {string} options.replication its name
 * @param {object} [options.writeConcern] the connection string's or the server's own unless told
 */
export function createTarget({ client, reach }, { replication, writeConcern = client.options.writeConcern }) {
  const comment = `mongodb-pool-lab replication ${replication}`;
  const common = { comment, ...writeConcern && { writeConcern } };
  return {
    client,
    reach,

    /**
     * Wait until no write is under way that an earlier session or process of this name sent before its end. The server
     * goes on with those, and one that came late would undo what was done again meanwhile.
     */
    async waitForWrites() {
      const find = { currentOp: 1, $ownOps: true, active: true, 'command.comment': comment };
      while ((await client.db('admin').command(find)).inprog.length > 0) await sleep(POLL_MS);
    },

    /**
     * @param {Namespace} namespace
     * @param {'insert' | 'update' | 'delete'} command
     * @param {string} field of the command that has its statements
     * @param {Buffer} bytes the statements, one behind the other
     * @returns {Promise<WriteError[]>} what is wrong with single statements
     */
    async write({ name, database, collection, constraints }, command, field, bytes) {
      const sequence = new DocumentSequence(field);
      sequence.push({}, bytes);
      // What the source took has been checked, or was not to be.
      const bypass = constraints?.isValidated && command !== 'delete' ? { bypassDocumentValidation: true } : {};
      const statements = { [command]: collection, ordered: false, ...bypass, ...common, [field]: sequence };
      const { writeErrors = [], writeConcernError } = await client.db(database).command(statements)
        .catch((error) => { throw explainRefusal(error, name); });
      if (writeConcernError) throw Object.assign(new Error(writeConcernError.errmsg), { code: writeConcernError.code });
      return writeErrors;
    },

    /**
     * @param {Namespace} namespace
     * @param {Buffer[]} ids documents `{ _id }`
     * @returns {Promise<Map<string, Buffer>>} the documents that are there, by the key of their `_id`
     */
    async read({ database, collection }, ids) {
      /** @type {Map<string, Buffer>} */
      const found = new Map();
      if (ids.length === 0) return found;
      const cursor = client.db(database).collection(collection).find(
        { _id: { $in: ids.map((id) => decodeDocument(id, 0)._id) } }, { raw: true, batchSize: ids.length });
      for await (const document of /** @type {AsyncIterable<any>} */ (cursor)) {
        const bytes = Buffer.from(document.buffer, document.byteOffset, document.length);
        found.set(keyOfId(bytes, findId(bytes, 0)), bytes);
      }
      return found;
    },

    /** @param {Definition} definition */
    define: (definition) => applyDefinition(client, definition, common),
  };
}
