import { ChunkedWriter, WriterPool } from '../bson/chunked-writer.js';

/** @import { Namespace } from '../base/namespaces.js' */
/** @import { Position } from '../source/position.js' */
/** @import { OperationKind, WriteBatch } from '../target/write-batch.js' */

/**
 * Which operations of a worker become one batch. all: everything it has for a collection; neighbours: only operations
 * of one kind on one collection that it received one after another, as in MongoShake 1.0; none: each is a batch.
 */
export const MERGE_RULES = /** @type {const} */ (['all', 'neighbours', 'none']);

/**
 * @typedef {typeof MERGE_RULES[number]} MergeRule
 *
 * @typedef {object} WorkerOptions
 * @property {MergeRule} merge
 * @property {(batch: WriteBatch) => Promise<void>} write
 * @property {number} maxBytes of memory for the backlog
 * @property {AbortController} session the worker aborts it when a write fails, and ends when it is aborted
 */

/** The server accepts larger batches, but splits them into transactions of 500 inserts. */
const MAX_BATCH_OPERATIONS = 2000;
const MAX_BATCH_BYTES = 4 << 20;
/** Memory of a batch besides its documents: objects, and a reference for each operation. */
const BATCH_OBJECT_BYTES = 1000;
const OPERATION_BYTES = 8;

/**
 * Writes its operations in batches, one batch at a time. Operations on the same collection keep their order. Operations
 * on different collections do not need to, so with the rule `all`, operations on one collection share a batch whatever
 * came between them. An idle worker writes at once. While a write is in flight, the next batches grow.
 */
export class Worker {
  #options;
  #maxBatchOperations;
  /** @type {WriteBatch[][]} by number of the namespace, each in order; with the rule `neighbours` one for all */
  #queues = [];
  /** @type {WriteBatch[][]} the queues that are not empty; they take turns */
  #ready = [];
  /** @type {WriteBatch | null} the batch being written */
  #current = null;
  #operations = 0;
  #bytes = 0;
  #working = Promise.resolve();
  #pool;
  /** @type {(() => void)[]} */
  #waiting = [];
  #hasRoom = () => this.#bytes < this.#options.maxBytes;
  #isEmpty = () => this.#operations === 0;

  /** @param {WorkerOptions} options */
  constructor(options) {
    this.#options = options;
    this.#pool = new WriterPool(options.maxBytes / 2);
    this.#maxBatchOperations = options.merge === 'none' ? 1 : MAX_BATCH_OPERATIONS;
    options.session.signal.addEventListener('abort', () => this.#wake());
  }

  /** Operations that are waiting or being written. */
  get backlog() {
    return this.#operations;
  }

  /**
   * @param {Namespace} namespace
   * @param {OperationKind} kind
   * @param {Position} after the entry before this operation
   * @param {() => number} happenedMs when the source executed it
   * @returns {WriteBatch} to append the operation to
   */
  openBatch(namespace, kind, after, happenedMs) {
    const onlyNeighbours = this.#options.merge === 'neighbours';
    const queue = (this.#queues[onlyNeighbours ? 0 : namespace.number] ??= []);
    let batch = queue[queue.length - 1];
    if (
      !batch ||
      batch.kinds.length >= this.#maxBatchOperations ||
      batch.documents.length >= MAX_BATCH_BYTES ||
      (onlyNeighbours && (batch.namespace !== namespace || batch.kinds[0] !== kind))
    ) {
      const documents = new ChunkedWriter(this.#pool);
      const memory = documents.room + BATCH_OBJECT_BYTES;
      batch = { namespace, after: { ...after }, happenedMs: happenedMs(), kinds: [], documents, memory };
      this.#bytes += memory;
      if (queue.push(batch) === 1) this.#ready.push(queue);
    }
    return batch;
  }

  /** @param {WriteBatch} batch that one operation was appended to @param {OperationKind} kind */
  count(batch, kind) {
    batch.kinds.push(kind);
    this.#operations++;
    const memory = batch.documents.room + BATCH_OBJECT_BYTES + batch.kinds.length * OPERATION_BYTES;
    this.#bytes += memory - batch.memory;
    batch.memory = memory;
  }

  /** Starts writing, unless a write is in flight. */
  start() {
    if (!this.#current && this.#ready.length > 0) this.#working = this.#work();
  }

  /** Resolves when no write is in flight, even if the last one failed. */
  ended() {
    return this.#working;
  }

  /** @returns {Promise<void> | undefined} undefined when there is room */
  waitForRoom() {
    return this.#hasRoom() ? undefined : this.#waitUntil(this.#hasRoom);
  }

  waitUntilEmpty() {
    return this.#waitUntil(this.#isEmpty);
  }

  /** @returns {WriteBatch[]} the first batch of each queue: one of them is the oldest */
  listOldest() {
    return [...(this.#current ? [this.#current] : []), ...this.#ready.map(([first]) => first)];
  }

  async #work() {
    const { write, session } = this.#options;
    while (this.#ready.length > 0 && !session.signal.aborted) {
      const queue = /** @type {WriteBatch[]} */ (this.#ready.shift());
      this.#current = /** @type {WriteBatch} */ (queue.shift());
      if (queue.length > 0) this.#ready.push(queue);
      try {
        await write(this.#current);
      } catch (error) {
        session.abort(error);
        return;
      }
      this.#operations -= this.#current.kinds.length;
      this.#bytes -= this.#current.memory;
      this.#current.documents.release();
      this.#current = null;
      this.#wake();
    }
  }

  /** @param {() => boolean} condition */
  async #waitUntil(condition) {
    const { signal } = this.#options.session;
    while (!condition()) {
      signal.throwIfAborted();
      await new Promise((resolve) => {
        this.#waiting.push(() => resolve(undefined));
      });
    }
    signal.throwIfAborted();
  }

  #wake() {
    for (const resolve of this.#waiting.splice(0)) resolve();
  }
}
