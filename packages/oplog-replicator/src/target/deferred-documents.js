import { comparePositions, findEarliest } from '../source/position.js';

/** @import { Namespace } from '../namespaces.js' */
/** @import { Position } from '../source/position.js' */

/**
 * @typedef {object} DeferredDocument
 * @property {string} key of its `_id`
 * @property {Buffer} id `{ _id }`
 * @property {Buffer} document
 * @property {Position} after the entry before the one that wrote it
 * @property {string} reason the target's error message
 */

/**
 * Documents that a unique index of the target rejects for now. After a crash the target is ahead of the operations that
 * are being repeated, so another document may already have the unique value. The document remains here, receives the
 * updates from the oplog, and is written as soon as the index allows it. When everything written before the crash has
 * been repeated, none is left.
 */
export class DeferredDocuments {
  /** @type {Map<Namespace, Map<string, DeferredDocument>>} */
  #byNamespace = new Map();
  #end;

  /** @param {Position} end of the source's oplog when the session began; no earlier session wrote anything after it */
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
   * @throws {ConflictError} when no earlier session wrote it, so no repeated operation will free the value
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

  /** @param {Namespace} namespace */
  deleteAll(namespace) {
    this.#byNamespace.delete(namespace);
  }

  /** @returns {Position | null} everything up to this entry is written */
  get after() {
    return findEarliest(this.#listAll().map(({ document }) => document.after));
  }

  /**
   * @param {Position} applied everything up to this entry is written or deferred
   * @throws {ConflictError} when everything written before has been repeated and a document is still deferred
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
    super(`the target has a document in ${name} that the source does not have: ${reason}`);
  }
}
