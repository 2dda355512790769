import { findId, nameOf, skipName } from '../bson/bytes.js';
import { hashId } from '../bson/id-hash.js';
import { comparePositions, findEarliest } from '../source/position.js';
import { COMMAND, createEntry, DELETE, INSERT, NOOP, readEntry, UPDATE } from '../source/raw-entry.js';
import { createTransactions } from '../source/transactions.js';
import { formOf } from '../target/change-document.js';
import { appendDocument, appendId } from './run.js';

/** @import { Batch } from '../source/op-msg.js' */
/** @import { Namespace } from '../namespaces.js' */
/** @import { Position } from '../source/position.js' */
/** @import { RawEntry } from '../source/raw-entry.js' */
/** @import { Kind } from './run.js' */
/** @import { Transaction } from '../source/transactions.js' */

/**
 * Give each operation of an oplog to the worker that has to do it: the same document always to the same one.
 *
 * @param {object} options
 * @param {import('./worker.js').Worker[]} options.workers
 * @param {ReturnType<typeof import('../namespaces.js').createNamespaces>} options.namespaces
 * @param {'id' | 'collection'} options.hash
 * @param {(namespace: Namespace) => Promise<void>} options.learn finds out the constraints of a collection
 * @param {(entry: RawEntry, name: string) => Promise<void>} options.define does a command; all before it is done
 * @param {() => Promise<void>} options.save keeps the position
 * @param {{ skipped: number }} options.counters
 * @param {Position} options.from the first entry to read
 * @param {Position} options.after the first entry to do is the one after it
 * @param {Position} [options.until] take nothing after it
 */
export function createDispatcher({ workers, namespaces, hash, learn, define, save, counters, from, after, until }) {
  const transactions = createTransactions();
  const entry = createEntry();
  const operation = createEntry();
  const last = { ...from };
  /** Whether the source has more that was not read yet, and when the last that was read happened. */
  let isBehind = false;
  let lastHappenedMs = 0;
  const happenedMs = () => Number(entry.bytes.readBigInt64LE(entry.wall));

  /**
   * @param {RawEntry} what
   * @param {Position} before of the entry before it
   * @returns {Promise<void> | undefined} undefined where nothing has to be waited for, as nearly always
   */
  function route(what, before) {
    switch (what.op) {
      case INSERT: case UPDATE: case DELETE: return hand(what, before);
      case COMMAND: return obey(what, before);
      case NOOP: counters.skipped++; return undefined;
      default: throw new Error(`the oplog has an operation of the unknown kind "${String.fromCharCode(what.op)}"`);
    }
  }

  /** @param {RawEntry} what @param {Position} before @returns {Promise<void> | undefined} */
  function hand(what, before) {
    const { bytes, op, o } = what;
    const namespace = namespaces.at(bytes, what.ns, what.nsLength);
    if (namespace.excluded || what.fromMigrate) {
      counters.skipped++;
      return undefined;
    }
    if (!namespace.constraints) return learn(namespace).then(() => hand(what, before));

    const id = findId(bytes, op === UPDATE ? what.o2 : o);
    if (id < 0) throw new Error(`${namespace.name}: a document without _id can't be replicated`);
    const number = hash === 'collection' || namespace.constraints.inOrder ? namespace.number : hashId(bytes, id);
    const worker = workers[number % workers.length];
    const run = worker.open(kindOf(what), namespace, before, happenedMs);
    const { length } = run.documents;
    if (op !== INSERT) appendId(run, bytes, id);
    if (op !== DELETE) appendDocument(run, bytes, o);
    worker.count(run, run.documents.length - length);
    return undefined;
  }

  /** @param {RawEntry} what @param {Position} before */
  async function obey(what, before) {
    const name = commandOf(what);
    if (name === 'applyOps') await repeat(transactions.add(what, before), before);
    else if (name === 'commitTransaction') await repeat(transactions.find(what), before);
    else if (name === 'abortTransaction') transactions.forget(what);
    else {
      await settle();
      await save();
      await define(what, name);
      if (what === entry) Object.assign(last, entry.position);
      await save();
    }
  }

  /** @param {Transaction | null} transaction null where it is not complete @param {Position} before */
  async function repeat(transaction, before) {
    if (!transaction) return;
    for (const { bytes, starts } of transaction.parts) {
      for (const start of starts) {
        readEntry(operation, bytes, start);
        const wait = route(operation, before);
        if (wait) await wait;
      }
      await relieve();
    }
    if (transaction.isKept) {
      // Its entries may have to be read again for as long as it is not written.
      await settle();
      transactions.forget(entry);
    }
  }

  /** Have the workers begin, and wait until each has room for more. */
  async function relieve() {
    for (const worker of workers) worker.start();
    for (const worker of workers) await worker.waitForRoom();
  }

  /** Wait until all is written. */
  async function settle() {
    for (const worker of workers) worker.start();
    for (const worker of workers) await worker.waitUntilEmpty();
  }

  return {
    settle,

    /**
     * @param {Batch} batch
     * @returns {Promise<boolean>} whether `until` is reached
     */
    async take({ bytes, starts, isFull }) {
      isBehind = false;
      for (const start of starts) {
        readEntry(entry, bytes, start);
        if (until && comparePositions(entry.position, until) > 0) return true;
        // Read again only to have the begin of a transaction.
        if (comparePositions(entry.position, after) <= 0) {
          recollect();
        } else {
          const wait = route(entry, last);
          if (wait) await wait;
        }
        last.seconds = entry.position.seconds;
        last.increment = entry.position.increment;
        last.term = entry.position.term;
      }
      await relieve();
      if (until && comparePositions(last, until) >= 0) return true;
      isBehind = isFull;
      if (isFull) lastHappenedMs = happenedMs();
      return false;
    },

    /**
     * @param {Position | null} limit up to which all is written apart from what the workers have
     * @returns {import('../target/checkpoint.js').Progress}
     */
    progress(limit) {
      const applied = findEarliest([limit, last, ...listOldest().map(({ after }) => after)]) ?? last;
      const begin = transactions.findOldest();
      return {
        applied: { ...applied },
        since: begin && comparePositions(begin, applied) < 0 ? begin : null,
      };
    },

    /** @returns {number} how long ago the oldest of what is not written yet happened, in ms; 0 where all is */
    measureLag() {
      const happened = listOldest().map((run) => run.happenedMs);
      if (isBehind) happened.push(lastHappenedMs);
      return happened.length > 0 ? Math.max(0, Date.now() - Math.min(...happened)) : 0;
    },
  };

  function listOldest() {
    return workers.flatMap((worker) => worker.listOldest());
  }

  function recollect() {
    if (entry.op !== COMMAND) return;
    const name = commandOf(entry);
    const isWhole = name === 'applyOps' && transactions.add(entry, last);
    if (isWhole || name === 'commitTransaction' || name === 'abortTransaction') transactions.forget(entry);
  }
}

/** @param {RawEntry} entry @returns {Kind} */
function kindOf({ bytes, op, o }) {
  if (op === INSERT) return 'insert';
  if (op === DELETE) return 'delete';
  return formOf(bytes, o) === 'modifiers' ? 'modify' : 'update';
}

/** @param {RawEntry} entry @returns {string} */
function commandOf({ bytes, o }) {
  return nameOf(bytes, o + 4, skipName(bytes, o + 5));
}
