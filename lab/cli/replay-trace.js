import { open, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { diagnose, readTraceText } from 'mongodb-pool-predictor';
import { explainVerdict } from 'mongodb-pool-page/universal/explain-diagnosis.js';
import { writeAtomically } from '../base/write-atomically.js';
import { layOutText, widthOf } from '../report/table.js';

const BEGINNING = '{"trace":';
/** Browsers take seconds to open a larger page. */
const MAX_BYTES = 50e6;

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
 * Says why the requests of a trace waited, and writes a page that plays it. The page needs no network.
 *
 * @param {string} name of the file
 * @param {string} out file of the page
 * @throws {Error} if the trace is too large for a page, or none
 */
export async function replayTrace(name, out) {
  if ((await stat(name)).size > MAX_BYTES)
    throw new Error(`${name} has more than ${MAX_BYTES / 1e6} MB: use pool-lab predict --trace`);
  const text = await readFile(name, 'utf8');
  const recorded = await readTraceText(text, name);
  process.stdout.write(`${layOutText(explainVerdict(diagnose(recorded)), widthOf(process.stdout))}\n`);
  const { buildPage } = await import('../../playground/build-page.js');
  await writeAtomically(out, await buildPage({ name: path.basename(name), text }));
  process.stderr.write(`Replay: ${out}\n`);
}
