// How far are predictions from measurements? Each part is a file in predicted-vs-measured/, with its rules in its first lines.
// It prints figures and measurements side by side, and whether the rules are met.
//
//   node benchmarks/predicted-vs-measured.js [--only article,minutes] [--runs 3]
import { readdir } from 'node:fs/promises';
import { Command } from 'commander';
import { parsePositive } from '../src/cli/option-parsers.js';
import { abortOnSignal } from '../src/cli/signals.js';
import { readSettings } from '../src/settings.js';

/**
 * @typedef {object} PartContext
 * @property {import('../src/settings.js').Settings} settings
 * @property {AbortSignal} signal
 * @property {(line: string) => void} say prints a line of progress
 * @property {number} runs how often to measure
 *
 * @typedef {{ title: string, rows: object[], isMet?: boolean }} Table
 *
 * @typedef {object} Part
 * @property {string} name
 * @property {string} about
 * @property {(context: PartContext) => Promise<Table[]>} run
 */

/** A file that exports no part is shared by some that do. A worker runs only in a thread. @returns {Promise<Part[]>} */
async function readParts() {
  const folder = new URL('predicted-vs-measured/', import.meta.url);
  const files = (await readdir(folder)).filter((name) => name.endsWith('.js') && !name.endsWith('-worker.js')).sort();
  const modules = await Promise.all(files.map((name) => import(new URL(name, folder).href)));
  return modules.flatMap(({ PART }) => PART ?? []);
}

const parts = await readParts();
const { only, runs } = new Command('predicted-vs-measured.js')
  .description(`Compares predictions with measurements.\n\n${parts.map(({ name, about }) => `${name}: ${about}`).join('\n')}`)
  .option('--only <parts>', 'names with commas between them', (text) => text.split(','))
  .option('--runs <n>', 'how often to measure', parsePositive, 3)
  .parse().opts();
const unknown = only?.find((/** @type {string} */ name) => !parts.some((part) => part.name === name));
if (unknown !== undefined) {
  process.stderr.write(`--only ${unknown}: there is no such part, only ${parts.map(({ name }) => name).join(', ')}\n`);
  process.exit(1);
}

const { signal, release } = abortOnSignal();
try {
  const say = (/** @type {string} */ line) => void process.stderr.write(`${line}\n`);
  for (const { name, run } of parts.filter((part) => only?.includes(part.name) ?? true)) {
    for (const { title, rows, isMet } of await run({ settings: readSettings(), signal, say, runs })) {
      process.stdout.write(`\n${title}\n`);
      // eslint-disable-next-line no-console
      console.table(rows);
      if (isMet !== undefined) process.stdout.write(`${name}: ${isMet ? 'met' : 'NOT met'}\n`);
    }
  }
} catch (error) {
  process.stderr.write(`${/** @type {Error} */ (error).message}\n`);
  process.exitCode ||= 1;
} finally {
  release();
}
