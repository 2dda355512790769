// Private and untyped. target.test.js fails if a driver release changes it.
// @ts-expect-error TS7016
import { DocumentSequence } from 'mongodb/lib/cmap/commands.js';
import { MongoServerError, ObjectId } from 'mongodb';
import { setTimeout as sleep } from 'node:timers/promises';
import { findId, readInt } from '../bson/bytes.js';
import { readCursorBatch } from '../bson/cursor-batch.js';
import { decodeDocument } from '../bson/decode.js';
import { keyOfId } from '../bson/id-key.js';
import { explainRefusal, isTransient } from '../errors.js';
import { CHECKPOINT_DATABASE } from '../namespaces.js';
import { APPLY_DIFF } from './statements.js';

/** @import { Document } from 'mongodb' */
/** @import { End } from '../end.js' */
/** @import { EndError } from '../errors.js' */
/** @import { DdlCommand } from './ddl-commands.js' */
/** @import { Namespace } from '../namespaces.js' */

const POLL_MS = 20;
/** A command of MAX_COMMAND_BYTES fits. */
const scratch = Buffer.allocUnsafeSlow(9 << 20);
const PRIMARY_STEPPED_DOWN = 189;

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
 * @param {object} [options.writeConcern] default: from the connection string, else documents are written with `w: 1` to a
 *   replica set, because `confirm` waits for the majority, and everything else with the server's
 */
