import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { makeFolder, reasonOf } from '../../src/base/files.js';
import { readJson } from '../base/read-json.js';
import { requireWritableFolder, writeAtomically } from '../base/write-atomically.js';
import { labs } from '../labs/index.js';
import { checkResult, upgradeResult } from '../report/saved-result.js';
import { renderHtml } from '../report/html.js';
import { renderTable } from '../report/table.js';
import { createSweepView } from '../sweep/sweep-view.js';
import { openOutput } from './output.js';

/** @import { LabView, Result } from '../report/result-types.js' */

/**
 * @param {string} file
 * @returns {Promise<{ lab: LabView, result: Result }>}
 * @throws {Error} naming the file, when it can't be read or is not a result
 */
export async function readResult(file) {
  return toResult(await readJson(file), file);
}

/**
 * @param {any} json
 * @param {string} file for messages
 * @returns {{ lab: LabView, result: Result }}
 * @throws {Error} naming the file and what is wrong with it
 */
export function toResult(json, file) {
  const { lab: name } = Object(json);
  const problem = `${file} is not a result of pool-lab run or sweep`;
  if (typeof name !== 'string' || !(name === 'sweep' || Object.hasOwn(labs, name))) {
    throw new Error(`${problem}: its "lab" must be one of ${[...Object.keys(labs), 'sweep'].join(', ')}`);
  }
  const result = upgradeResult(json);
  try {
    checkResult(result);
    return { lab: name === 'sweep' ? createSweepView([result]) : labs[name], result };
  } catch (cause) {
    throw new Error(`${problem}: ${/** @type {Error} */ (cause).message}`, { cause });
  }
}

export const RESULTS = 'results';

/**
 * Creates a folder of its own for a result: two runs may have begun in one second.
 * @param {Pick<Result, 'lab' | 'startedAt'>} result
 * @param {string} [results]
 * @returns {Promise<string>}
 */
export async function makeResultFolder({ lab, startedAt }, results = RESULTS) {
  await makeFolder(results);
  const folder = path.join(results, `${lab}-${startedAt.slice(0, 19).replaceAll(':', '-')}`);
  for (let number = 1; ; number++) {
    const one = number === 1 ? folder : `${folder}-${number}`;
    const code = await mkdir(one).catch((error) => (error.code === 'EEXIST' ? 'taken' : Promise.reject(error)));
    if (code !== 'taken') return one;
  }
}

/**
 * Checks before a measurement that its result can be saved.
 * @param {string} [out] folder; default: that of all results
 */
export function requireWritableResult(out = RESULTS) {
  return requireWritableFolder(out, '--out');
}

/**
 * Writes a result as JSON, and the report that shows it.
 * @param {LabView} lab
 * @param {Result} result
 * @param {string} [out] folder, created if missing; default: a new one
 * @returns {Promise<{ report: string, result: string }>} the files
 * @throws {Error} saying what is saved and what is not
 */
export async function saveResult(lab, result, out) {
  const files = { report: '', result: '' };
  try {
    const folder = out ?? (await makeResultFolder(result));
    await makeFolder(folder);
    files.report = path.join(folder, `${lab.name}.html`);
    files.result = path.join(folder, `${lab.name}.json`);
    await writeAtomically(files.result, `${JSON.stringify(result, null, 2)}\n`);
  } catch (cause) {
    throw new Error(`The result is not saved: ${reasonOf(cause)}`, { cause });
  }
  await writeAtomically(files.report, renderHtml([{ lab, result }])).catch((cause) => {
    throw new Error(`The result is saved in ${files.result}, but there is no report: ${cause.message}`, { cause });
  });
  return files;
}

/**
 * Prints a result, and saves it. Sets the exit code where a variant could not run.
 * @param {LabView} lab
 * @param {Result} result
 * @param {{ out?: string, json: boolean, texts?: string[] }} options out: folder; texts: to print below the table
 */
export async function reportResult(lab, result, { out, json, texts = [] }) {
  const { look, layOut, print } = openOutput(json);
  // Printed before it is saved: a full disk must not cost the measurements.
  print([renderTable(lab, result, look), ...texts.map(layOut)], result);
  const files = await saveResult(lab, result, out);
  process.stderr.write(`Report: ${files.report}\nResult: ${files.result}\n`);
  if (result.variants.some(({ error }) => error)) process.exitCode = 1;
}
