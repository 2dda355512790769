import { ConflictError } from '../base/errors.js';
import { keyOfId } from '../bson/id-key.js';
import { comparePositions, findEarliest } from '../source/position.js';

/** @import { Namespace, Namespaces } from '../base/namespaces.js' */
/** @import { Position } from '../source/position.js' */

/**
 * @typedef {object} DeferredWrite
 * @property {string} key of its `_id`
 * @property {Buffer} id `{ _id }`
 * @property {Buffer | null} document null: it is missing on the target, and the source changes it
 * @property {Position} after the entry before the one that wrote it
 * @property {string} reason how the target differs from the source
 *
 * @typedef {DeferredWrite & { document: Buffer }} DeferredDocument
 *
 * @typedef {Pick<DeferredWrite, 'id' | 'document' | 'reason'> & { name: string }} SavedWrite with the name of its
 *   collection
 */

/**
 * Differences that only a repetition can explain. After a crash the target is ahead of the operations that are being
 * repeated.
 *
 * Another document may already have the value that a unique index allows once. The document remains here, receives the
 * updates from the oplog, and is written as soon as the index allows it.
 *
 * A document that is updated may already be deleted. Its `_id` remains here until its delete is repeated.
 *
 * When everything written before the crash has been repeated, nothing is left.
 *
 * What is deferred holds the checkpoint back, so that a restart defers it again. But a restart must not repeat a
 * command with operations before it, because the target has the names and indexes after it. Suppose that `a` was
 * renamed to `b`, and then a new `a` was created. Repeated operations on the old `a` would change the new one, and then
 * the rename would fail, or replace `b`. So at each command the checkpoint is saved just before and just after it,
 * together with what is deferred there (`save`). A process that is killed
 *
 * - before the command is executed: the restart begins with it,
 * - before the second save: nothing else was written, so the restart begins with it and finds that it was executed,
 * - later: the restart begins after it, whatever became of the collection since.
 */
export class DeferredDocuments {
  /** @type {Map<Namespace, Map<string, DeferredWrite>>} */
  #byNamespace = new Map();
  #end;
  /** @type {{ at: Position, writes: SavedWrite[] } | null} */
  #saved = null;

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
   * @param {DeferredWrite} deferred
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

  /**
   * Saves what is deferred now: a restart that restores it may begin after this entry.
   * @param {Position} at everything up to it is written or deferred
   */
  save(at) {
    /** @type {SavedWrite[]} */
    const writes = [];
    for (const [{ name }, documents] of this.#byNamespace) {
      for (const [key, write] of documents) {
        documents.set(key, { ...write, after: at });
        writes.push({ name, id: write.id, document: write.document, reason: write.reason });
      }
    }
    this.#saved = { at, writes };
  }

  /** @param {Position} applied @returns {SavedWrite[]} what a restart after this entry has to restore */
  listSaved(applied) {
    return this.#saved && comparePositions(applied, this.#saved.at) === 0 ? this.#saved.writes : [];
  }

  /** @param {Position} at @param {SavedWrite[]} writes from `listSaved(at)` @param {Namespaces} namespaces */
  restore(at, writes, namespaces) {
    for (const { name, ...write } of writes) {
      this.add(namespaces.named(name), { ...write, key: keyOfId(write.id, 4), after: at });
    }
    this.save(at);
  }

  /** @returns {Position | null} everything up to this entry is written, or saved as deferred */
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

  /** @param {Namespace} namespace @returns {Map<string, DeferredWrite>} */
  #of(namespace) {
    return this.#byNamespace.get(namespace) ?? new Map();
  }

  #listAll() {
    return [...this.#byNamespace.values()].flatMap((documents) => [...documents.values()]);
  }
}
