import { access, chmod, constants, lstat, readlink, realpath, rename, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { reasonOf, unwritable } from '../../src/base/files.js';

/**
 * Writes a file so that readers see either the old file or the complete new one. A link stays a link, and the file
 * keeps its mode. Whatever is no file, such as a fifo or a device, takes the text as it is.
 * @param {string} file
 * @param {string} text
 * @param {{ mode?: number }} [options] mode: who may read it; default: as before, or as for any new file
 * @throws {Error} naming the file, when it can't be written
 */
export async function writeAtomically(file, text, { mode } = {}) {
  try {
    const target = await findFile(file);
    if (target) await replaceFile(target.file, text, mode ?? target.mode);
    else await writeFile(file, text);
  } catch (cause) {
    throw new Error(`${file} can't be written: ${reasonOf(cause)}`, { cause });
  }
}

/**
 * Checks that a file can be written, before the work whose result it is for. Leaves nothing behind.
 * @param {string} file
 * @param {string} option that says where to write
 * @throws {Error} naming both
 */
export async function requireWritable(file, option) {
  try {
    const target = await findFile(file);
    if (target) await withPartial(target.file, (partial) => writeFile(partial, ''));
    else await access(file, constants.W_OK);
  } catch (cause) {
    throw unwritable(file, option, cause);
  }
}

/**
 * Like requireWritable, for a folder that may not be there yet: then it is about the one in which it will be created.
 * Creates no folder, because another command may begin to use that before it is removed again.
 * @param {string} folder
 * @param {string} option
 */
export async function requireWritableFolder(folder, option) {
  try {
    const there = await findFolder(path.resolve(folder));
    await withPartial(path.join(there, 'check'), (partial) => writeFile(partial, ''));
  } catch (cause) {
    throw unwritable(folder, option, cause);
  }
}

/** The nearest that is there. @param {string} folder @returns {Promise<string>} */
async function findFolder(folder) {
  try {
    await lstat(folder);
    return folder;
  } catch (error) {
    const parent = path.dirname(folder);
    if (/** @type {NodeJS.ErrnoException} */ (error).code !== 'ENOENT' || parent === folder) throw error;
    return findFolder(parent);
  }
}

/**
 * Follows links.
 * @param {string} file
 * @returns {Promise<{ file: string, mode?: number } | undefined>} mode: none if there is no such file yet; undefined
 *   for whatever is no file
 */
async function findFile(file) {
  try {
    const found = await stat(file);
    if (found.isDirectory()) throw new Error('it is a folder');
    return found.isFile() ? { file: await realpath(file), mode: found.mode & 0o7777 } : undefined;
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code !== 'ENOENT') throw error;
    const target = await readlink(file).catch(() => undefined);
    return target === undefined ? { file } : findFile(path.resolve(await realpath(path.dirname(file)), target));
  }
}

/** @param {string} file @param {string} text @param {number} [mode] */
function replaceFile(file, text, mode) {
  return withPartial(file, async (partial) => {
    await writeFile(partial, text, { mode });
    // The umask does not apply to a mode that was asked for.
    if (mode !== undefined) await chmod(partial, mode);
    await rename(partial, file);
  });
}

/**
 * Removes the partial file, if it is still there: on a full disk, it would take up space.
 * @param {string} file
 * @param {(partial: string) => Promise<void>} work
 */
async function withPartial(file, work) {
  const partial = `${file}.${process.pid}.partial`;
  try {
    await work(partial);
  } finally {
    await rm(partial, { force: true }).catch(() => {});
  }
}
