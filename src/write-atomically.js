import { rename, rm, writeFile } from 'node:fs/promises';

/**
 * Write a file so that readers see either the old file or the complete new one.
 * @param {string} file
 * @param {string} text
 * @param {{ mode?: number }} [options] mode: who may read it; default: as for any new file
 * @throws {Error} naming the file, when it can't be written
 */
export async function writeAtomically(file, text, { mode } = {}) {
  const partial = `${file}.${process.pid}.partial`;
  try {
    await writeFile(partial, text, { mode });
    await rename(partial, file);
  } catch (cause) {
    // On a full disk, the partial file would take up space.
    await rm(partial, { force: true }).catch(() => {});
    throw new Error(`${file} can't be written: ${/** @type {Error} */ (cause).message}`, { cause });
  }
}
