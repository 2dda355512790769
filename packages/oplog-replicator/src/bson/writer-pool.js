import { BsonWriter } from './bson-writer.js';

/** Reuses writers: allocating their memory takes longer than filling it, and keeps the garbage collector busy. */
export class WriterPool {
  #maxBytes;
  /** @type {BsonWriter[]} */
  #spare = [];
  #spareBytes = 0;

  /** @param {number} maxBytes that it keeps */
  constructor(maxBytes) {
    this.#maxBytes = maxBytes;
  }

  /** @returns {BsonWriter} an empty one */
  take() {
    const writer = this.#spare.pop();
    if (!writer) return new BsonWriter();
    this.#spareBytes -= writer.room;
    return writer;
  }

  /** @param {BsonWriter} writer whose bytes nobody uses any longer */
  give(writer) {
    if (this.#spareBytes + writer.room > this.#maxBytes || writer.room > this.#maxBytes / 2) return;
    writer.clear();
    this.#spareBytes += writer.room;
    this.#spare.push(writer);
  }
}
