import { once } from 'node:events';
import { createWriteStream } from 'node:fs';

// The predictor's readTrace describes the format.
const TRACE_NAME = 'mongodb-pool-lab';
const TRACE_VERSION = 2;

const DEFAULT_MAX_BYTES = 100 * 2 ** 20;
/** How many bytes may wait for the disk before checkouts are dropped. */
const MAX_PENDING_BYTES = 8 * 2 ** 20;
/** Room for the last line. */
const END_BYTES = 64;

/**
 * Times are milliseconds of any one clock, NaN or null if that did not happen.
 *
 * @typedef {object} RecordedCheckout
 * @property {number} checkOutStartedAtMs
 * @property {number | null} checkedOutAtMs
 * @property {number | null} checkedInAtMs
 * @property {string | null} [route]
 * @property {number | null} [request] a whole number: checkouts with the same one belong to one request
 * @property {boolean} [hasFailed] whether its operation failed
 *
 * @typedef {{ checkouts: number, failed: number, dropped: number, isFull: boolean }} Written failed: how many of the
 *   checkouts had a failed operation; dropped: not written, because the file was full or the disk too slow
 */

/**
 * Writes checkouts to a new file as they end. It never waits, and takes at most `maxBytes` of disk and little memory.
 * An interruption costs at most the last line.
 *
 * @param {string} file
 * @param {object} [options]
 * @param {number} [options.maxBytes]
 * @param {Record<string, unknown>} [options.header] more fields for the first line, such as maxPoolSize
 * @param {() => void} [options.onFull] called once, when the file reaches its limit or the disk fails
 * @returns {Promise<{ write: (checkout: RecordedCheckout) => void,
 *   close: (end?: Record<string, unknown>) => Promise<Written> }>} `close` adds more fields to the last line, if there is
 *   room, and throws if the disk failed
 * @throws {Error} if the file already exists or can't be created
 */
export async function createTraceWriter(file, { maxBytes = DEFAULT_MAX_BYTES, header = {}, onFull = () => {} } = {}) {
  const stream = createWriteStream(file, { flags: 'wx' });
  await once(stream, 'open').catch((cause) => {
    const reason = cause.code === 'EEXIST' ? 'it already exists' : cause.message;
    throw new Error(`${file} can't be written: ${reason}`, { cause });
  });
  /** @type {Error | undefined} */
  let failure;
  stream.on('error', (error) => {
    failure = error;
    if (!isFull) onFull();
  });

  let bytes = 0;
  let checkouts = 0;
  let failed = 0;
  let dropped = 0;
  let isFull = false;
  /** @type {number | undefined} */
  let originMs;

  /** @param {object} entry @param {number} reserve bytes to leave free @returns {boolean} whether there was room */
  function append(entry, reserve) {
    const line = `${JSON.stringify(entry)}\n`;
    const length = Buffer.byteLength(line);
    if (bytes + length + reserve > maxBytes) return false;
    bytes += length;
    stream.write(line);
    return true;
  }

  append({ trace: TRACE_NAME, version: TRACE_VERSION, startedAt: new Date().toISOString(), ...header }, 0);

  return {
    write({ checkOutStartedAtMs, checkedOutAtMs, checkedInAtMs, route, request, hasFailed }) {
      if (isFull || failure || stream.writableLength > MAX_PENDING_BYTES) {
        dropped++;
        return;
      }
      originMs ??= checkOutStartedAtMs;
      const isServed = Number.isFinite(checkedOutAtMs) && Number.isFinite(checkedInAtMs);
      const entry = {
        checkOutStartedMs: round(checkOutStartedAtMs - originMs),
        // A clock that was set back must not make a line that no reader takes.
        waitMs: isServed ? Math.max(0, round(Number(checkedOutAtMs) - checkOutStartedAtMs)) : null,
        useMs: isServed ? Math.max(0, round(Number(checkedInAtMs) - Number(checkedOutAtMs))) : null,
        ...(typeof route === 'string' && { route }),
        ...(Number.isSafeInteger(request) && { request }),
        ...(isServed && hasFailed && { failed: true }),
      };
      if (append(entry, END_BYTES)) {
        checkouts++;
        if (isServed && hasFailed) failed++;
      } else {
        dropped++;
        isFull = true;
        onFull();
      }
    },

    async close(end = {}) {
      if (!failure) {
        const reason = { end: isFull ? 'full' : 'closed' };
        if (!append({ ...reason, ...end }, 0)) append(reason, 0);
        await new Promise((resolve) => stream.once('close', () => resolve(undefined)).end());
      }
      if (failure) throw new Error(`${file} is incomplete: ${failure.message}`, { cause: failure });
      return { checkouts, failed, dropped, isFull };
    },
  };
}

/** To microseconds. @param {number} ms */
function round(ms) {
  return Math.round(ms * 1000) / 1000;
}
