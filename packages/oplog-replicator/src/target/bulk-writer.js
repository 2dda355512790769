import { BSON } from 'mongodb';
import { BsonWriter } from '../bson/bson-writer.js';
import { keyOfId } from '../bson/id-key.js';
import { ByteBudget } from './byte-budget.js';
import { changeDocument, formOf } from './change-document.js';
import { deleteStatement, haveEmptyTimestamp, modifyStatement, replaceStatement } from './statements.js';
import { idOf, listDocuments } from './write-batch.js';

/** @import { Namespace } from '../namespaces.js' */
/** @import { DeferredDocuments } from './deferred-documents.js' */
/** @import { Target, WriteError } from './target.js' */
/** @import { WriteBatch } from './write-batch.js' */

const DUPLICATE_KEY = 11000;
/** A modifier does not apply to the current value of its field. */
const PATH_NOT_VIABLE = 28;

/** Per query. */
const MAX_READ_DOCUMENTS = 100;
/** Per command, unless one document is larger. The server accepts messages of up to 48 MB. */
const MAX_COMMAND_BYTES = 8 << 20;
/** Of a statement besides its `_id` and its document. */
const MAX_STATEMENT_BYTES = 80;
/** Of the documents that workers read and write at the same time. The driver copies what it sends three times. */
const MAX_BYTES_AT_ONCE = 16 << 20;
/** Smaller ones are left to the garbage collector. */
const MIN_FREED_BYTES = 1 << 20;
/** Until one of the collection was changed: the largest, so that it is read alone. */
const ASSUMED_DOCUMENT_BYTES = 16 << 20;

/**
 * @typedef {object} Replacement
 * @property {string} key of its `_id`
 * @property {Buffer} id `{ _id }`
 * @property {Buffer} document
 * @property {boolean} upsert
 */

/**
 * Writes batches so that repeating them is safe. After a crash everything since the checkpoint is written again, and the
 * target may have newer versions of the documents.
 */
export class BulkWriter {
  #target;
  #deferred;
  #budget = new ByteBudget(MAX_BYTES_AT_ONCE);
  /** The mean size of those changed last. @type {Map<Namespace, number>} */
  #documentBytes = new Map();

  /** @param {Target} target @param {DeferredDocuments} deferred */
  constructor(target, deferred) {
    this.#target = target;
    this.#deferred = deferred;
  }

