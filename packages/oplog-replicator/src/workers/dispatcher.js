import { findId, nameOf, skipName } from '../bson/bytes.js';
import { hashKey, keyOfId } from '../bson/id-key.js';
import { comparePositions, findEarliest } from '../source/position.js';
import { COMMAND, createOplogEntry, DELETE, INSERT, NOOP, readOplogEntry, UPDATE } from '../source/oplog-entry.js';
import { createTransactions } from '../source/transactions.js';
import { appendDocument, appendId } from '../target/write-batch.js';

/** @import { Counters } from '../base/replication-figures.js' */
/** @import { OplogBatch } from '../source/oplog.js' */
/** @import { Namespace, Namespaces } from '../base/namespaces.js' */
/** @import { Position } from '../source/position.js' */
/** @import { OplogEntry } from '../source/oplog-entry.js' */
/** @import { Transaction } from '../source/transactions.js' */
/** @import { Worker } from './worker.js' */
/** @import { OplogProgress } from '../target/checkpoint.js' */

/**
 * @typedef {object} DispatcherOptions
 * @property {Worker[]} workers
 * @property {Namespaces} namespaces
 * @property {'id' | 'collection'} hash
 * @property {(namespace: Namespace) => Promise<void>} readConstraints sets `namespace.constraints`
 * @property {(entry: OplogEntry, name: string) => Promise<void>} applyCommand called once everything before it is
 *   written
 * @property {() => Promise<void>} saveCheckpoint
 * @property {Counters} counters
 * @property {(entry: OplogEntry, namespace: Namespace) => void} onUnsupported
 * @property {boolean} isShard whether the source is a shard, so that chunks migrate from and to it
 * @property {Position} from read from this entry on
 * @property {Position} after apply what comes after this entry
 * @property {Position} [until] the last entry to apply
 */

/** Gives each operation of an oplog to a worker. All operations on a document go to the same worker. */
export class Dispatcher {
  #options;
  #transactions = createTransactions();
  #entry = createOplogEntry();
  #operation = createOplogEntry();
  /** @type {Position} the last entry that was dispatched */
  #last;
  /** When the source executed the oldest entry that is known and not dispatched; Infinity: there is none. */
  #undispatchedMs = Infinity;
  #happenedMs = () => Number(this.#entry.bytes.readBigInt64LE(this.#entry.wall));

  /** @param {DispatcherOptions} options */
  constructor(options) {
    this.#options = options;
    this.#last = { ...options.from };
  }

