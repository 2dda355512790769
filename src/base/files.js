import { mkdir, stat } from 'node:fs/promises';
import path from 'node:path';

/**
 * Creates a folder and those above it. Node's own `recursive: true` never ends in /proc.
 * @param {string} folder
 * @returns {Promise<string[]>} the folders that it created, from the top
 */
export async function makeFolder(folder) {
  try {
    await mkdir(folder);
    return [folder];
  } catch (error) {
    const { code } = /** @type {NodeJS.ErrnoException} */ (error);
    const parent = path.dirname(folder);
    if (code === 'ENOENT' && parent !== folder) {
      const made = await makeFolder(parent);
      await mkdir(folder);
      return [...made, folder];
    }
    if (code === 'EEXIST' && (await stat(folder)).isDirectory()) return [];
    throw error;
  }
}

/**
 * Node's reason for a failure with a file, without the code, the system call and the path: the sentence around it names
 * the file.
 * @param {unknown} error such as `ENOENT: no such file or directory, open 'x'`
 */
export function reasonOf(error) {
  return /** @type {Error} */ (error).message.replace(/^E[A-Z]+: ([^,]+), \w+(?: '.*')?$/s, '$1');
}

/**
 * @param {string} place a file or folder
 * @param {string} option or setting that says where to write instead
 * @param {unknown} cause
 */
export function unwritable(place, option, cause) {
  return new Error(`${place} can't be written: ${reasonOf(cause)}. Choose another place with ${option}`, { cause });
}