  /** @param {WriteBatch} batch */
  async write(batch) {
    const { kind, namespace, documents } = batch;
    if (kind === 'update') await this.#update(batch);
    else {
      await this.#budget.spend(documents.length, async () => {
        if (kind === 'insert') await this.#insert(batch);
        else if (kind === 'modify') await this.#modify(batch);
        else await this.#delete(batch);
      });
    }
    // This write may have freed a value that a deferred document needs.
    if (this.#deferred.has(namespace)) {
      await this.#replace(batch, this.#deferred.list(namespace).map((one) => ({ ...one, upsert: true })));
    }
  }

  /** @param {WriteBatch} batch */
  async #insert(batch) {
    const { namespace, documents: { bytes } } = batch;
    if (haveEmptyTimestamp(bytes)) {
      await this.#replace(batch, listDocuments(bytes).map((document) => {
        const id = idOf(document);
        return { key: keyOfId(id, 4), id, document, upsert: true };
      }));
      return;
    }
    const { errors } = await this.#target.write(namespace, 'insert', 'documents', [bytes]);
    if (errors.length === 0 && !this.#deferred.has(namespace)) return;
    throwUnless(DUPLICATE_KEY, errors, namespace);
    const refused = new Set(errors.map(({ index }) => index));
    /** @type {Replacement[]} */
    const replacements = [];
    for (const [index, document] of listDocuments(bytes).entries()) {
      const id = idOf(document);
      const key = keyOfId(id, 4);
      // Inserted before the crash. Replace it with the inserted version; its updates will be repeated too.
      if (refused.has(index)) replacements.push({ key, id, document, upsert: true });
      else this.#deferred.delete(namespace, key);
    }
    await this.#replace(batch, replacements);
  }

  /**
   * Reads the documents, applies the diffs, and writes the results. This is safe because only one worker writes each
   * document.
   * @param {WriteBatch} batch
   */
  async #update(batch) {
    const documents = listDocuments(batch.documents.bytes);
    const sizeOfOne = this.#documentBytes.get(batch.namespace) ?? ASSUMED_DOCUMENT_BYTES;
    for (let next = 0; next < documents.length;) {
      const part = documents.slice(next, next + 2 * MAX_READ_DOCUMENTS);
      // Twice: before and after the change.
      next += await this.#budget.spend(part.length * sizeOfOne, () => this.#updateSome(batch, part));
    }
  }

  /**
   * @param {WriteBatch} batch
   * @param {Buffer[]} documents `{ _id }` and the change, alternating
   * @returns {Promise<number>} how many of them are done
   */
  async #updateSome(batch, documents) {
    const { namespace } = batch;
    const ids = documents.filter((_, index) => index % 2 === 0 && formOf(documents[index + 1], 0) === 'diff');
    const { current, count } = await this.#readSome(namespace, ids);
    let end = count === ids.length ? documents.length : documents.indexOf(ids[count]);
    /** @type {Map<string | number, Replacement>} */
    const replacements = new Map();
    /** @type {Buffer[]} */
    const made = [];
    let bytes = 0;
    for (let index = 0; index < end; index += 2) {
      const [id, change] = documents.slice(index, index + 2);
      const key = keyOfId(id, 4);
      const document = changeDocument(current.get(key), change);
      if (!document) {
        this.#addMissing(batch, key, id);
        continue;
      }
      current.set(key, document);
      if (document !== change) made.push(document);
      // With a unique index every version counts, because values move between documents. Otherwise the last one is enough.
      const version = namespace.constraints?.inOrder ? index : key;
      bytes += document.length - (replacements.get(version)?.document.length ?? 0);
      replacements.set(version, { key, id, document, upsert: Boolean(this.#deferred.find(namespace, key)) });
      if (bytes >= MAX_COMMAND_BYTES) end = index + 2;
    }
    if (replacements.size > 0) this.#documentBytes.set(namespace, bytes / replacements.size);
    await this.#replace(batch, [...replacements.values()]);
    made.forEach(free);
    return end;
  }

  /** @param {WriteBatch} batch */
  async #modify(batch) {
    const { namespace, documents: { bytes } } = batch;
    const statements = new BsonWriter(2 * bytes.length);
    const documents = listDocuments(bytes);
    const ids = documents.filter((_, index) => index % 2 === 0);
    for (let index = 0; index < documents.length; index += 2) {
      modifyStatement(statements, documents[index], documents[index + 1]);
    }
    const { errors, matched } = await this.#target.write(namespace, 'update', 'updates', [statements.bytes]);
    throwUnless(PATH_NOT_VIABLE, errors, namespace);
    if (matched + errors.length < ids.length) await this.#findMissing(batch, ids);
  }

  /** @param {WriteBatch} batch */
  async #delete({ namespace, documents: { bytes } }) {
    const statements = new BsonWriter(2 * bytes.length);
    for (const id of listDocuments(bytes)) {
      this.#deferred.delete(namespace, keyOfId(id, 4));
      deleteStatement(statements, id);
    }
    throwUnless(0, (await this.#target.write(namespace, 'delete', 'deletes', [statements.bytes])).errors, namespace);
  }

  /** @param {WriteBatch} batch @param {Replacement[]} replacements */
  async #replace(batch, replacements) {
    const { namespace, after } = batch;
    for (let next = 0; next < replacements.length;) {
      const first = next;
      let bytes = 0;
      do {
        const { id, document } = replacements[next++];
        bytes += id.length + document.length + MAX_STATEMENT_BYTES;
      } while (next < replacements.length && bytes + replacements[next].document.length < MAX_COMMAND_BYTES);
      const written = replacements.slice(first, next);
      const statements = new BsonWriter();
      for (const { id, document, upsert } of written) replaceStatement(statements, id, document, upsert);
      const { errors, matched } = await this.#target.write(namespace, 'update', 'updates', statements.pieces);
      throwUnless(DUPLICATE_KEY, errors, namespace);
      const refusals = new Map(errors.map(({ index, errmsg }) => [index, errmsg]));
      for (const [index, { key, id, document }] of written.entries()) {
        const refusal = refusals.get(index);
        if (!refusal) {
          this.#deferred.delete(namespace, key);
        } else {
          const reason = `the target has a document in ${namespace.name} that the source does not have: ${refusal}`;
          this.#deferred.add(namespace, { key, id: Buffer.from(id), document: Buffer.from(document), after, reason });
        }
      }
      if (matched + errors.length < written.length) {
        await this.#findMissing(batch, written.filter((_, index) => !refusals.has(index)).map(({ id }) => id));
      }
    }
  }

  /** Some of these documents were not found when they should have been changed. @param {WriteBatch} batch @param {Buffer[]} ids */
  async #findMissing(batch, ids) {
    const found = await this.#target.findKeys(batch.namespace, ids);
    for (const id of ids) {
      const key = keyOfId(id, 4);
      if (!found.has(key)) this.#addMissing(batch, key, id);
    }
  }

  /** Deleted before the crash, so its delete will be repeated. @param {WriteBatch} batch @param {string} key @param {Buffer} id */
  #addMissing({ namespace, after }, key, id) {
    if (this.#deferred.find(namespace, key)) return;
    // A capped collection removes documents by itself.
    if (namespace.constraints?.isCapped && this.#deferred.isRepeated(after)) return;
    const shown = BSON.EJSON.stringify(BSON.deserialize(id));
    const reason = `the target does not have a document in ${namespace.name} that the source updates: ${shown}`;
    this.#deferred.add(namespace, { key, id: Buffer.from(id), document: null, after, reason });
  }

  /**
   * @param {Namespace} namespace
   * @param {Buffer[]} ids
   * @returns {Promise<{ current: Map<string, Buffer>, count: number }>} the documents with the first `count` ids: as many as
   *   fit into an answer, and into the share of the budget that is expected to be enough
   */
  async #readSome(namespace, ids) {
    const sizeOfOne = this.#documentBytes.get(namespace) ?? ASSUMED_DOCUMENT_BYTES;
    let count = Math.min(ids.length, Math.max(1, Math.floor(MAX_COMMAND_BYTES / sizeOfOne)));
    let { found, isComplete } = await this.#target.read(namespace, ids.slice(0, count));
    while (!isComplete) {
      count = Math.min(Math.ceil(count / 2), found.size);
      ({ found, isComplete } = await this.#target.read(namespace, ids.slice(0, count)));
    }
    for (const { key, document } of this.#deferred.list(namespace)) found.set(key, document);
    return { current: found, count };
  }
}

/** The garbage collector is late for what is outside its heap. @param {Buffer} bytes that nobody else uses */
function free(bytes) {
  if (bytes.length > MIN_FREED_BYTES) structuredClone(null, { transfer: [/** @type {ArrayBuffer} */ (bytes.buffer)] });
}

/**
 * @param {number} code that the caller handles
 * @param {WriteError[]} errors
 * @param {Namespace} namespace
 * @throws {Error} for the first error with another code
 */
function throwUnless(code, errors, { name }) {
  const error = errors.find((one) => one.code !== code);
  if (error) throw Object.assign(new Error(`the target refused a write to ${name}: ${error.errmsg}`), { code: error.code });
}
