import { mkdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { labs } from '../labs/index.js';
import { checkResult } from '../report/check-result.js';
import { renderHtml } from '../report/html.js';
import { upgradeResult } from '../report/old-results.js';
import { createSweepView } from '../sweep/sweep-view.js';
import { writeAtomically } from '../write-atomically.js';

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

/** @param {Result} result */
export function defaultFolder({ lab, startedAt }) {
  return path.join('results', `${lab}-${startedAt.slice(0, 19).replaceAll(':', '-')}`);
}

/**
 * Write a result as JSON, and the report that shows it.
 * @param {LabView} lab
 * @param {Result} result
 * @param {string} folder created if missing
 * @returns {Promise<{ report: string, result: string }>} the files
 */
export async function saveResult(lab, result, folder) {
  const files = { report: path.join(folder, `${lab.name}.html`), result: path.join(folder, `${lab.name}.json`) };
  await mkdir(folder, { recursive: true }).catch((cause) => {
    throw new Error(`the folder ${folder} can't be created: ${cause.message}`, { cause });
  });
  await writeAtomically(files.result, `${JSON.stringify(result, null, 2)}\n`);
  await writeAtomically(files.report, renderHtml([{ lab, result }]));
  return files;
}

/**
 * @param {string} file
 * @returns {Promise<any>}
 * @throws {Error} naming the file, when it can't be read or is not JSON
 */
export async function readJson(file) {
  const text = await readFile(file, 'utf8').catch((cause) => {
    throw new Error(`${file} can't be read: ${cause.message}`, { cause });
  });
  return parseJson(text, file);
}

/**
 * @param {string} text
 * @param {string} file for messages
 * @returns {any}
 * @throws {Error} naming the file
 */
export function parseJson(text, file) {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new Error(`${file} is not JSON: ${/** @type {Error} */ (cause).message}`, { cause });
  }
}
