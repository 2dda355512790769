import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { readWorkload } from '../scenario/workload.js';

/**
 * Reads an Artillery scenario from a file, and the CSV files beside it that its URLs come from.
 *
 * @param {string} file
 * @param {{ environment?: string, skipFunctions?: boolean }} [options] see readWorkload
 * @throws {Error} naming the file, when it can't be read or simulated; see readWorkload
 */
export async function readScenario(file, { environment, skipFunctions } = {}) {
  const bytes = await readFile(file).catch((cause) => {
    throw new Error(`${file} can't be read: ${cause.message}`, { cause });
  });
  const text = decode(bytes);
  if (text === undefined) throw new Error(`${file} is not UTF-8 text: save it as UTF-8`);
  return readWorkload(text, {
    environment, skipFunctions, file, readPayload: (name) => readPayload(path.resolve(path.dirname(file), name), name),
  });
}

/** @param {string} file @param {string} name for messages */
function readPayload(file, name) {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    throw new Error(`${name} can't be read: ${/** @type {Error} */ (cause).message}`, { cause });
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
