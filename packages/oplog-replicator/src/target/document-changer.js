import { changeDocument } from './merge-operations.js';

/** @import { Namespace } from '../base/namespaces.js' */
/** @import { ByteBudget } from '../base/concurrency.js' */
/** @import { DeferredDocuments } from './deferred-documents.js' */
/** @import { Update } from './merge-operations.js' */
/** @import { Target } from './target.js' */
/** @import { WriteBatch } from './write-batch.js' */

/** Per query. */
const MAX_READ_DOCUMENTS = 100;
/** Per answer, and per command. */
const MAX_BYTES = 8 << 20;
/** Smaller ones are left to the garbage collector. */
const MIN_FREED_BYTES = 1 << 20;
/** Assumed size of a document until one of the collection was changed: the largest, so that it is read alone. */
const ASSUMED_DOCUMENT_BYTES = 16 << 20;

/**
 * Reads documents, applies diffs to them, and writes the results. It is slower than leaving the diffs to the target,
 * but it knows each document: a unique index may refuse it, and not every target can apply diffs. It is safe because
 * only one worker writes each document.
 */
export class DocumentChanger {
  #options;
  /** The mean size of those changed last. @type {Map<Namespace, number>} */
  #documentBytes = new Map();

  /**
   * @param {object} options
   * @param {Target} options.target
   * @param {DeferredDocuments} options.deferred
   * @param {ByteBudget} options.budget
   * @param {(batch: WriteBatch, updates: Update[]) => Promise<void>} options.send writes replacements
   * @param {(batch: WriteBatch, key: string, id: Buffer) => void} options.addMissing called with a document that the
   *   target does not have
   */
  constructor(options) {
    this.#options = options;
  }

  /** @param {WriteBatch} batch @param {Update[]} updates replacements and diffs */
  async change(batch, updates) {
    const sizeOfOne = this.#documentBytes.get(batch.namespace) ?? ASSUMED_DOCUMENT_BYTES;
    for (let next = 0; next < updates.length;) {
      const some = updates.slice(next, next + MAX_READ_DOCUMENTS);
      // Twice: before and after the change.
      next += await this.#options.budget.spend(2 * some.length * sizeOfOne, () => this.#changeSome(batch, some));
    }
  }

  /** @param {WriteBatch} batch @param {Update[]} updates @returns {Promise<number>} how many of them are done */
  async #changeSome(batch, updates) {
    const { deferred, send, addMissing } = this.#options;
    const { namespace } = batch;
    const diffs = updates.filter(({ form }) => form === 'diff');
    const { current, count } = await this.#readSome(
      namespace,
      diffs.map(({ id }) => id),
    );
    let end = count === diffs.length ? updates.length : updates.indexOf(diffs[count]);
    /** @type {Map<string | number, Update>} */
    const replacements = new Map();
    /** @type {Buffer[]} */
    const made = [];
    let bytes = 0;
    for (let index = 0; index < end; index++) {
      const { key, id, change, upsert } = updates[index];
      const document = changeDocument(current.get(key), change);
      if (!document) {
        addMissing(batch, key, id);
        continue;
      }
      current.set(key, document);
      if (document !== change) made.push(document);
      // With a unique index every version counts, because values move between documents. Otherwise the last one is
      // enough.
      const version = namespace.constraints?.inOrder ? index : key;
      const before = replacements.get(version);
      bytes += document.length - (before?.change.length ?? 0);
      replacements.set(version, {
        key,
        id,
        form: 'replacement',
        change: document,
        upsert: upsert || before?.upsert || Boolean(deferred.find(namespace, key)),
      });
      if (bytes >= MAX_BYTES) end = index + 1;
    }
    if (replacements.size > 0) this.#documentBytes.set(namespace, bytes / replacements.size);
    await send(batch, [...replacements.values()]);
    made.forEach(free);
    return end;
  }

  /**
   * @param {Namespace} namespace
   * @param {Buffer[]} ids
   * @returns {Promise<{ current: Map<string, Buffer>, count: number }>} the documents with the first `count` ids: those
   *   that fit into an answer, and into the share of the budget that is expected to be enough
   */
  async #readSome(namespace, ids) {
    const { target, deferred } = this.#options;
    const sizeOfOne = this.#documentBytes.get(namespace) ?? ASSUMED_DOCUMENT_BYTES;
    let count = Math.min(ids.length, Math.max(1, Math.floor(MAX_BYTES / sizeOfOne)));
    let { found, isComplete } = await target.read(namespace, ids.slice(0, count));
    while (!isComplete) {
      count = Math.min(Math.ceil(count / 2), found.size);
      ({ found, isComplete } = await target.read(namespace, ids.slice(0, count)));
    }
    for (const { key, document } of deferred.list(namespace)) found.set(key, document);
    return { current: found, count };
  }
}

/**
 * Buffers live outside the heap, so the garbage collector frees them late.
 * @param {Buffer} bytes that nobody else uses
 */
function free(bytes) {
  if (bytes.length > MIN_FREED_BYTES) structuredClone(null, { transfer: [/** @type {ArrayBuffer} */ (bytes.buffer)] });
}
