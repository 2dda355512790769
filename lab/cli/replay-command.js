import { open, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { diagnose, listLongestWaits } from 'mongodb-pool-predictor';
import { readTrace } from 'mongodb-pool-predictor/node';
import { explainVerdict } from 'mongodb-pool-page/universal/explain-diagnosis.js';
import { choosePaint, paintText } from '../base/paint.js';
import { requireWritable, writeAtomically } from '../base/write-atomically.js';
import { describeHistory } from '../predictions/describe-input.js';
import { viewHistory } from '../predictions/history-view.js';
import { renderHtml } from '../report/html.js';
import { layOutText, renderTable, widthOf } from '../report/table.js';

/** @import { CommandData } from './add-command.js' */

const BEGINNING = '{"trace":';
/** Browsers take seconds to open a larger page. */
const MAX_BYTES = 50e6;
/** How many waits of a history the page lists. */
const LONGEST_WAITS = 10;

/** @type {CommandData} */
export const command = {
  about:
    'say why the requests of a trace waited, and write a page that plays the incident as it was, with a slider for ' +
    'its time, and beneath it what another pool size would have done',
  arguments: [['<trace>', 'trace of `pool-lab record`, or a history of\nPOOL_MONITOR_LOG']],
  options: ['outPage'],
  example: 'examples/slow-deploy.jsonl',
  async run(/** @type {string} */ name, /** @type {{ out: string }} */ { out }) {
    await requireWritable(out, '--out');
    await replayTrace(name, out);
  },
};

/** Whether a file begins as a trace. One that can't be read is none. @param {string} name */
export async function isTrace(name) {
  const file = await open(name).catch(() => undefined);
  if (!file) return false;
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(BEGINNING.length));
    return buffer.toString('utf8', 0, bytesRead) === BEGINNING;
  } finally {
    await file.close();
  }
}

/**
 * Says why the requests of a trace waited, and writes a page that plays it, or that shows a history over time. The page
 * needs no network.
 *
 * @param {string} name of the file
 * @param {string} out file of the page
 * @throws {Error} if the trace is too large for a page, or none
 */
export async function replayTrace(name, out) {
  const width = widthOf(process.stdout);
  const recorded = await readTrace(name);
  const verdict = explainVerdict(diagnose(recorded));
  const paint = choosePaint(process.stdout);
  process.stdout.write(`${paintText(layOutText(verdict, width), 'bold', paint)}\n`);
  if (recorded.header.history) {
    process.stderr.write(`${describeHistory(recorded)}\n`);
    const views = viewHistory(recorded, listLongestWaits(recorded, LONGEST_WAITS), verdict);
    const [, { lab, result }] = views;
    process.stdout.write(`\n${renderTable(lab, result, { width, paint, isFirst: false })}\n`);
    await writeAtomically(out, renderHtml(views));
    process.stderr.write(`Report: ${out}\n`);
    return;
  }
  if ((await stat(name)).size > MAX_BYTES)
    throw new Error(`${name} has more than ${MAX_BYTES / 1e6} MB: use pool-lab predict --trace`);
  const { buildPage } = await import('../../playground/build-page.js');
  const text = await readFile(name, 'utf8');
  await writeAtomically(out, await buildPage({ name: path.basename(name), text }));
  process.stderr.write(`Replay: ${out}\n`);
}
