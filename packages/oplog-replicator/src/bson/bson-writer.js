import { BOOLEAN, INT, writeInt } from './bytes.js';

/** BSON that is put together from pieces of other BSON. */
export class BsonWriter {
  /** What was written, and room for more. @type {Buffer} */
  #bytes;
  /** Of what was written. */
  length = 0;

  /** @param {number} [room] in bytes; it grows */
  constructor(room = 1024) {
    // Not from Node's shared pool, which one small piece would keep alive.
    this.#bytes = Buffer.allocUnsafeSlow(room);
  }

  /** How many bytes can be written before it has to grow. */
  get room() {
    return this.#bytes.length;
  }

  /** What was written; shares memory with this writer. */
  get bytes() {
    return this.#bytes.subarray(0, this.length);
  }

  /** @param {Buffer} bytes @param {number} [from] @param {number} [to] */
  copy(bytes, from = 0, to = bytes.length) {
    this.#makeRoom(to - from);
    bytes.copy(this.#bytes, this.length, from, to);
    this.length += to - from;
  }

  /**
   * Begin an element: its value has to follow.
   * @param {number} type
   * @param {string} name in Latin-1, which stands for bytes of any encoding
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
  yes(name) {
    this.begin(BOOLEAN, name);
    this.#makeRoom(1);
    this.#bytes[this.length++] = 1;
  }

  /** @param {() => void} fill writes the elements */
  document(fill) {
    const start = this.length;
    this.#makeRoom(4);
    this.length += 4;
    fill();
    this.#makeRoom(1);
    this.#bytes[this.length++] = 0;
    writeInt(this.#bytes, start, this.length - start);
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
