import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { renderHtml } from '../report/html.js';
import { writeAtomically } from '../write-atomically.js';

/**
 * Keep a result: its raw JSON, and the report that shows it.
 *
 * @param {import('../report/result-types.js').LabView} lab
 * @param {import('../report/result-types.js').Result} result
 * @param {string} folder made if it is not there
 * @returns {Promise<{ report: string, result: string }>} the files
 */
export async function saveResult(lab, result, folder) {
  const files = { report: path.join(folder, `${lab.name}.html`), result: path.join(folder, `${lab.name}.json`) };
  await mkdir(folder, { recursive: true }).catch((cause) => {
    throw new Error(`the folder ${folder} can't be made: ${cause.message}`, { cause });
  });
  await writeAtomically(files.result, `${JSON.stringify(result, null, 2)}\n`);
  await writeAtomically(files.report, renderHtml([{ lab, result }]));
  return files;
}
