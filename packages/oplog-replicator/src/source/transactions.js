import { ARRAY, BOOLEAN, nameOf, readInt, walk } from '../bson/bytes.js';
import { findEarliest } from './position.js';

/** @import { Position } from './position.js' */
/** @import { RawEntry } from './raw-entry.js' */

/**
 * @typedef {object} Part of a transaction: operations that one entry holds
 * @property {Buffer} bytes
 * @property {number[]} starts where each operation begins
 *
 * @typedef {{ after: Position, parts: Part[], isKept: boolean }} Transaction `after`: the entry before its first one;
 *   `isKept`: until `forget` is called, because it has several entries
 */

/**
 * Transactions whose entries are not all read yet. A large one has several entries (`partialTxn`); one over several
 * shards is prepared first, and committed or aborted by an entry of its own.
 */
export function createTransactions() {
  /** @type {Map<string, Transaction>} by session and number */
  const unfinished = new Map();

  return {
    /**
     * @param {RawEntry} entry of an applyOps
     * @param {Position} after the entry before it
     * @returns {Transaction | null} all of it, where this was its last entry
     */
    add(entry, after) {
      const { part, isPartial, isPrepared } = readPart(entry);
      const key = keyOf(entry);
      const transaction = unfinished.get(key) ?? { after: { ...after }, parts: [], isKept: false };
      transaction.parts.push(part);
      if (!isPartial && !isPrepared) return transaction;
      part.bytes = Buffer.from(part.bytes); // The batch is gone when it is needed.
      transaction.isKept = true;
      unfinished.set(key, transaction);
      return null;
    },

    /**
     * @param {RawEntry} entry of a commitTransaction
     * @returns {Transaction | null} what was prepared before
     */
    find: (entry) => unfinished.get(keyOf(entry)) ?? null,

    /** @param {RawEntry} entry the last one of a transaction, which is done or aborted */
    forget: (entry) => unfinished.delete(keyOf(entry)),

    /** @returns {Position | null} of the entry before the first one of all */
    findOldest: () => findEarliest([...unfinished.values()].map(({ after }) => after)),
  };
}

/** @param {RawEntry} entry */
function keyOf({ bytes, lsid, txnNumber }) {
  // An applyOps that is no transaction has neither, and one entry.
  if (lsid < 0 || txnNumber < 0) return '';
  return bytes.toString('latin1', lsid, lsid + readInt(bytes, lsid)) + bytes.toString('latin1', txnNumber, txnNumber + 8);
}

/** @param {RawEntry} entry */
function readPart({ bytes, o }) {
  const starts = /** @type {number[]} */ ([]);
  const flags = new Set();
  const own = bytes.subarray(o, o + readInt(bytes, o));
  walk(own, 0, (type, element, value) => {
    const name = nameOf(own, element, value);
    if (type === BOOLEAN && own[value] === 1) flags.add(name);
    if (type !== ARRAY || name !== 'applyOps') return;
    walk(own, value, (_, __, operation) => { starts.push(operation); });
  });
  return { part: { bytes: own, starts }, isPartial: flags.has('partialTxn'), isPrepared: flags.has('prepare') };
}
