/** @import { BsonWriter } from './bson-writer.js' */
/** @import { WriterPool } from './writer-pool.js' */

/**
 * Writes documents back to back into chunks. It grows without copying, and a pool can reuse its memory for any size.
 */
export class ChunkedWriter {
  #pool;
  /** @type {BsonWriter[]} */
  #chunks = [];
  /** Bytes written to all chunks but the last. */
  #fullBytes = 0;
  /** Bytes allocated. */
  room = 0;

  /** @param {WriterPool} pool */
  constructor(pool) {
    this.#pool = pool;
  }

  /** Bytes written, without what was inserted. */
  get length() {
    return this.#fullBytes + (this.#last?.length ?? 0);
  }

  /** Views of everything in order. No document spans two, unless it was inserted. */
  get pieces() {
    return this.#chunks.flatMap(({ pieces }) => pieces);
  }

  /** @param {number} bytes of the next document @returns {BsonWriter} to write it to */
  next(bytes) {
    const last = this.#last;
    if (last && last.room - last.length >= bytes) return last;
    const chunk = this.#pool.take(bytes, this.#chunks.length);
    this.#fullBytes += last?.length ?? 0;
    this.room += chunk.room;
    this.#chunks.push(chunk);
    return chunk;
  }

  /** Gives the memory back to the pool. The pieces must not be used afterwards. */
  release() {
    for (const chunk of this.#chunks) this.#pool.give(chunk);
  }

  get #last() {
    return this.#chunks[this.#chunks.length - 1];
  }
}
