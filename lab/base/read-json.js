import { readFile } from 'node:fs/promises';
import { reasonOf } from '../../src/base/files.js';

/**
 * @param {string} file
 * @returns {Promise<any>}
 * @throws {Error} naming the file, when it can't be read or is not JSON
 */
export async function readJson(file) {
  return parseJson(await readText(file), file);
}

/**
 * @param {string} text
 * @param {string} file for messages
 * @returns {any}
 * @throws {Error} naming the file
 */
export function parseJson(text, file) {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new Error(`${file} is not JSON: ${/** @type {Error} */ (cause).message}`, { cause });
  }
}

/**
 * Reads a file that the lab itself has written.
 * @param {string} file
 * @param {object} options
 * @param {(content: any, where: string) => void} options.check throws if the content is another
 * @param {string} options.problem what to say if it has another content, after the file's name
 * @returns {Promise<any>} undefined if there is no such file
 * @throws {Error} naming the file, when it can't be read or has another content
 */
export async function readStored(file, { check, problem }) {
  const text = await readText(file).catch((error) => {
    if (error.cause.code === 'ENOENT') return undefined;
    throw error;
  });
  if (text === undefined) return undefined;
  try {
    const state = JSON.parse(text);
    check(state, 'it');
    return state;
  } catch (cause) {
    throw new Error(`${file} ${problem}`, { cause });
  }
}

/** @param {string} file @throws {Error} naming the file, when it can't be read */
async function readText(file) {
  return readFile(file, 'utf8').catch((cause) => {
    throw new Error(`${file} can't be read: ${reasonOf(cause)}`, { cause });
  });
}
