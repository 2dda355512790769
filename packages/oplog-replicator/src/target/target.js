// Private and untyped. target.test.js fails if a driver release changes it.
// @ts-expect-error TS7016
import { DocumentSequence } from 'mongodb/lib/cmap/commands.js';
import { MongoServerError, ObjectId } from 'mongodb';
import { setTimeout as sleep } from 'node:timers/promises';
import { findId, readInt } from '../bson/bytes.js';
import { readCursorBatch, decodeDocument } from '../bson/decode.js';
import { keyOfId } from '../bson/id-key.js';
import { explainRefusal, isTransient, nameRefusal } from '../base/errors.js';
import { CHECKPOINT_DATABASE } from '../base/namespaces.js';
import { APPLY_DIFF } from './statements.js';

/** @import { Document } from 'mongodb' */
/** @import { Deployment } from '../base/deployment.js' */
/** @import { DeploymentError } from '../base/errors.js' */
/** @import { Namespace } from '../base/namespaces.js' */
/** @import { Lease } from './lease.js' */

const POLL_MS = 20;
/** A command of MAX_COMMAND_BYTES fits. */
const scratch = Buffer.allocUnsafeSlow(9 << 20);
const PRIMARY_STEPPED_DOWN = 189;

/**
 * @typedef {object} WriteError
 * @property {number} index of the statement
 * @property {number} code
 * @property {string} errmsg
 *
 * @typedef {object} DdlCommand creates or changes a collection or its indexes
 * @property {string} database to run it in
 * @property {string[]} names `db.collection` of each collection it affects
 * @property {Record<string, any>} command
 * @property {number[]} alreadyDoneCodes error codes that mean an earlier session ran it
 * @property {boolean} [isShared] each shard logs it, and running it again does no harm
 */

/**
 * Writes BSON without parsing it. The driver's public methods take objects only. Parsing and serializing every document
 * would take longer than everything else together, and would change some of them: `{ b: 1, 1: 1 }` comes out as
 * `{ 1: 1, b: 1 }`. DocumentSequence, which the driver uses for its own bulk writes, takes bytes.
 */
export class Target {
  #replication;
  #writeConcern;
  #lease;
  /** Election of the primary that this session writes to; null: not a replica set. @type {ObjectId | null} */
  #electionId = null;

  /**
   * @param {Deployment} deployment
   * @param {object} options
   * @param {string} options.replication its name
   * @param {Pick<Lease, 'id' | 'confirm' | 'lose'>} options.lease
   * @param {object} [options.writeConcern] default: from the connection string, else documents are written with `w: 1`
   *   to a replica set, because `confirm` waits for the majority, and everything else with the server's
   */
  constructor(deployment, { replication, lease, writeConcern = deployment.options.writeConcern }) {
    this.deployment = deployment;
    this.#lease = lease;
    this.#replication = replication;
    this.#writeConcern = writeConcern;
  }

  get lease() {
    return this.#lease;
  }

