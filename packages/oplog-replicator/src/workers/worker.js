import { BsonWriter } from '../bson/bson-writer.js';
import { createBatch } from './write-batch.js';

/** @import { Namespace } from '../namespaces.js' */
/** @import { Position } from '../source/position.js' */
/** @import { Kind, WriteBatch } from './write-batch.js' */

/**
 * @typedef {object} Backlog what one worker has to write to one collection, in order
 * @property {WriteBatch[]} batches
 *
 * @typedef {object} WorkerOptions
 * @property {number} index among the workers
 * @property {boolean} merge whether neighbouring operations of one kind become one write
 * @property {(batch: WriteBatch) => Promise<void>} write
 * @property {number} maxOperations in the queue
 * @property {number} maxBytes in the queue
 * @property {AbortController} session aborted when a write fails; ends the worker when aborted
 */

/** Limits of one write. The server accepts more, but splits it into transactions of 500 inserts. */
const MAX_BATCH_OPERATIONS = 1000;
const MAX_BATCH_BYTES = 4 << 20;

/** Buffers of written batches are reused: new memory from the system costs more than filling it. */
const MAX_SPARE_BUFFERS = 8;
const MAX_SPARE_BYTES = 256 << 10;

/**
 * A queue of writes; one is in flight at a time. Operations on one collection keep their order. Operations on different
 * collections need none, so neighbours on a collection share a batch whatever came between them. A batch grows while
 * another write is in flight; an idle worker waits for nothing.
 */
export class Worker {
  #options;
  #batchOperations;
  /** @type {Backlog[]} with batches to write, each once, in turn */
  #ready = [];
  /** @type {WriteBatch | null} the write in flight */
  #current = null;
  #operations = 0;
  #bytes = 0;
  #working = Promise.resolve();
  /** @type {BsonWriter[]} */
  #spare = [];
  /** @type {(() => void)[]} */
  #waiting = [];
  #hasRoom = () => this.#operations < this.#options.maxOperations && this.#bytes < this.#options.maxBytes;
  #isEmpty = () => this.#operations === 0;

  /** @param {WorkerOptions} options */
  constructor(options) {
    this.#options = options;
    this.#batchOperations = options.merge ? MAX_BATCH_OPERATIONS : 1;
    options.session.signal.addEventListener('abort', () => this.#wake());
  }

  /** Operations in the queue or in flight. */
  get depth() {
    return this.#operations;
  }

  /**
   * @param {Kind} kind
   * @param {Namespace} namespace
   * @param {Position} after of the entry before this operation
   * @param {() => number} happenedMs
   * @returns {WriteBatch} the batch to append the operation to
   */
  openBatch(kind, namespace, after, happenedMs) {
    const backlog = namespace.backlogs[this.#options.index] ??= { batches: [] };
    let batch = backlog.batches[backlog.batches.length - 1];
    if (!batch || batch.kind !== kind || batch.count >= this.#batchOperations || batch.documents.length >= MAX_BATCH_BYTES) {
      batch = createBatch(kind, namespace, { ...after }, happenedMs(), this.#spare.pop() ?? new BsonWriter());
      if (backlog.batches.push(batch) === 1) this.#ready.push(backlog);
    }
    return batch;
  }

  /** @param {WriteBatch} batch @param {number} length bytes of the one operation that was appended */
  count(batch, length) {
    batch.count++;
    this.#operations++;
    this.#bytes += length;
  }

  /** Start writing, unless a write is in flight. */
  start() {
    if (!this.#current && this.#ready.length > 0) this.#working = this.#work();
  }

  /** Resolves when no write is in flight, however the last one ended. */
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

  /** @returns {WriteBatch[]} the oldest batch is among them */
  listOldest() {
    return [...this.#current ? [this.#current] : [], ...this.#ready.map(({ batches }) => batches[0])];
  }

  async #work() {
    const { write, session } = this.#options;
    while (this.#ready.length > 0 && !session.signal.aborted) {
      const backlog = /** @type {Backlog} */ (this.#ready.shift());
      this.#current = /** @type {WriteBatch} */ (backlog.batches.shift());
      if (backlog.batches.length > 0) this.#ready.push(backlog);
      try {
        await write(this.#current);
      } catch (error) {
        session.abort(error);
        return;
      }
      this.#operations -= this.#current.count;
      this.#bytes -= this.#current.documents.length;
      this.#reuse(this.#current.documents);
      this.#current = null;
      this.#wake();
    }
  }

  /** @param {BsonWriter} writer */
  #reuse(writer) {
    if (this.#spare.length === MAX_SPARE_BUFFERS || writer.room > MAX_SPARE_BYTES) return;
    writer.length = 0;
    this.#spare.push(writer);
  }

  /** @param {() => boolean} condition */
  async #waitUntil(condition) {
    const { signal } = this.#options.session;
    while (!condition()) {
      signal.throwIfAborted();
      await new Promise((resolve) => { this.#waiting.push(() => resolve(undefined)); });
    }
    signal.throwIfAborted();
  }

  #wake() {
    for (const resolve of this.#waiting.splice(0)) resolve();
  }
}
