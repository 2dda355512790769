import { createReadStream, readFileSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { pipeline } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { readTraceOf } from '../reading/read-trace.js';
import { readWorkload } from '../scenario/read-workload.js';

/** @import { RecordedTrace } from '../reading/recorded-trace.js' */

/** A header has a few hundred. */
const MAX_HEADER_BYTES = 10_000;

/**
 * Reads an Artillery scenario from a file, and the CSV files beside it that its URLs come from.
 *
 * @param {string} file
 * @param {{ environment?: string, skipFunctions?: boolean, others?: string[], variables?: Record<string, unknown> }}
 *   [options] others: files that are merged into it; see readWorkload
 * @throws {Error} naming the file, when it can't be read or simulated; see readWorkload
 */
export async function readScenario(file, { others = [], ...options } = {}) {
  return readWorkload(await readText(file), {
    ...options,
    env: process.env,
    others: await Promise.all(others.map(async (other) => ({ file: other, text: await readText(other) }))),
    file,
    readPayload: (name) => readPayload(path.resolve(path.dirname(file), name), name),
  });
}

/** @param {string} file */
async function readText(file) {
  const bytes = await readFile(file).catch((cause) => {
    throw new Error(`${file} can't be read: ${reasonOf(cause)}`, { cause });
  });
  const text = decode(bytes);
  if (text === undefined) throw new Error(`${file} is not UTF-8 text: save it as UTF-8`);
  return text;
}

/** @param {string} file @param {string} name for messages */
function readPayload(file, name) {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    throw new Error(`${name} can't be read: ${reasonOf(cause)}`, { cause });
  }
}

/**
 * @param {Buffer} bytes
 * @returns {string | undefined} undefined when it is not UTF-8. UTF-16 has a zero byte in each English letter.
 */
function decode(bytes) {
  if (bytes.includes(0)) return undefined;
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/**
 * Reads a trace from a file that may be too large for memory; see readTraceOf. A history is read with its older half,
 * and a file that ends in .gz is unpacked.
 *
 * @param {string} file
 * @param {OnRead} [onRead] called after each piece of a file whose size is known
 * @returns {Promise<RecordedTrace>}
 * @throws {Error} naming the file, and the line if it is not a trace
 */
export async function readTrace(file, onRead = () => {}) {
  const files = await listTraceFiles(file);
  return readTraceOf(readChunks(files, onRead), files.join(' and '));
}

/** @typedef {(bytes: { done: number, total: number }) => void} OnRead */

/**
 * Lists the files of a trace, in the order of their times: when the file of a history is full, it becomes FILE.1.
 *
 * @param {string} file
 */
async function listTraceFiles(file) {
  const older = `${file}.1`;
  // The older one first: a pipe has none, and can be read only once.
  return (await isHistory(older)) && (await isHistory(file)) ? [older, file] : [file];
}

/** @param {string} file */
async function isHistory(file) {
  try {
    for await (const text of createReadStream(file, { encoding: 'utf8', end: MAX_HEADER_BYTES }))
      return JSON.parse(text.split('\n')[0]).history === true;
  } catch {
    // Whoever reads it says what is wrong.
  }
  return false;
}

/** @param {string[]} files @param {OnRead} onRead @returns {AsyncGenerator<string, void>} */
async function* readChunks(files, onRead) {
  let before = 0;
  for (const file of files) {
    try {
      const total = before + (await stat(file)).size;
      const stream = createReadStream(file);
      for await (const chunk of unpack(stream, file)) {
        yield chunk;
        if (before + stream.bytesRead <= total) onRead({ done: before + stream.bytesRead, total });
      }
      yield '\n';
      before = total;
    } catch (cause) {
      throw new Error(`${file} can't be read: ${reasonOf(cause)}`, { cause });
    }
  }
}

/** @param {import('node:fs').ReadStream} stream @param {string} file */
function unpack(stream, file) {
  if (!file.endsWith('.gz')) return stream.setEncoding('utf8');
  // Whoever reads it gets its errors. The file is closed also if nobody reads to its end.
  return pipeline(stream, createGunzip().setEncoding('utf8'), () => {});
}

/** Node's reason without the code, the system call and the path. @param {unknown} error */
function reasonOf(error) {
  return /** @type {Error} */ (error).message.replace(/^E[A-Z]+: ([^,]+), \w+(?: '.*')?$/s, '$1');
}
