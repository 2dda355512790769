import { BSON } from 'mongodb';
import { MAX_COPIED_BYTES } from '../bson/bson-writer.js';
import { ChunkedWriter, WriterPool } from '../bson/chunked-writer.js';
import { keyOfId } from '../bson/id-key.js';
import { DUPLICATE_KEY, nameRefusal } from '../base/errors.js';
import { ByteBudget } from '../base/concurrency.js';
import { DocumentChanger } from './document-changer.js';
import { createPut, mergeOperations } from './merge-operations.js';
import { deleteStatement, diffStatement, haveEmptyTimestamp, modifyStatement, replaceStatement } from './statements.js';
import { idOf, listDocuments } from './write-batch.js';

/** @import { Namespace } from '../base/namespaces.js' */
/** @import { DeferredDocuments } from './deferred-documents.js' */
/** @import { DocumentInsert, Update } from './merge-operations.js' */
/** @import { Target, WriteError } from './target.js' */
/** @import { WriteBatch } from './write-batch.js' */

/** A modifier does not apply to the current value of its field. */
const PATH_NOT_VIABLE = 28;

/** Limit of a command, unless one document is larger. The server accepts messages of up to 48 MB. */
export const MAX_COMMAND_BYTES = 8 << 20;
/** Size of a statement without its `_id` and its document. */
const MAX_STATEMENT_BYTES = 120;
/** Documents that workers read and write at the same time. The driver copies each command it sends three times. */
const MAX_BYTES_AT_ONCE = 16 << 20;

/** Memory of commands that were written, kept for the next ones. */
const MAX_SPARE_BYTES = 8 << 20;

/**
 * Writes batches so that repeating them is safe. After a crash everything since the checkpoint is written again, and
 * the target may have newer versions of the documents.
 */
export class BulkWriter {
  #target;
  #deferred;
  #canApplyDiffs;
  #budget = new ByteBudget(MAX_BYTES_AT_ONCE);
  #pool = new WriterPool(MAX_SPARE_BYTES);
  #changer;

