// Private and untyped. The tests fail if a driver release changes it.
// @ts-expect-error TS7016
import { DocumentSequence } from 'mongodb/lib/cmap/commands.js';
import { setTimeout as sleep } from 'node:timers/promises';
import { findId } from '../bson/bytes.js';
import { decodeDocument } from '../bson/decode.js';
import { keyOfId } from '../bson/id-key.js';
import { explainRefusal } from '../errors.js';

/** @import { End } from '../connect-ends.js' */
/** @import { DdlCommand } from './ddl-commands.js' */
/** @import { Namespace } from '../namespaces.js' */

const POLL_MS = 20;

/**
 * @typedef {ReturnType<typeof createTarget>} Target
 *
 * @typedef {object} WriteError
 * @property {number} index of the statement
 * @property {number} code
 * @property {string} errmsg
 */

/**
 * Writes BSON without parsing it. The driver's public methods take objects only. Parsing and serializing every document
 * would take longer than everything else together, and would change some of them: `{ b: 1, 1: 1 }` comes out as
 * `{ 1: 1, b: 1 }`. DocumentSequence, which the driver uses for its own bulk writes, takes bytes.
 *
 * @param {End} end
 * @param {object} options
 * @param {string} options.replication its name
 * @param {object} [options.writeConcern] default: from the connection string, else the server's
 */
export function createTarget({ client, reach }, { replication, writeConcern = client.options.writeConcern }) {
  const comment = `mongodb-pool-lab replication ${replication}`;
  const common = { comment, ...writeConcern && { writeConcern } };
  return {
    client,
    reach,

    /**
     * Waits for writes that an earlier session or process of this replication sent before it ended. The server still
     * executes them. One that finishes late would overwrite newer data.
     */
    async waitForWrites() {
      const find = { currentOp: 1, $ownOps: true, active: true, 'command.comment': comment };
      while ((await client.db('admin').command(find)).inprog.length > 0) await sleep(POLL_MS);
    },

    /**
     * @param {Namespace} namespace
     * @param {'insert' | 'update' | 'delete'} command
     * @param {string} field of the command that takes the statements
     * @param {Buffer} bytes the statements, back to back
     * @returns {Promise<{ matched: number, errors: WriteError[] }>} how many documents the statements found or inserted,
     *   and the statements that failed
     */
    async write({ name, database, collection, constraints }, command, field, bytes) {
      const sequence = new DocumentSequence(field);
      sequence.push({}, bytes);
      // The source has accepted these documents: its validator passed them, or was bypassed.
      const bypass = constraints?.isValidated && command !== 'delete' ? { bypassDocumentValidation: true } : {};
      const statements = { [command]: collection, ordered: false, ...bypass, ...common, [field]: sequence };
      const { n: matched, writeErrors: errors = [], writeConcernError } = await client.db(database).command(statements)
        .catch((error) => { throw explainRefusal(error, name); });
      if (writeConcernError) throw Object.assign(new Error(writeConcernError.errmsg), { code: writeConcernError.code });
      return { matched, errors };
    },

    /**
     * @param {Namespace} namespace
     * @param {Buffer[]} ids documents `{ _id }`
     * @returns {Promise<Map<string, Buffer>>} the documents that exist, by the key of their `_id`
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

    /**
     * @param {Namespace} namespace
     * @param {Buffer[]} ids documents `{ _id }`
     * @returns {Promise<Set<string>>} the keys of those that exist
     */
    async findKeys({ database, collection }, ids) {
      const cursor = client.db(database).collection(collection).find(
        { _id: { $in: ids.map((id) => decodeDocument(id, 0)._id) } }, { raw: true, projection: { _id: 1 }, batchSize: ids.length });
      return new Set(await cursor.map((/** @type {any} */ id) => keyOfId(id, 4)).toArray());
    },

    /**
     * Runs a command. An earlier session may have run it and ended before it saved its checkpoint, so "already done" is
     * not an error.
     * @param {DdlCommand} ddl
     */
    async runDdl({ database, names, command, alreadyDoneCodes }) {
      try {
        await client.db(database).command({ ...command, ...common });
      } catch (cause) {
        const { code, message } = /** @type {Error & { code?: number }} */ (cause);
        if (alreadyDoneCodes.includes(Number(code))) return;
        const what = `${Object.keys(command)[0]} of ${names.join(' to ')}`;
        throw Object.assign(new Error(`the target refused ${what}: ${message}`, { cause }), { code });
      }
    },
  };
}
