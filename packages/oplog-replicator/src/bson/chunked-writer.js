import { BsonWriter } from './bson-writer.js';

/** Sizes of chunks, 1 KB to 256 KB: a small batch must not take much memory, and a large one not many chunks. */
const SIZES = Array.from({ length: 9 }, (_, power) => 1024 << power);

/** Reuses memory: allocating it takes longer than filling it, and keeps the garbage collector busy. */
export class WriterPool {
  #maxBytes;
  #bytes = 0;
  /** @type {Map<number, BsonWriter[]>} by size */
  #spare = new Map(SIZES.map((size) => [size, []]));

  /** @param {number} maxBytes that it keeps */
  constructor(maxBytes) {
    this.#maxBytes = maxBytes;
  }

  /**
   * @param {number} bytes that will be written at least
   * @param {number} chunks that the caller has; each one is larger than the last, up to the largest size
   * @returns {BsonWriter} an empty one
   */
  take(bytes, chunks) {
    const wanted = Math.max(bytes, SIZES[Math.min(chunks, SIZES.length - 1)]);
    const size = SIZES.find((each) => each >= wanted) ?? wanted;
    const writer = this.#spare.get(size)?.pop();
    if (!writer) return new BsonWriter(size);
    this.#bytes -= size;
    return writer;
  }

  /** @param {BsonWriter} writer whose bytes nobody uses any longer */
  give(writer) {
    const { room } = writer;
    const spare = this.#spare.get(room);
    if (!spare || this.#bytes + room > this.#maxBytes) return;
    writer.clear();
    this.#bytes += room;
    spare.push(writer);
  }
}

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