  /**
   * @param {Target} target
   * @param {DeferredDocuments} deferred
   * @param {boolean} canApplyDiffs whether the target can
   */
  constructor(target, deferred, canApplyDiffs) {
    this.#target = target;
    this.#deferred = deferred;
    this.#canApplyDiffs = canApplyDiffs;
    this.#changer = new DocumentChanger({
      target,
      deferred,
      budget: this.#budget,
      send: (batch, updates) => this.#send(batch, updates),
      addMissing: (batch, key, id) => this.#addMissing(batch, key, id),
    });
  }

  /** @param {WriteBatch} batch */
  async write(batch) {
    const { namespace, kinds, documents } = batch;
    const spend = (/** @type {() => Promise<void>} */ use) => this.#budget.spend(documents.length, use);
    if (kinds.every((kind) => kind === 'insert') && !documents.pieces.some(haveEmptyTimestamp)) {
      await spend(() => this.#insert(batch, documents, () => listInserts(documents)));
    } else {
      for (const { inserts, updates, deletes } of mergeOperations(batch)) {
        if (inserts.length > 0) await spend(() => this.#insertMerged(batch, inserts));
        if (updates.length > 0) await this.#update(batch, updates, spend);
        if (deletes.length > 0) await spend(() => this.#delete(batch, deletes));
      }
    }
    // This write may have freed a value that a deferred document needs.
    if (this.#deferred.has(namespace)) {
      await this.#send(
        batch,
        this.#deferred.list(namespace).map(({ key, document }) => createPut(key, document)),
      );
    }
  }

  /** @param {WriteBatch} batch @param {DocumentInsert[]} inserts */
  async #insertMerged(batch, inserts) {
    const documents = new ChunkedWriter(this.#pool);
    for (const { document } of inserts) documents.next(Math.min(document.length, MAX_COPIED_BYTES)).insert(document);
    await this.#insert(batch, documents, () => inserts);
    documents.release();
  }

  /**
   * @param {WriteBatch} batch
   * @param {ChunkedWriter} documents
   * @param {() => DocumentInsert[]} list of the same documents
   */
  async #insert(batch, documents, list) {
    const { namespace } = batch;
    const { errors } = await this.#target.write(namespace, 'insert', 'documents', documents.pieces);
    if (errors.length === 0 && !this.#deferred.has(namespace)) return;
    throwUnless(DUPLICATE_KEY, errors, namespace);
    const refused = new Set(errors.map(({ index }) => index));
    /** @type {Update[]} */
    const puts = [];
    for (const [index, { key, document }] of list().entries()) {
      // Inserted before the crash. Replace it with the inserted version; its updates will be repeated too.
      if (refused.has(index)) puts.push(createPut(key, document));
      else this.#deferred.delete(namespace, key);
    }
    await this.#send(batch, puts);
  }

  /** @param {WriteBatch} batch @param {Update[]} updates @param {(use: () => Promise<void>) => Promise<void>} spend */
  async #update(batch, updates, spend) {
    const { namespace } = batch;
    // A diff that the server refuses for a unique index can't be deferred without its document.
    const isSimple =
      this.#canApplyDiffs && !namespace.constraints?.inOrder && this.#deferred.list(namespace).length === 0;
    if (isSimple) {
      await spend(() => this.#send(batch, updates));
      return;
    }
    for (let next = 0; next < updates.length;) {
      const first = next;
      const isModifying = updates[first].form === 'modifiers';
      while (next < updates.length && (updates[next].form === 'modifiers') === isModifying) next++;
      const some = updates.slice(first, next);
      if (isModifying) await spend(() => this.#send(batch, some));
      else await this.#changer.change(batch, some);
    }
  }

  /** @param {WriteBatch} batch @param {Buffer[]} ids */
  async #delete({ namespace }, ids) {
    const statements = new ChunkedWriter(this.#pool);
    for (const id of ids) {
      if (this.#deferred.has(namespace)) this.#deferred.delete(namespace, keyOfId(id, 4));
      deleteStatement(statements.next(id.length + MAX_STATEMENT_BYTES), id);
    }
    const { errors } = await this.#target.write(namespace, 'delete', 'deletes', statements.pieces);
    throwUnless(0, errors, namespace);
    statements.release();
  }

  /** @param {WriteBatch} batch @param {Update[]} updates */
  async #send(batch, updates) {
    for (let next = 0; next < updates.length;) {
      const first = next;
      let bytes = 0;
      do {
        const { id, change } = updates[next++];
        bytes += id.length + change.length + MAX_STATEMENT_BYTES;
      } while (next < updates.length && bytes + updates[next].change.length < MAX_COMMAND_BYTES);
      await this.#sendSome(batch, updates.slice(first, next));
    }
  }

  /** @param {WriteBatch} batch @param {Update[]} updates for one command */
  async #sendSome(batch, updates) {
    const { namespace } = batch;
    const statements = new ChunkedWriter(this.#pool);
    for (const { id, form, change, upsert } of updates) {
      const out = statements.next(id.length + Math.min(change.length, MAX_COPIED_BYTES) + MAX_STATEMENT_BYTES);
      if (form === 'replacement') replaceStatement(out, id, change, upsert);
      else if (form === 'diff') diffStatement(out, id, change);
      else modifyStatement(out, id, change);
    }
    const { errors, matched } = await this.#target.write(namespace, 'update', 'updates', statements.pieces);
    statements.release();
    if (errors.length > 0 || this.#deferred.has(namespace)) this.#deferRefused(batch, updates, errors);
    if (matched + errors.length < updates.length) {
      const refused = new Set(errors.map(({ index }) => index));
      await this.#findMissing(
        batch,
        updates.filter((_, index) => !refused.has(index)).map(({ id }) => id),
      );
    }
  }

  /**
   * Defers what a unique index refused.
   * @param {WriteBatch} batch
   * @param {Update[]} updates
   * @param {WriteError[]} errors
   */
  #deferRefused({ namespace, after }, updates, errors) {
    const byIndex = new Map(errors.map((error) => [error.index, error]));
    for (const [index, { key, id, form, change }] of updates.entries()) {
      const error = byIndex.get(index);
      if (!error) {
        if (form === 'replacement') this.#deferred.delete(namespace, key);
      } else if (form === 'replacement') {
        throwUnless(DUPLICATE_KEY, [error], namespace);
        const reason = `the target has a document in ${namespace.name} that the source does not have: ${error.errmsg}`;
        this.#deferred.add(namespace, { key, id: Buffer.from(id), document: Buffer.from(change), after, reason });
      } else {
        throwUnless(form === 'modifiers' ? PATH_NOT_VIABLE : 0, [error], namespace);
      }
    }
  }

  /**
   * Some of these documents were not found when they should have been changed.
   * @param {WriteBatch} batch
   * @param {Buffer[]} ids
   */
  async #findMissing(batch, ids) {
    const found = await this.#target.findKeys(batch.namespace, ids);
    for (const id of ids) {
      const key = keyOfId(id, 4);
      if (!found.has(key)) this.#addMissing(batch, key, id);
    }
  }

  /**
   * Deleted before the crash, so its delete will be repeated.
   * @param {WriteBatch} batch
   * @param {string} key
   * @param {Buffer} id
   */
  #addMissing({ namespace, after }, key, id) {
    if (this.#deferred.find(namespace, key)) return;
    // A capped collection removes documents by itself.
    if (namespace.constraints?.isCapped && this.#deferred.isRepeated(after)) return;
    const shown = BSON.EJSON.stringify(BSON.deserialize(id));
    const reason = `the target does not have a document in ${namespace.name} that the source updates: ${shown}`;
    this.#deferred.add(namespace, { key, id: Buffer.from(id), document: null, after, reason });
  }
}

/** @param {ChunkedWriter} documents @returns {DocumentInsert[]} */
function listInserts(documents) {
  return listDocuments(documents).map((document) => ({ key: keyOfId(idOf(document), 4), document }));
}

/**
 * @param {number} code that the caller handles
 * @param {WriteError[]} errors
 * @param {Namespace} namespace
 * @throws {Error} for the first error with another code
 */
function throwUnless(code, errors, { name }) {
  const error = errors.find((one) => one.code !== code);
  if (error) throw nameRefusal(`a write to ${name}`, error);
}
