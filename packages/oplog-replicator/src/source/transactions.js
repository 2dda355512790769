import { ARRAY, BOOLEAN, nameOf, readInt, walk } from '../bson/bytes.js';
import { findEarliest } from './position.js';

/** @import { Position } from './position.js' */
/** @import { OplogEntry } from './oplog-entry.js' */

/**
 * @typedef {object} TransactionPart the operations of a transaction that one entry has
 * @property {Buffer} bytes
 * @property {number[]} starts where each operation begins
 *
 * @typedef {object} Transaction
 * @property {Position} after the entry before its first one
 * @property {TransactionPart[]} parts
 * @property {boolean} isStored it has several entries, so it is stored here until `forget` is called
 */

/**
 * Collects transactions that have several entries: large ones (`partialTxn`), and those of several shards, which are
 * prepared first and then committed or aborted by another entry.
 */
export function createTransactions() {
  /** @type {Map<string, Transaction>} by session and number */
  const unfinished = new Map();

  return {
    /**
     * @param {OplogEntry} entry of an applyOps
     * @param {Position} after the entry before it
     * @returns {Transaction | null} null unless this was its last entry
     */
    add(entry, after) {
      const { part, isPartial, isPrepared } = readPart(entry);
      const key = keyOf(entry);
      const transaction = unfinished.get(key) ?? { after: { ...after }, parts: [], isStored: false };
      transaction.parts.push(part);
      if (!isPartial && !isPrepared) return transaction;
      part.bytes = Buffer.from(part.bytes); // The batch's buffer will be reused.
      transaction.isStored = true;
      unfinished.set(key, transaction);
      return null;
    },

    /** @param {OplogEntry} entry of a commitTransaction @returns {Transaction | null} the prepared transaction */
    find: (entry) => unfinished.get(keyOf(entry)) ?? null,

    /** @param {OplogEntry} entry the last one of the transaction */
    forget: (entry) => unfinished.delete(keyOf(entry)),

    /** @returns {Position | null} the entry before the oldest transaction */
    findOldest: () => findEarliest([...unfinished.values()].map(({ after }) => after)),
  };
}

/** @param {OplogEntry} entry */
function keyOf({ bytes, lsid, txnNumber }) {
  // An applyOps outside a transaction has neither, and a single entry.
  if (lsid < 0 || txnNumber < 0) return '';
  return (
    bytes.toString('latin1', lsid, lsid + readInt(bytes, lsid)) + bytes.toString('latin1', txnNumber, txnNumber + 8)
  );
}

/** @param {OplogEntry} entry */
function readPart({ bytes, o }) {
  const starts = /** @type {number[]} */ ([]);
  const flags = new Set();
  const own = bytes.subarray(o, o + readInt(bytes, o));
  walk(own, 0, (type, element, value) => {
    const name = nameOf(own, element, value);
    if (type === BOOLEAN && own[value] === 1) flags.add(name);
    if (type !== ARRAY || name !== 'applyOps') return;
    walk(own, value, (_, __, operation) => {
      starts.push(operation);
    });
  });
  return { part: { bytes: own, starts }, isPartial: flags.has('partialTxn'), isPrepared: flags.has('prepare') };
}
