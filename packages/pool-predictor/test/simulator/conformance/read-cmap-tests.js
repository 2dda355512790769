import { readFile, readdir } from 'node:fs/promises';
import path from 'node:path';

/** Folder of the tests in a clone of MongoDB's specifications. */
export const TESTS_FOLDER = 'source/connection-monitoring-and-pooling/tests/cmap-format';
/** What the operations of a test need. @type {Record<string, string[]>} */
const OPERATIONS = {
  start: ['target'],
  wait: ['ms'],
  waitForThread: ['target'],
  waitForEvent: ['event', 'count'],
  checkOut: [],
  checkIn: ['connection'],
  clear: [],
  close: [],
  ready: [],
};

/**
 * @typedef {object} CmapTest
 * @property {string} name of its file, without the end
 * @property {Record<string, any>} [poolOptions]
 * @property {{ mode: 'alwaysOn' | { times?: number }, data: Record<string, any> }} [failPoint]
 * @property {CmapOperation[]} operations
 * @property {Record<string, unknown>} [error] that the test ends with
 * @property {{ type: string }[]} [events]
 * @property {string[]} [ignore] types of events
 *
 * @typedef {{ name: string, thread?: string, target: string, ms: number, event: string, count: number,
 *   timeout?: number, label?: string, connection: string, interruptInUseConnections?: boolean }} CmapOperation
 */

/**
 * Reads the tests of the CMAP format, whose README says what they mean, from a clone of MongoDB's specifications.
 *
 * @param {string} clone
 * @returns {Promise<CmapTest[]>} in the order of their names; none, if it is no such clone
 * @throws {Error} if one of them can't be run; the message names the file and what is wrong
 */
export async function readCmapTests(clone) {
  const folder = path.join(clone, TESTS_FOLDER);
  const files = (await listFolder(folder)).filter((file) => file.endsWith('.json')).sort();
  return Promise.all(
    files.map(async (file) => {
      const test = parse(path.join(folder, file), await readFile(path.join(folder, file), 'utf8'));
      return { ...test, name: path.basename(file, '.json') };
    }),
  );
}

/** @param {string} folder */
async function listFolder(folder) {
  try {
    return await readdir(folder);
  } catch (error) {
    const { code } = /** @type {NodeJS.ErrnoException} */ (error);
    if (code === 'ENOENT' || code === 'ENOTDIR') return [];
    throw error;
  }
}

/** @param {string} file @param {string} text @returns {any} */
function parse(file, text) {
  let test;
  try {
    test = JSON.parse(text);
  } catch (error) {
    throw new Error(`${file} is no JSON: ${/** @type {Error} */ (error).message}`, { cause: error });
  }
  if (!Array.isArray(test?.operations)) throw new Error(`${file} has no list of operations`);
  for (const operation of test.operations) {
    const needed = OPERATIONS[operation?.name];
    if (!needed) {
      const known = Object.keys(OPERATIONS).join(', ');
      throw new Error(`${file}: the operation "${operation?.name}" is unknown; known are ${known}`);
    }
    const missing = needed.find((field) => operation[field] === undefined);
    if (missing) throw new Error(`${file}: an operation ${operation.name} has no ${missing}`);
  }
  return test;
}
