import { BsonWriter } from '../bson/bson-writer.js';
import { keyOfId } from '../bson/id-key.js';
import { idOf, listDocuments } from '../workers/run.js';
import { changeDocument, formOf } from './change-document.js';
import { deleteStatement, modifyStatement, putStatement } from './statements.js';

/** @import { Namespace } from '../namespaces.js' */
/** @import { Run } from '../workers/run.js' */

const DUPLICATE_KEY = 11000;
/** A modifier meets a value that it can't be applied to. */
const PATH_NOT_VIABLE = 28;

/** Documents that are read at once, and bytes that are sent at once; a message can have 48 MB. */
const READ_DOCUMENTS = 100;
const SEND_BYTES = 16 << 20;

/**
 * @typedef {object} Put a document that is to be where its `_id` says
 * @property {string} key of its `_id`
 * @property {Buffer} id `{ _id }`
 * @property {Buffer} document
 * @property {boolean} upsert whether it is inserted where nothing is there
 */

/**
 * Write runs so that it does no harm to write them again: after a crash all that followed the checkpoint is, and meets
 * documents that are further on already.
 *
 * @param {ReturnType<typeof import('./target.js').createTarget>} target
 * @param {ReturnType<typeof import('../workers/parked.js').createParked>} parked
 */
export function createBulkWriter(target, parked) {
  /** @param {Run} run */
  async function insert(run) {
    const { namespace, documents: { bytes } } = run;
    const errors = await target.write(namespace, 'insert', 'documents', bytes);
    if (errors.length === 0 && !parked.has(namespace)) return;
    refuseAllBut(DUPLICATE_KEY, errors, namespace);
    const refused = new Set(errors.map(({ index }) => index));
    /** @type {Put[]} */
    const puts = [];
    for (const [index, document] of listDocuments(bytes).entries()) {
      const id = idOf(document);
      const key = keyOfId(id, 4);
      // It was inserted before: what is there becomes what was inserted, and what changed it follows.
      if (refused.has(index)) puts.push({ key, id, document, upsert: true });
      else parked.forget(namespace, key);
    }
    await put(run, puts);
  }

  /**
   * Differences are applied here, to documents that are read first: nobody else writes them.
   * @param {Run} run
   */
  async function update(run) {
    const { namespace } = run;
    const documents = listDocuments(run.documents.bytes);
    for (let first = 0; first < documents.length; first += 2 * READ_DOCUMENTS) {
      const part = documents.slice(first, first + 2 * READ_DOCUMENTS);
      const current = await read(namespace, part.filter((_, index) => index % 2 === 0 && formOf(part[index + 1], 0) === 'difference'));
      /** @type {Put[]} */
      const puts = [];
      for (let index = 0; index < part.length; index += 2) {
        const [id, change] = part.slice(index, index + 2);
        const key = keyOfId(id, 4);
        const document = changeDocument(current.get(key), change);
        // A document that is not there was deleted before a crash, and will be again.
        if (!document) continue;
        current.set(key, document);
        puts.push({ key, id, document, upsert: parked.find(namespace, key) !== undefined });
      }
      // Where a unique value passes from one to another each step counts, elsewhere the last state of each.
      await put(run, namespace.constraints?.inOrder ? puts : [...new Map(puts.map((one) => [one.key, one])).values()]);
    }
  }

  /** @param {Run} run */
  async function modify({ namespace, documents: { bytes } }) {
    const statements = new BsonWriter(2 * bytes.length);
    const documents = listDocuments(bytes);
    for (let index = 0; index < documents.length; index += 2) {
      modifyStatement(statements, documents[index], documents[index + 1]);
    }
    refuseAllBut(PATH_NOT_VIABLE, await target.write(namespace, 'update', 'updates', statements.bytes), namespace);
  }

  /** @param {Run} run */
  async function remove({ namespace, documents: { bytes } }) {
    const statements = new BsonWriter(2 * bytes.length);
    for (const id of listDocuments(bytes)) {
      parked.forget(namespace, keyOfId(id, 4));
      deleteStatement(statements, id);
    }
    refuseAllBut(0, await target.write(namespace, 'delete', 'deletes', statements.bytes), namespace);
  }

  /**
   * @param {Run} run
   * @param {Put[]} puts
   */
  async function put({ namespace, after }, puts) {
    for (let next = 0; next < puts.length;) {
      const first = next;
      const statements = new BsonWriter();
      while (next < puts.length && statements.length < SEND_BYTES) {
        const { id, document, upsert } = puts[next++];
        putStatement(statements, id, document, upsert);
      }
      const errors = await target.write(namespace, 'update', 'updates', statements.bytes);
      refuseAllBut(DUPLICATE_KEY, errors, namespace);
      const reasons = new Map(errors.map(({ index, errmsg }) => [index, errmsg]));
      for (const [index, { key, id, document }] of puts.slice(first, next).entries()) {
        const why = reasons.get(index);
        if (why) parked.park(namespace, { key, id: Buffer.from(id), document: Buffer.from(document), after, why });
        else parked.forget(namespace, key);
      }
    }
  }

  /** @param {Namespace} namespace @param {Buffer[]} ids */
  async function read(namespace, ids) {
    const documents = await target.read(namespace, ids);
    for (const { key, document } of parked.list(namespace)) documents.set(key, document);
    return documents;
  }

  const writers = { insert, update, modify, delete: remove };

  /** @param {Run} run */
  return async function write(run) {
    await writers[run.kind](run);
    // What was refused may have become possible.
    if (parked.has(run.namespace)) await put(run, parked.list(run.namespace).map((one) => ({ ...one, upsert: true })));
  };
}

/**
 * @param {number} code
 * @param {import('./target.js').WriteError[]} errors
 * @param {Namespace} namespace
 */
function refuseAllBut(code, errors, { name }) {
  const error = errors.find((one) => one.code !== code);
  if (error) throw Object.assign(new Error(`the target refuses a write to ${name}: ${error.errmsg}`), { code: error.code });
}
