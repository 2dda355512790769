import { rm } from 'node:fs/promises';
import { explainClients } from 'mongodb-pool-page/universal/client-words.js';
import { countOf } from 'mongodb-pool-page/universal/quantity.js';
import { findClientUse } from 'mongodb-pool-predictor';
import { readTrace } from 'mongodb-pool-predictor/node';
import { sum } from 'mongodb-pool-predictor/statistics';
import { MAX_DELAY_MS } from '../../src/base/settings-table.js';
import { REQUIRED } from './fill-command.js';
import { parseText, parsePositive, parseUpTo } from './option-parsers.js';
import { chooseApp, recordTrace } from './record-trace.js';

/** @import { CommandData } from './add-command.js' */
/** @import { Written } from 'mongodb-pool-monitor' */
/** @import { RecordingFacts } from './record-trace.js' */

/** @type {CommandData} */
export const command = {
  about: "record a running app's checkouts to a trace file, until Ctrl-C; predict and advise replay it",
  options: [
    ['--url <url>', 'the app, or what `pool-lab watch` prints first, instead of APP_URL'],
    ['--out <file>', 'trace file to write', parseText, REQUIRED],
    ['--client <name>', 'record only this client, such as "client 1", or HOST:PORT/NAME for one server'],
    ['--process <pid>', 'record only this process of the app, or one thread of it, such as 123:2'],
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
  const app = chooseApp(url, { option: '--url', missing: '--url URL' });
  const { out, client } = options;
  let startedAtMs = 0;
  let problem = '';
  try {
    const clients = await recordTrace(app, {
      ...options,
      pid,
      onStart(what) {
        startedAtMs = performance.now();
        process.stderr.write(`Recording ${what} to ${out}. Press Ctrl-C to stop.\n`);
      },
      onEnd(written, facts) {
        const { checkouts, dropped, missed } = written;
        if (checkouts + dropped + missed + facts.lost > 0) return report(written, facts);
        const seconds = Math.round((performance.now() - startedAtMs) / 1000);
        const again = `npx pool-lab record --url ${app.url} --seconds ${Math.max(30, seconds)} --out ${out}`;
        problem = describeEmpty(facts, { seconds, isChosen: (client ?? pid) !== undefined, again });
      },
    });
    if (problem !== '') throw new Error(problem);
    if (clients > 1) await reportClients(out);
  } finally {
    // Nothing can be predicted from it.
    if (problem !== '') await rm(out, { force: true });
  }
}

/**
 * Says what was seen where no request took a connection.
 * @param {RecordingFacts} facts
 * @param {{ seconds: number, isChosen: boolean, again: string }} recording isChosen: only a part of the app was
 *   recorded; again: what to type next
 */
function describeEmpty({ statuses, silentMs }, { seconds, isChosen, again }) {
  const sorted = [...statuses].toSorted(([, a], [, b]) => b - a);
  const count = sum(sorted.map(([, each]) => each));
  const listed = sorted.map(([status, each]) => `${each} x ${status === 0 ? 'no answer' : status}`).join(', ');
  const seen = count === 0 ? 'No request ended.' : `${countOf(count, 'request ended', 'requests ended')}: ${listed}.`;
  const advice = adviseAgain([...statuses.keys()], isChosen);
  const parts = [`No checkout within ${seconds} s.`, ...describeSilence(silentMs), seen, advice];
  return `${parts.join(' ')}\n  ${again}`;
}

/** @param {number[]} statuses @param {boolean} isChosen see describeEmpty */
function adviseAgain(statuses, isChosen) {
  if (statuses.length === 0) return 'Record again while the app gets requests:';
  if (statuses.every((status) => status === 0 || status >= 400))
    return 'None succeeded: see why, for example because of a rate limit or a missing login. Then record again:';
  const clients = isChosen ? 'what was recorded' : "the app's MongoDB clients";
  return `They took no connection of ${clients}. Record again while requests that do are sent:`;
}

/** Says who creates more clients than the app needs. @param {string} file */
async function reportClients(file) {
  // One without a checkout can't be read.
  const trace = await readTrace(file).catch(() => undefined);
  const [use] = trace ? findClientUse(trace) : [];
  if (use) process.stderr.write(`${explainClients(use)}\n`);
}

/** @param {Written} written @param {RecordingFacts} facts */
function report({ checkouts, failed, open, dropped, missed, isFull }, { lost, silentMs }) {
  const count = (/** @type {number} */ number) => countOf(number, 'checkout', 'checkouts');
  const lines = [
    `Recorded ${count(checkouts)}.`,
    open > 0 && `${open} of them had not ended.`,
    failed > 0 && `In ${failed} of them the operation failed. predict and advise replay these, too.`,
    isFull && 'The trace is full. Use --max-mb to allow for more.',
    dropped > 0 && `${count(dropped)} did not fit.`,
    missed > 0 && `${count(missed)} lost: the disk was too slow.`,
    ...describeSilence(silentMs),
    lost > 0 && `${count(lost)} lost: the app keeps only the latest ones. Fetch more often with --every.`,
  ].filter(Boolean);
  process.stderr.write(`${lines.join('\n')}\n`);
}

/** @param {number} silentMs @returns {string[]} */
function describeSilence(silentMs) {
  return silentMs > 0 ? [`The app did not answer for ${(silentMs / 1000).toFixed(1)} s.`] : [];
}
