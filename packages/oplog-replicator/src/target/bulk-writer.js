import { BsonWriter } from '../bson/bson-writer.js';
import { keyOfId } from '../bson/id-key.js';
import { idOf, listDocuments } from '../workers/write-batch.js';
import { changeDocument, formOf } from './change-document.js';
import { deleteStatement, modifyStatement, putStatement } from './statements.js';

/** @import { Namespace } from '../namespaces.js' */
/** @import { WriteBatch } from '../workers/write-batch.js' */

const DUPLICATE_KEY = 11000;
/** A modifier cannot be applied to the value it finds. */
const PATH_NOT_VIABLE = 28;

/** Documents read with one query, and bytes sent with one command; a message may have 48 MB. */
const MAX_READ_DOCUMENTS = 100;
const MAX_SEND_BYTES = 16 << 20;

/**
 * @typedef {object} Put a document as it is to be
 * @property {string} key of its `_id`
 * @property {Buffer} id `{ _id }`
 * @property {Buffer} document
 * @property {boolean} upsert whether it is inserted if it does not exist
 */

/**
 * Writes batches so that repeating them does no harm: after a crash everything since the checkpoint is written again, to
 * documents that may be further ahead.
 */
export class BulkWriter {
  #target;
  #deferred;

  /**
   * @param {ReturnType<typeof import('./target.js').createTarget>} target
   * @param {import('../workers/deferred-documents.js').DeferredDocuments} deferred
   */
  constructor(target, deferred) {
    this.#target = target;
    this.#deferred = deferred;
  }

  /** @param {WriteBatch} batch */
  async write(batch) {
    const { kind, namespace } = batch;
    if (kind === 'insert') await this.#insert(batch);
    else if (kind === 'update') await this.#update(batch);
    else if (kind === 'modify') await this.#modify(batch);
    else await this.#delete(batch);
    // This write may have made room for documents that were refused.
    if (this.#deferred.has(namespace)) {
      await this.#put(batch, this.#deferred.list(namespace).map((one) => ({ ...one, upsert: true })));
    }
  }

  /** @param {WriteBatch} batch */
  async #insert(batch) {
    const { namespace, documents: { bytes } } = batch;
    const errors = await this.#target.write(namespace, 'insert', 'documents', bytes);
    if (errors.length === 0 && !this.#deferred.has(namespace)) return;
    throwUnless(DUPLICATE_KEY, errors, namespace);
    const refused = new Set(errors.map(({ index }) => index));
    /** @type {Put[]} */
    const puts = [];
    for (const [index, document] of listDocuments(bytes).entries()) {
      const id = idOf(document);
      const key = keyOfId(id, 4);
      // It was inserted before the crash. Put the inserted state back; the updates that followed come again.
      if (refused.has(index)) puts.push({ key, id, document, upsert: true });
      else this.#deferred.delete(namespace, key);
    }
    await this.#put(batch, puts);
  }

  /**
   * Diffs are applied here, to documents read first. That is safe because nobody else writes them.
   * @param {WriteBatch} batch
   */
  async #update(batch) {
    const { namespace } = batch;
    const documents = listDocuments(batch.documents.bytes);
    for (let first = 0; first < documents.length; first += 2 * MAX_READ_DOCUMENTS) {
      const part = documents.slice(first, first + 2 * MAX_READ_DOCUMENTS);
      const current = await this.#read(namespace, part.filter((_, index) => (
        index % 2 === 0 && formOf(part[index + 1], 0) === 'difference')));
      /** @type {Put[]} */
      const puts = [];
      for (let index = 0; index < part.length; index += 2) {
        const [id, change] = part.slice(index, index + 2);
        const key = keyOfId(id, 4);
        const document = changeDocument(current.get(key), change);
        // A document that does not exist was deleted before the crash, and will be deleted again.
        if (!document) continue;
        current.set(key, document);
        puts.push({ key, id, document, upsert: this.#deferred.find(namespace, key) !== undefined });
      }
      // Where a unique value moves between documents every step counts; elsewhere only the last state does.
      await this.#put(batch, namespace.constraints?.inOrder ? puts : [...new Map(puts.map((one) => [one.key, one])).values()]);
    }
  }

  /** @param {WriteBatch} batch */
  async #modify({ namespace, documents: { bytes } }) {
    const statements = new BsonWriter(2 * bytes.length);
    const documents = listDocuments(bytes);
    for (let index = 0; index < documents.length; index += 2) {
      modifyStatement(statements, documents[index], documents[index + 1]);
    }
    throwUnless(PATH_NOT_VIABLE, await this.#target.write(namespace, 'update', 'updates', statements.bytes), namespace);
  }

  /** @param {WriteBatch} batch */
  async #delete({ namespace, documents: { bytes } }) {
    const statements = new BsonWriter(2 * bytes.length);
    for (const id of listDocuments(bytes)) {
      this.#deferred.delete(namespace, keyOfId(id, 4));
      deleteStatement(statements, id);
    }
    throwUnless(0, await this.#target.write(namespace, 'delete', 'deletes', statements.bytes), namespace);
  }

  /**
   * @param {WriteBatch} batch
   * @param {Put[]} puts
   */
  async #put({ namespace, after }, puts) {
    for (let next = 0; next < puts.length;) {
      const first = next;
      const statements = new BsonWriter();
      while (next < puts.length && statements.length < MAX_SEND_BYTES) {
        const { id, document, upsert } = puts[next++];
        putStatement(statements, id, document, upsert);
      }
      const errors = await this.#target.write(namespace, 'update', 'updates', statements.bytes);
      throwUnless(DUPLICATE_KEY, errors, namespace);
      const reasons = new Map(errors.map(({ index, errmsg }) => [index, errmsg]));
      for (const [index, { key, id, document }] of puts.slice(first, next).entries()) {
        const reason = reasons.get(index);
        if (reason) this.#deferred.add(namespace, { key, id: Buffer.from(id), document: Buffer.from(document), after, reason });
        else this.#deferred.delete(namespace, key);
      }
    }
  }

  /** @param {Namespace} namespace @param {Buffer[]} ids */
  async #read(namespace, ids) {
    const documents = await this.#target.read(namespace, ids);
    for (const { key, document } of this.#deferred.list(namespace)) documents.set(key, document);
    return documents;
  }
}

/**
 * @param {number} code of the errors the caller handles
 * @param {import('./target.js').WriteError[]} errors
 * @param {Namespace} namespace
 * @throws {Error} for the first error with another code
 */
function throwUnless(code, errors, { name }) {
  const error = errors.find((one) => one.code !== code);
  if (error) throw Object.assign(new Error(`the target refuses a write to ${name}: ${error.errmsg}`), { code: error.code });
}
