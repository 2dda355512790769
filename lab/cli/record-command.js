import { explainClients } from 'mongodb-pool-page/universal/client-words.js';
import { countOf } from 'mongodb-pool-page/universal/quantity.js';
import { findClientUse } from 'mongodb-pool-predictor';
import { readTrace } from 'mongodb-pool-predictor/node';
import { MAX_DELAY_MS } from '../../src/base/settings-table.js';
import { REQUIRED } from './fill-command.js';
import { parseText, parsePositive, parseUpTo } from './option-parsers.js';
import { chooseApp, recordTrace } from './record-trace.js';

/** @import { CommandData } from './add-command.js' */
/** @import { Written } from 'mongodb-pool-monitor' */

/** @type {CommandData} */
export const command = {
  about: "record a running app's checkouts to a trace file, until Ctrl-C; predict and advise replay it",
  options: [
    ['--url <url>', 'the app, or what `pool-lab watch` prints first, instead of APP_URL'],
    ['--out <file>', 'trace file to write', parseText, REQUIRED],
    ['--client <name>', 'record only this client, such as "client 1"'],
    ['--process <pid>', 'record only this process of the app'],
    'seconds',
    ['--every <ms>', 'fetch new checkouts from the app at least this often', parseUpTo(MAX_DELAY_MS), 1000],
    ['--max-mb <n>', 'maximum size of the trace file', parsePositive, 100],
  ],
  example: '--url http://127.0.0.1:9000 --seconds 30 --out trace.jsonl',
  run: recordApp,
};

/**
 * @param {{ url?: string, out: string, client?: string, process?: string, seconds?: number, every: number,
 *   maxMb: number }} options
 */
async function recordApp({ url, process: pid, ...options }) {
  const clients = await recordTrace(chooseApp(url, { option: '--url', missing: '--url URL' }), {
    ...options,
    pid,
    onStart: (what) => void process.stderr.write(`Recording ${what} to ${options.out}. Press Ctrl-C to stop.\n`),
    onEnd: report,
  });
  if (clients > 1) await reportClients(options.out);
}

/** Says who creates more clients than the app needs. @param {string} file */
async function reportClients(file) {
  // One without a checkout can't be read.
  const trace = await readTrace(file).catch(() => undefined);
  const [use] = trace ? findClientUse(trace) : [];
  if (use) process.stderr.write(`${explainClients(use)}\n`);
}

/** @param {Written} written @param {{ lost: number, silentMs: number }} missing */
function report({ checkouts, failed, open, dropped, missed, isFull }, { lost, silentMs }) {
  const count = (/** @type {number} */ number) => countOf(number, 'checkout', 'checkouts');
  const lines = [
    `Recorded ${count(checkouts)}.`,
    open > 0 && `${open} of them had not ended.`,
    failed > 0 && `In ${failed} of them the operation failed. predict and advise replay these, too.`,
    isFull && 'The trace is full. Use --max-mb to allow for more.',
    dropped > 0 && `${count(dropped)} did not fit.`,
    missed > 0 && `${count(missed)} lost: the disk was too slow.`,
    silentMs > 0 && `The app did not answer for ${(silentMs / 1000).toFixed(1)} s.`,
    lost > 0 && `${count(lost)} lost: the app keeps only the latest ones. Fetch more often with --every.`,
  ].filter(Boolean);
  process.stderr.write(`${lines.join('\n')}\n`);
}