  /** @param {OplogBatch} batch @returns {Promise<boolean>} whether `until` was reached */
  async dispatch({ bytes, starts, isFull }) {
    const { after, until } = this.#options;
    for (const [index, start] of starts.entries()) {
      readOplogEntry(this.#entry, bytes, start);
      if (index === 0) this.#undispatchedMs = this.#happenedMs();
      const { position } = this.#entry;
      if (until && comparePositions(position, until) > 0) return true;
      // Entries up to `after` are only read to collect the beginning of a transaction.
      if (comparePositions(position, after) <= 0) {
        this.#collectTransaction();
      } else {
        const wait = this.#route(this.#entry, this.#last);
        if (wait) await wait;
      }
      this.#last.seconds = position.seconds;
      this.#last.increment = position.increment;
      this.#last.term = position.term;
    }
    await this.#startWorkers();
    // The source has more.
    this.#undispatchedMs = isFull ? this.#happenedMs() : Infinity;
    return until !== undefined && comparePositions(this.#last, until) >= 0;
  }

  /** Resolves once everything dispatched is written. */
  async drain() {
    const { workers } = this.#options;
    for (const worker of workers) worker.start();
    for (const worker of workers) await worker.waitUntilEmpty();
  }

  /**
   * @param {Position | null} limit the entry before the oldest deferred document, if there is one
   * @returns {OplogProgress}
   */
  progress(limit) {
    const applied = findEarliest([limit, this.#last, ...this.#listOldest().map(({ after }) => after)]) ?? this.#last;
    const begin = this.#transactions.findOldest();
    return {
      applied: { ...applied },
      since: begin && comparePositions(begin, applied) < 0 ? begin : null,
    };
  }

  /** @returns {number} when the source executed the oldest operation not yet written; Infinity if there is none */
  findOldestMs() {
    return Math.min(this.#undispatchedMs, ...this.#listOldest().map(({ happenedMs }) => happenedMs));
  }

  #listOldest() {
    return this.#options.workers.flatMap((worker) => worker.listOldest());
  }

  /**
   * @param {OplogEntry} entry
   * @param {Position} before the entry before it
   * @returns {Promise<void> | undefined} nearly always undefined, because an await per operation would be slow
   */
  #route(entry, before) {
    switch (entry.op) {
      case INSERT:
      case UPDATE:
      case DELETE:
        return this.#enqueue(entry, before);
      case COMMAND:
        return this.#runCommand(entry, before);
      case NOOP:
        this.#options.counters.noops++;
        return undefined;
      default:
        throw new Error(`the oplog has an operation of unknown kind "${String.fromCharCode(entry.op)}"`);
    }
  }

  /** @param {OplogEntry} entry @param {Position} before @returns {Promise<void> | undefined} */
  #enqueue(entry, before) {
    const { namespaces, counters, readConstraints, hash, workers, isShard, onUnsupported } = this.#options;
    const { bytes, op, o } = entry;
    const namespace = namespaces.at(bytes, entry.ns, entry.nsLength);
    // A server also marks what convertToCapped and cloneCollectionAsCapped copy, and a copy is no migration.
    if (entry.fromMigrate && isShard && !namespace.isTemporary) {
      counters.migrations++;
      return undefined;
    }
    if (namespace.skipped) {
      counters[namespace.skipped]++;
      if (namespace.skipped === 'unsupported') onUnsupported(entry, namespace);
      return undefined;
    }
    if (!namespace.constraints) return readConstraints(namespace).then(() => this.#enqueue(entry, before));

    const id = findId(bytes, op === UPDATE ? entry.o2 : o);
    if (id < 0) throw new Error(`${namespace.name}: can't replicate a document without _id`);
    const number =
      hash === 'collection' || namespace.constraints.inOrder ? namespace.number : hashKey(keyOfId(bytes, id));
    const worker = workers[number % workers.length];
    const kind = op === INSERT ? 'insert' : op === UPDATE ? 'update' : 'delete';
    const batch = worker.openBatch(namespace, kind, before, this.#happenedMs);
    if (op !== INSERT) appendId(batch.documents, bytes, id);
    if (op !== DELETE) appendDocument(batch.documents, bytes, o);
    worker.count(batch, kind);
    return undefined;
  }

  /** @param {OplogEntry} entry @param {Position} before */
  async #runCommand(entry, before) {
    const name = commandOf(entry);
    if (name === 'applyOps') await this.#replay(this.#transactions.add(entry, before), before);
    else if (name === 'commitTransaction') await this.#replay(this.#transactions.find(entry), before);
    else if (name === 'abortTransaction') this.#transactions.forget(entry);
    else {
      const { saveCheckpoint, applyCommand } = this.#options;
      await this.drain();
      await saveCheckpoint();
      await applyCommand(entry, name);
      if (entry === this.#entry) Object.assign(this.#last, this.#entry.position);
      await saveCheckpoint();
    }
  }

  /** @param {Transaction | null} transaction null while it is not complete @param {Position} before */
  async #replay(transaction, before) {
    if (!transaction) return;
    for (const { bytes, starts } of transaction.parts) {
      for (const start of starts) {
        readOplogEntry(this.#operation, bytes, start);
        const wait = this.#route(this.#operation, before);
        if (wait) await wait;
      }
      await this.#startWorkers();
    }
    if (transaction.isStored) {
      // Until it is written, a restart must read its entries again.
      await this.drain();
      this.#transactions.forget(this.#entry);
    }
  }

  /** Starts idle workers. Resolves once every worker has room in its backlog. */
  async #startWorkers() {
    const { workers } = this.#options;
    for (const worker of workers) worker.start();
    for (const worker of workers) await worker.waitForRoom();
  }

  #collectTransaction() {
    const entry = this.#entry;
    if (entry.op !== COMMAND) return;
    const name = commandOf(entry);
    const isComplete = name === 'applyOps' && this.#transactions.add(entry, this.#last);
    if (isComplete || name === 'commitTransaction' || name === 'abortTransaction') this.#transactions.forget(entry);
  }
}

/** @param {OplogEntry} entry @returns {string} */
function commandOf({ bytes, o }) {
  return nameOf(bytes, o + 4, skipName(bytes, o + 5));
}
