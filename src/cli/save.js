import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { renderHtml } from '../report/html.js';

/**
 * Keep a result: its raw JSON, and the report that shows it.
 *
 * @param {import('../report/types.js').Lab} lab
 * @param {import('../report/types.js').Result} result
 * @param {string} folder made if it is not there
 * @returns {Promise<{ report: string, result: string }>} the files
 */
export async function saveResult(lab, result, folder) {
  const files = { report: path.join(folder, `${lab.name}.html`), result: path.join(folder, `${lab.name}.json`) };
  await mkdir(folder, { recursive: true }).catch((cause) => {
    throw new Error(`the folder ${folder} can't be made: ${cause.message}`, { cause });
  });
  await writeWhole(files.result, `${JSON.stringify(result, null, 2)}\n`);
  await writeWhole(files.report, renderHtml([{ lab, result }]));
  return files;
}

/**
 * Write a file so that it is there whole or not at all: what was there before stays until then.
 * @param {string} file
 * @param {string} text
 * @throws {Error} that names the file, when its folder or the disk does not take it
 */
export async function writeWhole(file, text) {
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
