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
  await mkdir(folder, { recursive: true });
  await writeWhole(files.result, `${JSON.stringify(result, null, 2)}\n`);
  await writeWhole(files.report, renderHtml([{ lab, result }]));
  return files;
}

/**
 * Write a file so that it is there whole or not at all.
 * @param {string} file
 * @param {string} text
 * @throws {Error} naming the file, when it can't be written
 */
export async function writeWhole(file, text) {
  const partial = `${file}.${process.pid}.partial`;
  try {
    await writeFile(partial, text);
    await rename(partial, file);
  } catch (cause) {
    await rm(partial, { force: true });
    throw new Error(`${file} can't be written: ${/** @type {Error} */ (cause).message}`, { cause });
  }
}
