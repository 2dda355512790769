import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { hintAtFileLimit } from '../../src/process/open-files.js';
import { findNearest } from './nearest-word.js';

/**
 * What to do about a file that can't be read or written. Node's reason says only what went wrong.
 * @param {unknown} error its cause may be of the file system
 * @returns {Promise<string>} empty for other errors
 */
export async function hintAtFile(error) {
  const { code, path: file, syscall } = /** @type {NodeJS.ErrnoException} */ (Object(Object(error).cause));
  const hint = hintAtFileLimit(error);
  if (hint) return hint;
  if (code === 'EISDIR') return 'It is a folder: name a file in it.';
  if (code === 'EEXIST' && syscall === 'open') return 'Choose another name, or move the file away.';
  if (code === 'EEXIST' || code === 'ENOTDIR') return 'It is a file, where a folder is needed.';
  if (code !== 'ENOENT' || file === undefined) return '';
  const folder = path.dirname(file);
  const names = await readdir(folder).catch(() => undefined);
  if (!names) return `There is no folder ${folder}.`;
  const nearest = findNearest(path.basename(file), names);
  return nearest ? `Did you mean ${path.join(folder, nearest)}?` : `Looked in ${path.resolve(folder)}.`;
}
