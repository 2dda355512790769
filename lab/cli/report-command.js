import path from 'node:path';
import { escapeControls } from '../../src/base/printable.js';
import { renderHtml } from '../report/html.js';
import {
  checkArtilleryOutput,
  createLoadTestResult,
  createLoadTestView,
  isArtilleryOutput,
} from '../labs/mixed/load-test-report.js';
import { formatDate } from '../report/name-runs.js';
import { layOutText, renderTable, widthOf } from '../report/table.js';
import { compareResults, describeComparison } from '../report/compare-results.js';
import { createSweepView } from '../sweep/sweep-view.js';
import { choosePaint } from '../base/paint.js';
import { readJson } from '../base/read-json.js';
import { requireWritable, writeAtomically } from '../base/write-atomically.js';
import { isTrace, replayTrace } from './replay-command.js';
import { toResult } from './result-file.js';

/** @import { CommandData } from './add-command.js' */
/** @import { LabView, Result } from '../report/result-types.js' */
/** @typedef {{ lab: LabView, result: Result }} ReadResult */

/** @type {CommandData} */
export const command = {
  about: 'show the results of earlier runs, side by side if there are several',
  arguments: [
    [
      '<results...>',
      'result files of `pool-lab run`, `pool-lab sweep` or\n`artillery run --output`; or one trace, which\n' +
        '`pool-lab replay` is for',
    ],
  ],
  options: ['outPage'],
  example: 'results/*/mixed.json',
  run: showResults,
};

/** @param {string[]} files @param {{ out: string }} options */
async function showResults(files, { out }) {
  await requireWritable(out, '--out');
  if (files.length === 1 && (await isTrace(files[0]))) {
    await replayTrace(files[0], out);
    return;
  }
  const read = await Promise.all(files.map(async (file) => ({ file, json: await readJson(file) })));
  const tests = read.filter(({ json }) => isArtilleryOutput(json));
  for (const { json, file } of tests) checkArtilleryOutput(json, file);
  const entries = [
    ...read.filter((one) => !tests.includes(one)).map(({ file, json }) => ({ file, ...toResult(json, file) })),
    ...(tests.length > 0 ? [{ file: tests[0].file, ...gatherLoadTests(tests) }] : []),
  ];
  const width = widthOf(process.stdout);
  const shown = entries.map(({ file, ...entry }) => showResult(file, entry, width, choosePaint(process.stdout)));
  for (const change of listChanges(entries)) process.stdout.write(`${layOutText(change, width)}\n\n`);
  for (const { table } of shown) process.stdout.write(table);
  await writeAtomically(out, entries.length === 1 ? shown[0].page : renderHtml(viewTogether(entries)));
  process.stderr.write(`Report: ${out}\n`);
}

/**
 * What got better or worse since the first result of the same lab.
 * @param {(ReadResult & { file: string })[]} entries
 */
function listChanges(entries) {
  return entries.flatMap(({ file, lab, result }, index) => {
    const first = entries.find((entry) => entry.lab.name === lab.name);
    if (!first || first === entries[index]) return [];
    return describeComparison(compareResults(first.result, result), first.file, file) || [];
  });
}

/**
 * @param {string} file
 * @param {ReadResult} entry its content
 * @param {number} [width] columns of the terminal
 * @param {import('../base/paint.js').Paint} [paint]
 * @returns {{ table: string, page: string }}
 * @throws {Error} naming the file: labs do not check their figures
 */
export function showResult(file, { lab, result }, width, paint) {
  try {
    const heading = `${lab.title}, ${escapeControls(formatDate(result.startedAt))}`;
    const table = `${heading}\n${renderTable(lab, result, { width, paint })}\n\n`;
    return { table, page: renderHtml([{ lab, result }]) };
  } catch (cause) {
    throw new Error(`${file} can't be shown: it lacks figures of ${lab.name}`, { cause });
  }
}

/** Sweeps of one app may have different routes. @param {ReadResult[]} entries @returns {ReadResult[]} */
function viewTogether(entries) {
  const sweeps = entries.filter(({ result }) => result.lab === 'sweep').map(({ result }) => result);
  return entries.map((entry) => (sweeps.includes(entry.result) ? { ...entry, lab: createSweepView(sweeps) } : entry));
}

/** @param {{ file: string, json: any }[]} tests @returns {ReadResult} */
function gatherLoadTests(tests) {
  const result = createLoadTestResult(tests.map(({ file, json }) => ({ name: path.parse(file).name, output: json })));
  const routes = result.variants.flatMap(({ measured }) => Object.keys(measured?.routes));
  return { lab: createLoadTestView([...new Set(routes)].toSorted()), result };
}
