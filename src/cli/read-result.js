import { readFile } from 'node:fs/promises';
import { labs } from '../labs/index.js';
import { checkResult } from '../report/check-result.js';

/** @import { Lab, Result } from '../report/types.js' */

/**
 * @param {string} file that `pool-lab run` kept
 * @returns {Promise<{ lab: Lab, result: Result }>}
 * @throws {Error} naming the file, when it can't be read or is no result
 */
export async function readResult(file) {
  const text = await readFile(file, 'utf8').catch((cause) => {
    throw new Error(`${file} can't be read: ${cause.message}`, { cause });
  });
  return parseResult(text, file);
}

/**
 * @param {string} text
 * @param {string} file its name, for messages
 * @returns {{ lab: Lab, result: Result }}
 * @throws {Error} naming the file and what is wrong with it
 */
export function parseResult(text, file) {
  let result;
  try {
    result = JSON.parse(text);
  } catch (cause) {
    throw new Error(`${file} is not JSON: ${/** @type {Error} */ (cause).message}`, { cause });
  }
  const { lab: name } = Object(result);
  if (typeof name !== 'string' || !Object.hasOwn(labs, name)) {
    throw new Error(`${file} is not a result of pool-lab run: it has no "lab" that is one of ${Object.keys(labs).join(', ')}`);
  }
  try {
    checkResult(result);
  } catch (cause) {
    throw new Error(`${file} is not a result of pool-lab run: ${/** @type {Error} */ (cause).message}`, { cause });
  }
  return { lab: labs[name], result };
}
