import { comparePositions, findEarliest } from '../source/position.js';

/** @import { Namespace } from '../namespaces.js' */
/** @import { Position } from '../source/position.js' */

/**
 * @typedef {object} ParkedDocument
 * @property {string} key of its `_id`
 * @property {Buffer} id `{ _id }`
 * @property {Buffer} document
 * @property {Position} after of the entry before the one that wanted to write it
 * @property {string} why it could not be written
 */

/**
 * Documents that a unique index refuses for now. After a crash the target is ahead of what is done again: the value
 * that a document once had may have passed to another one since. Such a document is kept here, changed as the oplog
 * says, and written as soon as the index allows it; once all is done again that was done before, none is left.
 *
 * @param {Position} end of the source's oplog when it was begun: nothing after it was done before
 */
export function createParked(end) {
  /** @type {Map<Namespace, Map<string, ParkedDocument>>} */
  const parked = new Map();
  const of = (/** @type {Namespace} */ namespace) => parked.get(namespace) ?? new Map();

  return {
    has: (/** @type {Namespace} */ namespace) => of(namespace).size > 0,

    /** @param {Namespace} namespace @param {string} key @returns {Buffer | undefined} */
    find: (namespace, key) => of(namespace).get(key)?.document,

    /** @param {Namespace} namespace @returns {ParkedDocument[]} */
    list: (namespace) => [...of(namespace).values()],

    /**
     * @param {Namespace} namespace
     * @param {ParkedDocument} document
     * @throws {Error} when it was never written before, so that nothing will make room for it
     */
    park(namespace, document) {
      if (comparePositions(document.after, end) >= 0) throw new ConflictError(namespace, document);
      const documents = of(namespace);
      const { after } = documents.get(document.key) ?? document;
      parked.set(namespace, documents.set(document.key, { ...document, after }));
    },

    /** @param {Namespace} namespace @param {string} key */
    forget(namespace, key) {
      of(namespace).delete(key);
    },

    /** @param {Namespace} namespace that was dropped */
    forgetAll(namespace) {
      parked.delete(namespace);
    },

    /** @returns {Position | null} up to which nothing is parked */
    get after() {
      return findEarliest([...parked.values()].flatMap((documents) => [...documents.values()]).map(({ after }) => after));
    },

    /**
     * @param {Position} applied up to which all is written that is not parked
     * @throws {Error} when all is done again that was done before, and a document is left
     */
    assertNone(applied) {
      if (comparePositions(applied, end) < 0) return;
      for (const [namespace, documents] of parked) {
        for (const document of documents.values()) throw new ConflictError(namespace, document);
      }
    },
  };
}

class ConflictError extends Error {
  /** @param {Namespace} namespace @param {ParkedDocument} document */
  constructor({ name }, { why }) {
    super(`the target holds a document in ${name} that the source does not have: ${why}`);
  }
}
