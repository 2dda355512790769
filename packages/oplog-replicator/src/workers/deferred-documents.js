import { comparePositions, findEarliest } from '../source/position.js';

/** @import { Namespace } from '../namespaces.js' */
/** @import { Position } from '../source/position.js' */

/**
 * @typedef {object} DeferredDocument
 * @property {string} key of its `_id`
 * @property {Buffer} id `{ _id }`
 * @property {Buffer} document
 * @property {Position} after of the entry before the one that wrote it
 * @property {string} reason why the target refused it
 */

/**
 * Documents that a unique index of the target refuses for now. After a crash the target is ahead of the operations that
 * are repeated: a unique value may have moved to another document since. Such a document is kept here, updated as the
 * oplog says, and written as soon as the index allows it. None is left once everything is repeated that had been written
 * before the crash.
 */
export class DeferredDocuments {
  /** @type {Map<Namespace, Map<string, DeferredDocument>>} */
  #byNamespace = new Map();
  #end;

  /** @param {Position} end of the source's oplog at the start of the session: nothing after it was written before */
  constructor(end) {
    this.#end = end;
  }

  /** @param {Namespace} namespace */
  has(namespace) {
    return this.#of(namespace).size > 0;
  }

  /** @param {Namespace} namespace @param {string} key @returns {Buffer | undefined} */
  find(namespace, key) {
    return this.#of(namespace).get(key)?.document;
  }

  /** @param {Namespace} namespace @returns {DeferredDocument[]} */
  list(namespace) {
    return [...this.#of(namespace).values()];
  }

  /**
   * @param {Namespace} namespace
   * @param {DeferredDocument} document
   * @throws {ConflictError} when it was never written before, so nothing will make room for it
   */
  add(namespace, document) {
    if (comparePositions(document.after, this.#end) >= 0) throw new ConflictError(namespace, document);
    const documents = this.#of(namespace);
    const { after } = documents.get(document.key) ?? document;
    this.#byNamespace.set(namespace, documents.set(document.key, { ...document, after }));
  }

  /** @param {Namespace} namespace @param {string} key */
  delete(namespace, key) {
    this.#of(namespace).delete(key);
  }

  /** @param {Namespace} namespace that was dropped */
  deleteAll(namespace) {
    this.#byNamespace.delete(namespace);
  }

  /** @returns {Position | null} everything up to it is written */
  get after() {
    return findEarliest(this.#listAll().map(({ document }) => document.after));
  }

  /**
   * @param {Position} applied everything up to it is written, except what is deferred
   * @throws {ConflictError} when all that had been written before is repeated, and a document is left
   */
  assertNone(applied) {
    const [left] = this.#listAll();
    if (left && comparePositions(applied, this.#end) >= 0) throw new ConflictError(left.namespace, left.document);
  }

  /** @param {Namespace} namespace @returns {Map<string, DeferredDocument>} */
  #of(namespace) {
    return this.#byNamespace.get(namespace) ?? new Map();
  }

  #listAll() {
    return [...this.#byNamespace].flatMap(([namespace, documents]) => (
      [...documents.values()].map((document) => ({ namespace, document }))));
  }
}

class ConflictError extends Error {
  /** @param {Namespace} namespace @param {DeferredDocument} document */
  constructor({ name }, { reason }) {
    super(`the target holds a document in ${name} that the source does not have: ${reason}`);
  }
}
