import { readFile } from 'node:fs/promises';

/**
 * @param {string} file
 * @returns {Promise<any>}
 * @throws {Error} naming the file, when it can't be read or is not JSON
 */
export async function readJson(file) {
  const text = await readFile(file, 'utf8').catch((cause) => {
    throw new Error(`${file} can't be read: ${cause.message}`, { cause });
  });
  return parseJson(text, file);
}

/**
 * @param {string} text
 * @param {string} file its name, for messages
 * @returns {any}
 * @throws {Error} naming the file, when the text is not JSON
 */
export function parseJson(text, file) {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new Error(`${file} is not JSON: ${/** @type {Error} */ (cause).message}`, { cause });
  }
}
