import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { TraceLines } from './trace-lines.js';

/** @import { WriteStream } from 'node:fs' */
/** @import { Lines, RecordedCheckout, RecordedEvent, RecordedRequest, RecordedSecond } from './trace-lines.js' */
/** @import { TracedPool } from './trace-lines.js' */

const DEFAULT_MAX_BYTES = 100 * 2 ** 20;
/** How many bytes may wait for the disk before lines are dropped. */
const MAX_PENDING_BYTES = 16 * 2 ** 20;
/** Room for the last line. */
const END_BYTES = 64;

/**
 * @typedef {object} Written
 * @property {number} checkouts
 * @property {number} failed how many of them had a failed operation
 * @property {number} refused how many of them got no connection
 * @property {number} open how many of them had not ended
 * @property {number} requests
 * @property {number} dropped checkouts that were not written because the file was full
 * @property {number} missed checkouts that were not written because the disk was too slow
 * @property {boolean} isFull
 */

/**
 * Creates a trace, a new file to which checkouts are written as they end. It never waits, and takes at most `maxBytes`
 * of disk and little memory. An interruption costs at most the last line.
 *
 * @param {string} file
 * @param {object} [options]
 * @param {number} [options.maxBytes]
 * @param {Record<string, unknown>} [options.header] more fields for the first line
 * @param {() => void} [options.onFull] called once, when the file reaches its limit or the disk fails
 * @returns {Promise<TraceWriter>}
 * @throws {Error} if the file already exists or can't be created
 */
export async function createTraceWriter(file, { maxBytes = DEFAULT_MAX_BYTES, header = {}, onFull = () => {} } = {}) {
  const stream = createWriteStream(file, { flags: 'wx' });
  await once(stream, 'open').catch((cause) => {
    /** @type {Record<string, string>} */
    const reasons = { EEXIST: 'it already exists', ENOENT: 'there is no such folder' };
    const reason = reasons[cause.code] ?? cause.message;
    throw new Error(`${file} can't be written: ${reason}`, { cause });
  });
  return new TraceWriter(stream, { file, maxBytes, header, onFull });
}

export class TraceWriter {
  #stream;
  #file;
  #maxBytes;
  #onFull;
  #lines = new TraceLines();
  #bytes = 0;
  /** @type {Written} */
  #written = { checkouts: 0, failed: 0, refused: 0, open: 0, requests: 0, dropped: 0, missed: 0, isFull: false };
  /** @type {Error | undefined} */
  #failure;

  /**
   * @param {WriteStream} stream that is open
   * @param {{ file: string, maxBytes: number, header: Record<string, unknown>, onFull: () => void }} options
   */
  constructor(stream, { file, maxBytes, header, onFull }) {
    this.#stream = stream;
    this.#file = file;
    this.#maxBytes = maxBytes;
    this.#onFull = onFull;
    stream.on('error', (error) => {
      this.#failure = error;
      if (!this.#written.isFull) onFull();
    });
    this.#append(this.#lines.ofTrace(header), 0);
  }

  /** @param {number} id counts from 0 @param {Record<string, unknown>} facts */
  defineProcess(id, facts) {
    this.#write(() => [{ define: 'process', id, ...facts }], { mayDrop: false });
  }

  /** Call it before the pool's first checkout, and again when its settings have changed. @param {TracedPool} pool */
  definePool(pool) {
    this.#write(() => this.#lines.ofPool(pool), { mayDrop: false });
  }

  /** @param {RecordedCheckout} checkout that has ended; at the end of a recording also those that have not */
  write(checkout) {
    const written = this.#written;
    if (this.#write(() => this.#lines.ofCheckout(checkout))) {
      written.checkouts++;
      if (checkout.outcome === 'operationFailed') written.failed++;
      else if (checkout.outcome === 'waiting' || checkout.outcome === 'checkedOut') written.open++;
      else if (!Number.isFinite(checkout.checkedInAtMs)) written.refused++;
    } else if (written.isFull) written.dropped++;
    else written.missed++;
  }

  /** @param {RecordedRequest} request that has ended */
  writeRequest(request) {
    if (this.#write(() => this.#lines.ofRequest(request))) this.#written.requests++;
  }

  /** @param {RecordedEvent} event of a connection or a pool */
  writeEvent(event) {
    this.#write(() => this.#lines.ofEvent(event));
  }

  /** @param {'loop' | 'server' | 'clients'} event @param {RecordedSecond} second */
  writeSecond(event, second) {
    this.#write(() => this.#lines.ofSecond(event, second));
  }

  /**
   * @param {Record<string, unknown>} [end] more fields for the last line, if there is room
   * @returns {Promise<Written>}
   * @throws {Error} if the disk failed
   */
  async close(end = {}) {
    if (!this.#failure) {
      const reason = { end: this.#written.isFull ? 'full' : 'closed' };
      if (!this.#append([{ ...reason, ...end }], 0)) this.#append([reason], 0);
      await new Promise((resolve) => this.#stream.once('close', () => resolve(undefined)).end());
    }
    if (this.#failure)
      throw new Error(`${this.#file} is incomplete: ${this.#failure.message}`, { cause: this.#failure });
    return this.#written;
  }

  /**
   * @param {() => Lines} make not called for a line that is dropped, because what it defines has to be written
   * @param {{ mayDrop?: boolean }} [options] while the disk is behind
   * @returns {boolean} whether they were written
   */
  #write(make, { mayDrop = true } = {}) {
    if (this.#written.isFull || this.#failure) return false;
    if (mayDrop && this.#stream.writableLength > MAX_PENDING_BYTES) return false;
    if (this.#append(make(), END_BYTES)) return true;
    this.#written.isFull = true;
    this.#onFull();
    return false;
  }

  /** @param {Lines} lines @param {number} reserve bytes to leave free @returns {boolean} whether there was room */
  #append(lines, reserve) {
    const text = lines.map((line) => `${JSON.stringify(line)}\n`).join('');
    const length = Buffer.byteLength(text);
    if (this.#bytes + length + reserve > this.#maxBytes) return false;
    this.#bytes += length;
    this.#stream.write(text);
    return true;
  }
}
