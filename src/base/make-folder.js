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