export function createTarget(end, { replication, writeConcern = end.options.writeConcern }) {
  /** Of the primary that this session writes to; null: not a replica set. @type {ObjectId | null} */
  let electionId = null;

  /** @param {Document} filter @returns {Promise<boolean>} whether the server executes a command of this user */
  const isRunning = async (filter) => (
    (await end.command('admin', { currentOp: 1, $ownOps: true, active: true, ...filter })).inprog.length > 0);

  /**
   * Runs a command that writes. It may take long, as building an index does, so it has no deadline while the server
   * executes it.
   *
   * @param {string} database
   * @param {Document} command
   * @param {string} what for the error
   * @param {object} [concern] of this write
   * @throws {EndError} also when the primary has changed: the new one may not have the earlier writes of this session
   */
  async function runWrite(database, command, what, concern = writeConcern) {
    const comment = { application: 'mongodb-pool-lab', replication, id: new ObjectId() };
    const answer = await end.command(
      database, { ...command, comment, ...concern && { writeConcern: concern } },
      { isRunning: () => isRunning({ 'command.comment.id': comment.id }) },
    ).catch((error) => { throw explainRefusal(error, what); });
    const { writeConcernError } = answer;
    if (writeConcernError) throw end.explain(Object.assign(new Error(writeConcernError.errmsg), { code: writeConcernError.code }));
    if (electionId && answer.electionId && !electionId.equals(answer.electionId)) {
      throw end.explain(Object.assign(new Error('it has another primary'), { code: PRIMARY_STEPPED_DOWN }));
    }
    return answer;
  }

  /**
   * @param {string} database
   * @param {string} collection
   * @param {Buffer[]} ids documents `{ _id }`
   * @param {Document} [options] of the command
   * @returns the first answer, which holds all of them unless its cursor remains open
   */
  async function find(database, collection, ids, options) {
    const filter = { _id: { $in: ids.map((id) => decodeDocument(id, 0)._id) } };
    const command = { find: collection, filter, batchSize: ids.length + 1, ...options };
    const { cursor: bytes } = await end.command(database, command, { raw: true });
    return { bytes, ...readCursorBatch(bytes, 0) };
  }

  return {
    end,
    runWrite,

    /** Begins a session: with this primary. */
    async begin() {
      ({ electionId = null } = await end.reach());
    },

    /**
     * Waits until a majority has all earlier writes of this session, so that no election can undo them.
     * @throws {EndError} when the primary has changed
     */
    async confirm() {
      // It changes nothing. Such a write waits for everything before it.
      await runWrite(CHECKPOINT_DATABASE, createNothing({ $set: { x: 1 } }),
        `a write to ${CHECKPOINT_DATABASE}.checkpoints`, { w: 'majority' });
    },

    /**
     * Waits for writes that an earlier session or process of this replication sent before it ended. The server still
     * executes them. One that finishes late would overwrite newer data.
     */
    async waitForWrites() {
      while (await isRunning({ 'command.comment.replication': replication })) await sleep(POLL_MS);
    },

    /** @returns {Promise<boolean>} whether an update may have the stage that applies a diff */
    async canApplyDiffs() {
      const change = [{ [APPLY_DIFF]: { oplogUpdate: { $v: 2, diff: { d: { x: false } } } } }];
      try {
        // The server reads the pipeline, although there is nothing to change.
        const { ok, writeErrors } = await end.command(CHECKPOINT_DATABASE, createNothing(change));
        return ok === 1 && !writeErrors;
      } catch (error) {
        if (/** @type {EndError} */ (error).cause instanceof MongoServerError && !isTransient(error)) return false;
        throw error;
      }
    },

    /**
     * @param {Namespace} namespace
     * @param {'insert' | 'update' | 'delete'} command
     * @param {string} field of the command that takes the statements
     * @param {Buffer[]} pieces of the statements, back to back
     * @returns {Promise<{ matched: number, errors: WriteError[] }>} how many documents the statements found or inserted,
     *   and the statements that failed
     */
    async write({ name, database, collection, constraints }, command, field, pieces) {
      const sequence = new DocumentSequence(field);
      for (const piece of pieces) sequence.push({}, piece);
      sequence.toBin = () => gather(sequence.chunks);
      // The source has accepted these documents: its validator passed them, or was bypassed.
      const bypass = constraints?.isValidated && command !== 'delete' ? { bypassDocumentValidation: true } : {};
      const { n: matched, writeErrors: errors = [] } = await runWrite(
        database, { [command]: collection, ordered: false, ...bypass, [field]: sequence }, `a write to ${name}`,
        writeConcern ?? (electionId ? { w: 1 } : undefined));
      return { matched, errors };
    },

    /**
     * @param {Namespace} namespace
     * @param {Buffer[]} ids documents `{ _id }`
     * @returns {Promise<{ found: Map<string, Buffer>, isComplete: boolean }>} the documents that exist, by the key of their
     *   `_id`. An answer of 16 MB can hold at least one, but not always all
     */
    async read({ database, collection }, ids) {
      /** @type {Map<string, Buffer>} */
      const found = new Map();
      if (ids.length === 0) return { found, isComplete: true };
      const { bytes, cursorId, starts } = await find(database, collection, ids);
      const isComplete = cursorId === 0n;
      if (!isComplete) await end.command(database, { killCursors: collection, cursors: [cursorId] });
      for (const start of starts) {
        const document = bytes.subarray(start, start + readInt(bytes, start));
        found.set(keyOfId(document, findId(document, 0)), document);
      }
      return { found, isComplete };
    },

    /**
     * @param {Namespace} namespace
     * @param {Buffer[]} ids documents `{ _id }`
     * @returns {Promise<Set<string>>} the keys of those that exist
     */
    async findKeys({ database, collection }, ids) {
      const { bytes, starts } = await find(database, collection, ids, { projection: { _id: 1 } });
      return new Set(starts.map((start) => keyOfId(bytes, start + 4)));
    },

    /**
     * Runs a command. An earlier session may have run it and ended before it saved its checkpoint, so "already done" is
     * not an error.
     * @param {DdlCommand} ddl
     */
    async runDdl({ database, names, command, alreadyDoneCodes }) {
      try {
        await runWrite(database, command, `${Object.keys(command)[0]} of ${names.join(' to ')}`);
      } catch (error) {
        if (!alreadyDoneCodes.includes(/** @type {any} */ (error).code)) throw error;
      }
    },
  };
}

/** @param {Document | Document[]} u @returns {Document} an update that finds no document */
function createNothing(u) {
  return { update: 'checkpoints', updates: [{ q: { _id: 'none' }, u }] };
}

/** @param {Buffer[]} pieces @returns {Buffer} all of them, valid until the next call: the driver copies it at once */
function gather(pieces) {
  const length = pieces.reduce((sum, piece) => sum + piece.length, 0);
  if (length > scratch.length) return Buffer.concat(pieces);
  let at = 0;
  for (const piece of pieces) at += piece.copy(scratch, at);
  return scratch.subarray(0, length);
}
