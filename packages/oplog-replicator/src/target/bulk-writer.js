import { BSON } from 'mongodb';
import { BsonWriter } from '../bson/bson-writer.js';
import { keyOfId } from '../bson/id-key.js';
import { changeDocument, formOf } from './change-document.js';
import { deleteStatement, modifyStatement, replaceStatement } from './statements.js';
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
/** Per command. The server accepts messages of up to 48 MB. */
const MAX_COMMAND_BYTES = 16 << 20;

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

  /** @param {Target} target @param {DeferredDocuments} deferred */
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
    // This write may have freed a value that a deferred document needs.
    if (this.#deferred.has(namespace)) {
      await this.#replace(batch, this.#deferred.list(namespace).map((one) => ({ ...one, upsert: true })));
    }
  }

  /** @param {WriteBatch} batch */
  async #insert(batch) {
    const { namespace, documents: { bytes } } = batch;
    const { errors } = await this.#target.write(namespace, 'insert', 'documents', bytes);
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
    const { namespace } = batch;
    const documents = listDocuments(batch.documents.bytes);
    for (let first = 0; first < documents.length; first += 2 * MAX_READ_DOCUMENTS) {
      const part = documents.slice(first, first + 2 * MAX_READ_DOCUMENTS);
      const current = await this.#read(namespace, part.filter((_, index) => (
        index % 2 === 0 && formOf(part[index + 1], 0) === 'diff')));
      /** @type {Replacement[]} */
      const replacements = [];
      for (let index = 0; index < part.length; index += 2) {
        const [id, change] = part.slice(index, index + 2);
        const key = keyOfId(id, 4);
        const document = changeDocument(current.get(key), change);
        if (document) {
          current.set(key, document);
          replacements.push({ key, id, document, upsert: Boolean(this.#deferred.find(namespace, key)) });
        } else {
          this.#addMissing(batch, key, id);
        }
      }
      // With a unique index every version counts, because values move between documents. Otherwise the last one is enough.
      const latest = new Map(replacements.map((one) => [one.key, one]));
      await this.#replace(batch, namespace.constraints?.inOrder ? replacements : [...latest.values()]);
    }
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
    const { errors, matched } = await this.#target.write(namespace, 'update', 'updates', statements.bytes);
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
    throwUnless(0, (await this.#target.write(namespace, 'delete', 'deletes', statements.bytes)).errors, namespace);
  }

  /** @param {WriteBatch} batch @param {Replacement[]} replacements */
  async #replace(batch, replacements) {
    const { namespace, after } = batch;
    for (let next = 0; next < replacements.length;) {
      const first = next;
      const statements = new BsonWriter();
      while (next < replacements.length && statements.length < MAX_COMMAND_BYTES) {
        const { id, document, upsert } = replacements[next++];
        replaceStatement(statements, id, document, upsert);
      }
      const { errors, matched } = await this.#target.write(namespace, 'update', 'updates', statements.bytes);
      throwUnless(DUPLICATE_KEY, errors, namespace);
      const refusals = new Map(errors.map(({ index, errmsg }) => [index, errmsg]));
      const written = replacements.slice(first, next);
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

  /** @param {Namespace} namespace @param {Buffer[]} ids */
  async #read(namespace, ids) {
    const documents = await this.#target.read(namespace, ids);
    for (const { key, document } of this.#deferred.list(namespace)) documents.set(key, document);
    return documents;
  }
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
