import { labs } from '../labs/index.js';
import { checkResult } from '../report/check-result.js';
import { upgradeResult } from '../report/old-results.js';
import { readJson } from './read-json.js';

/** @import { LabView, Result } from '../report/result-types.js' */

/**
 * @param {string} file that `pool-lab run` kept
 * @returns {Promise<{ lab: LabView, result: Result }>}
 * @throws {Error} naming the file, when it can't be read or is no result
 */
export async function readResult(file) {
  return toResult(await readJson(file), file);
}

/**
 * @param {any} json
 * @param {string} file its name, for messages
 * @returns {{ lab: LabView, result: Result }}
 * @throws {Error} naming the file and what is wrong with it
 */
export function toResult(json, file) {
  const { lab: name } = Object(json);
  if (typeof name !== 'string' || !Object.hasOwn(labs, name)) {
    throw new Error(`${file} is not a result of pool-lab run: it has no "lab" that is one of ${Object.keys(labs).join(', ')}`);
  }
  const result = upgradeResult(json);
  try {
    checkResult(result);
  } catch (cause) {
    throw new Error(`${file} is not a result of pool-lab run: ${/** @type {Error} */ (cause).message}`, { cause });
  }
  return { lab: labs[name], result };
}
