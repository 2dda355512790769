import { BOOLEAN, INT, writeInt } from './bytes.js';

/** Copying less takes less time than another piece. */
export const MAX_COPIED_BYTES = 16 << 10;

/** Builds BSON from pieces of other BSON. */
export class BsonWriter {
  /** @type {Buffer} */
  #bytes;
  /** Bytes written, without those inserted. */
  length = 0;
  /** @type {{ at: number, bytes: Buffer }[]} */
  #inserted = [];
  #insertedBytes = 0;

  /** @param {number} [room] initial size in bytes */
  constructor(room = 1024) {
    // Not from Node's shared pool: one small buffer would keep all of it alive.
    this.#bytes = Buffer.allocUnsafeSlow(room);
  }

  clear() {
    this.length = 0;
    this.#inserted = [];
    this.#insertedBytes = 0;
  }

  /** Bytes allocated. */
  get room() {
    return this.#bytes.length;
  }

  /** A view of what was written, without what was inserted. */
  get bytes() {
    return this.#bytes.subarray(0, this.length);
  }

  /** Views of everything in order, including what was inserted. */
  get pieces() {
    let from = 0;
    const pieces = this.#inserted.flatMap(({ at, bytes }) => {
      const before = this.#bytes.subarray(from, at);
      from = at;
      return [before, bytes];
    });
    return [...pieces, this.#bytes.subarray(from, this.length)];
  }

  /** Takes its place among the pieces without being copied, if it is large. @param {Buffer} bytes */
  insert(bytes) {
    if (bytes.length <= MAX_COPIED_BYTES) {
      this.copy(bytes);
      return;
    }
    this.#inserted.push({ at: this.length, bytes });
    this.#insertedBytes += bytes.length;
  }

  /** @param {Buffer} bytes @param {number} [from] @param {number} [to] */
  copy(bytes, from = 0, to = bytes.length) {
    this.#makeRoom(to - from);
    bytes.copy(this.#bytes, this.length, from, to);
    this.length += to - from;
  }

  /**
   * Begins an element. Its value must follow.
   * @param {number} type
   * @param {string} name in Latin-1: each character is one byte
   */
  begin(type, name) {
    this.#makeRoom(name.length + 2);
    this.#bytes[this.length++] = type;
    this.length += this.#bytes.write(name, this.length, 'latin1');
    this.#bytes[this.length++] = 0;
  }

  /** @param {string} name @param {number} value */
  int(name, value) {
    this.begin(INT, name);
    this.#makeRoom(4);
    writeInt(this.#bytes, this.length, value);
    this.length += 4;
  }

  /** @param {string} name */
  booleanTrue(name) {
    this.begin(BOOLEAN, name);
    this.#makeRoom(1);
    this.#bytes[this.length++] = 1;
  }

  /** @param {() => void} fill writes the elements */
  document(fill) {
    const [start, insertedBefore] = [this.length, this.#insertedBytes];
    this.#makeRoom(4);
    this.length += 4;
    fill();
    this.#makeRoom(1);
    this.#bytes[this.length++] = 0;
    writeInt(this.#bytes, start, this.length - start + this.#insertedBytes - insertedBefore);
  }

  /** @param {number} count */
  #makeRoom(count) {
    const needed = this.length + count;
    if (needed <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(2 * this.#bytes.length, needed));
    this.#bytes.copy(larger, 0, 0, this.length);
    this.#bytes = larger;
  }
}
