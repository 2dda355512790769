import { ConflictError } from '../errors.js';
import { comparePositions, findEarliest } from '../source/position.js';

/** @import { Namespace } from '../namespaces.js' */
/** @import { Position } from '../source/position.js' */

/**
 * @typedef {object} Deferred
 * @property {string} key of its `_id`
 * @property {Buffer} id `{ _id }`
 * @property {Buffer | null} document null: it is missing on the target, and the source changes it
 * @property {Position} after the entry before the one that wrote it
 * @property {string} reason how the target differs from the source
 *
 * @typedef {Deferred & { document: Buffer }} DeferredDocument
 */

/**
 * What only a repetition can explain. After a crash the target is ahead of the operations that are being repeated.
 *
 * Another document may already have the value that a unique index allows once. The document remains here, receives the
 * updates from the oplog, and is written as soon as the index allows it.
 *
 * A document that is updated may already be deleted. Its `_id` remains here until its delete is repeated.
 *
 * When everything written before the crash has been repeated, nothing is left.
 */
export class DeferredDocuments {
  /** @type {Map<Namespace, Map<string, Deferred>>} */
  #byNamespace = new Map();
  #end;

  /** @param {Position} end of the source's oplog when the session began; no earlier session wrote anything after it */
  constructor(end) {
    this.#end = end;
  }

  /** @param {Position} after @returns {boolean} whether an earlier session may have written what comes next */
  isRepeated(after) {
    return comparePositions(after, this.#end) < 0;
  }

  /** @param {Namespace} namespace */
  has(namespace) {
    return this.#of(namespace).size > 0;
  }

  /** @param {Namespace} namespace @param {string} key @returns {Buffer | null | undefined} */
  find(namespace, key) {
    return this.#of(namespace).get(key)?.document;
  }

  /** @param {Namespace} namespace @returns {DeferredDocument[]} */
  list(namespace) {
    return /** @type {DeferredDocument[]} */ ([...this.#of(namespace).values()].filter(({ document }) => document));
  }

  /**
   * @param {Namespace} namespace
   * @param {Deferred} deferred
   * @throws {ConflictError} when no earlier session wrote it, so no repeated operation will resolve it
   */
  add(namespace, deferred) {
    if (!this.isRepeated(deferred.after)) throw new ConflictError(deferred.reason);
    const documents = this.#of(namespace);
    const { after } = documents.get(deferred.key) ?? deferred;
    this.#byNamespace.set(namespace, documents.set(deferred.key, { ...deferred, after }));
  }

  /** @param {Namespace} namespace @param {string} key */
  delete(namespace, key) {
    this.#of(namespace).delete(key);
  }

  /** @param {Namespace} namespace */
  deleteAll(namespace) {
    this.#byNamespace.delete(namespace);
  }

  /** The collection gets another name. @param {Namespace} from @param {Namespace} to */
  move(from, to) {
    this.#byNamespace.set(to, this.#of(from));
    this.deleteAll(from);
  }

  /** @returns {Position | null} everything up to this entry is written */
  get after() {
    return findEarliest(this.#listAll().map(({ after }) => after));
  }

  /**
   * @param {Position} [applied] everything up to this entry is written or deferred; default: everything to be repeated
   * @throws {ConflictError} when everything written before has been repeated and something is still deferred
   */
  assertNone(applied = this.#end) {
    const [left] = this.#listAll();
    if (left && !this.isRepeated(applied)) throw new ConflictError(left.reason);
  }

  /** @param {Namespace} namespace @returns {Map<string, Deferred>} */
  #of(namespace) {
    return this.#byNamespace.get(namespace) ?? new Map();
  }

  #listAll() {
    return [...this.#byNamespace.values()].flatMap((documents) => [...documents.values()]);
  }
}
