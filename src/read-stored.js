import { readFile } from 'node:fs/promises';

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
  const json = await readFile(file, 'utf8').catch((cause) => {
    if (cause.code === 'ENOENT') return undefined;
    throw new Error(`${file} can't be read: ${cause.message}`, { cause });
  });
  if (json === undefined) return undefined;
  try {
    const state = JSON.parse(json);
    check(state, 'it');
    return state;
  } catch (cause) {
    throw new Error(`${file} ${problem}`, { cause });
  }
}
