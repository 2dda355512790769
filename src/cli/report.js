import { readFile } from 'node:fs/promises';
import { Command } from 'commander';
import { labs } from '../labs/index.js';
import { escapeControls } from '../printable.js';
import { renderHtml } from '../report/html.js';
import { renderTable } from '../report/table.js';
import { writeWhole } from './save.js';

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
  const shown = await Promise.all(files.map(readResult));
  for (const { lab, result } of shown) {
    process.stderr.write(`${lab.title}, ${escapeControls(result.startedAt)}\n${renderTable(lab, result)}\n\n`);
  }
  await writeWhole(out, renderHtml(shown));
  process.stderr.write(`Report: ${out}\n`);
}

/**
 * @param {string} file
 * @returns {Promise<{ lab: import('../report/types.js').Lab, result: import('../report/types.js').Result }>}
 */
async function readResult(file) {
  const text = await readFile(file, 'utf8').catch((cause) => {
    throw new Error(`${file} can't be read: ${cause.message}`, { cause });
  });
  let result;
  try {
    result = JSON.parse(text);
  } catch (cause) {
    throw new Error(`${file} is not JSON: ${/** @type {Error} */ (cause).message}`, { cause });
  }
  if (!Object.hasOwn(labs, Object(result).lab) || !Array.isArray(result.variants)) {
    throw new Error(`${file} is not a result of pool-lab run: it has no "lab" (${Object.keys(labs).join(', ')}) with "variants"`);
  }
  return { lab: labs[result.lab], result };
}