  /** Begins a session: with this primary. */
  async begin() {
    ({ electionId: this.#electionId = null } = await this.deployment.reach());
  }

  /**
   * Waits until a majority has all earlier writes of this session, so that no election can undo them.
   * @throws {DeploymentError} when the primary has changed
   */
  async confirm() {
    // A no-op write with w: majority waits for all earlier writes.
    const noop = createNoop({ $set: { x: 1 } });
    await this.runWrite(CHECKPOINT_DATABASE, noop, `a write to ${CHECKPOINT_DATABASE}.checkpoints`, { w: 'majority' });
  }

  /**
   * Waits for writes that an earlier session or process of this replication sent before it ended. The server is still
   * executing them. One that finishes late would overwrite newer data.
   */
  async waitForWrites() {
    while (await this.#isRunning({ 'command.comment.replication': this.#replication })) await sleep(POLL_MS);
  }

  /** @returns {Promise<boolean>} whether an update may have the stage that applies a diff */
  async canApplyDiffs() {
    const change = [{ [APPLY_DIFF]: { oplogUpdate: { $v: 2, diff: { d: { x: false } } } } }];
    try {
      // The server reads the pipeline, although there is nothing to change.
      const { ok, writeErrors } = await this.deployment.command(CHECKPOINT_DATABASE, createNoop(change));
      return ok === 1 && !writeErrors;
    } catch (error) {
      if (/** @type {DeploymentError} */ (error).cause instanceof MongoServerError && !isTransient(error)) return false;
      throw error;
    }
  }

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
    const { n: matched, writeErrors: errors = [] } = await this.runWrite(
      database,
      { [command]: collection, ordered: false, ...bypass, [field]: sequence },
      `a write to ${name}`,
      this.#writeConcern ?? (this.#electionId ? { w: 1 } : undefined),
    );
    return { matched, errors };
  }

  /**
   * @param {Namespace} namespace
   * @param {Buffer[]} ids documents `{ _id }`
   * @returns {Promise<{ found: Map<string, Buffer>, isComplete: boolean }>} the documents that exist, by the key of
   *   their `_id`. An answer of 16 MB can hold at least one, but not always all
   */
  async read({ database, collection }, ids) {
    /** @type {Map<string, Buffer>} */
    const found = new Map();
    if (ids.length === 0) return { found, isComplete: true };
    const { bytes, cursorId, starts } = await this.#find(database, collection, ids);
    const isComplete = cursorId === 0n;
    if (!isComplete) await this.deployment.command(database, { killCursors: collection, cursors: [cursorId] });
    for (const start of starts) {
      const document = bytes.subarray(start, start + readInt(bytes, start));
      found.set(keyOfId(document, findId(document, 0)), document);
    }
    return { found, isComplete };
  }

  /**
   * @param {Namespace} namespace
   * @param {Buffer[]} ids documents `{ _id }`
   * @returns {Promise<Set<string>>} the keys of those that exist
   */
  async findKeys({ database, collection }, ids) {
    const { bytes, starts } = await this.#find(database, collection, ids, { projection: { _id: 1 } });
    return new Set(starts.map((start) => keyOfId(bytes, start + 4)));
  }

  /**
   * Runs a command. An earlier session may have run it and ended before it saved its checkpoint, so "already done" is
   * not an error.
   * @param {DdlCommand} ddl
   */
  async runDdl({ database, names, command, alreadyDoneCodes }) {
    try {
      await this.runWrite(database, command, `${Object.keys(command)[0]} of ${names.join(' to ')}`);
    } catch (error) {
      if (!alreadyDoneCodes.includes(/** @type {any} */ (error).code)) throw error;
    }
  }

  /**
   * Writes to the database of the checkpoints.
   * @param {string} collection
   * @param {Document} command
   */
  async writeState(collection, command) {
    const what = `a write to ${CHECKPOINT_DATABASE}.${collection}`;
    const { writeErrors } = await this.runWrite(CHECKPOINT_DATABASE, command, what);
    if (writeErrors) throw nameRefusal(what, writeErrors[0]);
  }

  /**
   * Runs a command that writes. It may take long, as building an index does, so it has no deadline while the server is
   * executing it.
   *
   * @param {string} database
   * @param {Document} command
   * @param {string} what for the error
   * @param {object} [concern] of this write
   * @throws {DeploymentError} also when the primary has changed: the new one may not have the earlier writes of this
   *   session
   * @throws {LeaseError} when another process has taken over
   */
  async runWrite(database, command, what, concern = this.#writeConcern) {
    const { deployment } = this;
    await this.#lease.confirm();
    const comment = { application: 'mongodb-pool-lab', replication: this.#replication, id: new ObjectId() };
    const answer = await deployment
      .command(
        database,
        { ...command, comment, ...(concern && { writeConcern: concern }) },
        { isRunning: () => this.#isRunning({ 'command.comment.id': comment.id }) },
      )
      .catch((error) => {
        throw explainRefusal(error, what);
      });
    const { writeConcernError } = answer;
    if (writeConcernError) {
      const { errmsg, code } = writeConcernError;
      throw deployment.explain(Object.assign(new Error(errmsg), { code }));
    }
    if (this.#electionId && answer.electionId && !this.#electionId.equals(answer.electionId)) {
      throw deployment.explain(Object.assign(new Error('it has another primary'), { code: PRIMARY_STEPPED_DOWN }));
    }
    return answer;
  }

  /** @param {Document} filter @returns {Promise<boolean>} whether the server is executing a command of this user */
  async #isRunning(filter) {
    const command = { currentOp: 1, $ownOps: true, active: true, ...filter };
    return (await this.deployment.command('admin', command)).inprog.length > 0;
  }

  /**
   * @param {string} database
   * @param {string} collection
   * @param {Buffer[]} ids documents `{ _id }`
   * @param {Document} [options] of the command
   * @returns the first answer, which holds all of them unless its cursor remains open
   */
  async #find(database, collection, ids, options) {
    const filter = { _id: { $in: ids.map((id) => decodeDocument(id, 0)._id) } };
    const command = { find: collection, filter, batchSize: ids.length + 1, ...options };
    const { cursor: bytes } = await this.deployment.command(database, command, { raw: true });
    return { bytes, ...readCursorBatch(bytes, 0) };
  }
}

/** @param {Document | Document[]} u @returns {Document} an update that finds no document */
function createNoop(u) {
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
