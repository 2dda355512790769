import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { Command } from 'commander';
import { parsePositive } from '../../lab/cli/option-parsers.js';
import { abortOnSignal } from '../../lab/cli/signals.js';
import { readSettings } from '../../src/settings.js';

/**
 * @typedef {object} PartContext
 * @property {import('../../src/settings.js').Settings} settings
 * @property {AbortSignal} signal
 * @property {(line: string) => void} say prints a line of progress
 * @property {number} runs how often to measure
 * @property {number} loads random loads, where there is nothing to measure
 * @property {string} folder for recordings that parts share; with --keep, those of earlier runs are in it
 * @property {boolean} isQuick fewer and shorter measurements, where a part has them
 *
 * @typedef {{ title: string, rows: object[], isMet?: boolean }} Table
 *
 * @typedef {object} BenchmarkPart
 * @property {string} name
 * @property {string} about
 * @property {(context: PartContext) => Promise<Table[]>} run
 */

/**
 * Runs benchmarks that print tables side by side. Each file of a folder that exports `PART` is one.
 *
 * @param {URL} folder
 * @param {object} command
 * @param {string} command.name
 * @param {string} command.about
 * @param {number} command.runs default
 * @param {boolean} [command.hasLoads] whether some of them simulate random loads, or record loads
 */
export async function runParts(folder, { name: command, about, runs: usualRuns, hasLoads = false }) {
  const all = await readParts(folder);
  const program = new Command(command)
    .description(`${about}\n\n${all.map((part) => `${part.name}: ${part.about}`).join('\n')}`)
    .option('--only <parts>', 'names with commas between them', (text) => text.split(','))
    .option('--runs <n>', 'how often to measure', parsePositive, usualRuns)
    .option('--quick', 'fewer and shorter measurements, where a part has them', false);
  if (hasLoads)
    program
      .option('--loads <n>', 'how many random loads to simulate', parsePositive, 1000)
      .option('--keep <folder>', 'leave recordings there, and use those that are there already');
  const { only, runs, quick: isQuick, loads = 0, keep } = program.parse().opts();
  const unknown = only?.find((/** @type {string} */ name) => !all.some((part) => part.name === name));
  if (unknown !== undefined)
    program.error(`--only ${unknown}: there is no such part, only ${all.map(({ name }) => name).join(', ')}`);

  const { signal, release } = abortOnSignal();
  const recordings = keep ?? (await mkdtemp(path.join(os.tmpdir(), 'pool-lab-bench-')));
  try {
    await mkdir(recordings, { recursive: true });
    const say = (/** @type {string} */ line) => void process.stderr.write(`${line}\n`);
    for (const { name, run } of all.filter((part) => only?.includes(part.name) ?? true)) {
      const context = { settings: readSettings(), signal, say, runs, loads, isQuick, folder: recordings };
      for (const { title, rows, isMet } of await run(context)) {
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
    if (!keep) await rm(recordings, { recursive: true });
    release();
  }
}

/**
 * Loads the parts of a folder. Its other files are shared by parts, or run in a thread or a process.
 * @param {URL} folder
 * @returns {Promise<BenchmarkPart[]>}
 */
async function readParts(folder) {
  const files = (await readdir(folder))
    .filter((name) => name.endsWith('.js') && !/-(worker|process)\.js$/.test(name))
    .sort();
  const modules = await Promise.all(files.map((name) => import(new URL(name, folder).href)));
  return modules.flatMap(({ PART }) => PART ?? []);
}
