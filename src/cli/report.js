import { Command } from 'commander';
import { escapeControls } from '../printable.js';
import { renderHtml } from '../report/html.js';
import { renderTable } from '../report/table.js';
import { readResult } from './read-result.js';
import { writeWhole } from './save.js';

/** @import { Lab, Result } from '../report/types.js' */

/** `pool-lab report RESULT.json...` */
export function createReportCommand() {
  return new Command('report')
    .description('show results of earlier runs, several of them side by side')
    .argument('<results...>', 'result files that `pool-lab run` kept')
    .option('--out <file>', 'the HTML file to write', 'report.html')
    .action(showResults);
}

/**
 * @param {string[]} files
 * @param {{ out: string }} options
 */
async function showResults(files, { out }) {
  const entries = await Promise.all(files.map(readResult));
  const shown = entries.map((entry, index) => showResult(files[index], entry));
  for (const { table } of shown) process.stderr.write(table);
  await writeWhole(out, entries.length === 1 ? shown[0].page : renderHtml(entries));
  process.stderr.write(`Report: ${out}\n`);
}

/**
 * @param {string} file
 * @param {{ lab: Lab, result: Result }} entry that it holds
 * @returns {{ table: string, page: string }}
 * @throws {Error} naming the file: a lab takes for granted that figures are its own
 */
export function showResult(file, { lab, result }) {
  try {
    return {
      table: `${lab.title}, ${escapeControls(result.startedAt)}\n${renderTable(lab, result)}\n\n`,
      page: renderHtml([{ lab, result }]),
    };
  } catch (cause) {
    throw new Error(`${file} can't be shown: it has not the figures of pool-lab run ${lab.name}`, { cause });
  }
}
