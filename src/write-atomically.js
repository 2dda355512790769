import { rename, rm, writeFile } from 'node:fs/promises';

/**
 * Write a file so that it is there whole or not at all: what was there before stays until then.
 * @param {string} file
 * @param {string} text
 * @throws {Error} that names the file, when its folder or the disk does not take it
 */
export async function writeAtomically(file, text) {
  const partial = `${file}.${process.pid}.partial`;
  try {
    await writeFile(partial, text);
    await rename(partial, file);
  } catch (cause) {
    // A full disk leaves a part of it, and wants the room back.
    await rm(partial, { force: true }).catch(() => {});
    throw new Error(`${file} can't be written: ${/** @type {Error} */ (cause).message}`, { cause });
  }
}
