import { setTimeout as sleep } from 'node:timers/promises';
import { Command } from 'commander';
import { createTraceWriter } from 'mongodb-pool-monitor';
import { MAX_DELAY_MS, readSettings } from '../settings.js';
import { parseAppUrl } from './app-url.js';
import { fetchJson } from './fetch-json.js';
import { parsePositive, parseUpTo } from './options.js';

const SIGNALS = /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP']);

/** @import { RecordedCheckout, Written } from 'mongodb-pool-monitor' */
/** @import { AppUrl } from './app-url.js' */

/** `pool-lab record` */
export function createRecordCommand() {
  return new Command('record')
    .description("record an app's checkouts to a trace, which predict and advise can replay; ends with Ctrl-C")
    .option('--url <url>', 'the app, in place of APP_URL')
    .requiredOption('--out <file>', 'the trace to write')
    .option('--seconds <n>', 'stop after this many seconds', parseUpTo(Math.floor(MAX_DELAY_MS / 1000)))
    .option('--every <ms>', 'how often to ask the app', parseUpTo(MAX_DELAY_MS), 1000)
    .option('--max-mb <n>', 'largest size of the trace on disk', parsePositive, 100)
    .action(recordApp);
}

/** How long the app may take to answer once the record is to end, in ms. */
const LAST_ANSWER_MS = 2000;

/** @param {{ url?: string, out: string, seconds?: number, every: number, maxMb: number }} options */
async function recordApp({ url: text, out, seconds, every, maxMb }) {
  const app = text === undefined ? parseAppUrl('APP_URL', requireAppUrl()) : parseAppUrl('--url', text);
  const stop = new AbortController();
  const patience = new AbortController();
  const end = () => {
    stop.abort();
    setTimeout(() => patience.abort(new Error('the app does not answer')), LAST_ANSWER_MS).unref();
  };
  for (const name of SIGNALS) process.once(name, end);
  const timer = seconds && setTimeout(end, seconds * 1000);
  try {
    const { max, slowPool, slowLimit } = await fetchJson(app, '/pool', patience.signal);
    // What came before the recording is none of its business.
    let after = (await fetchCheckouts(app, 0, patience.signal)).lastId;
    let lost = 0;
    // What waited before two pools, or for a cap, can't be held against a prediction for one pool.
    const isOne = max > 0 && !slowPool && !slowLimit;
    const header = { url: app.url, ...(isOne && { maxPoolSize: max }) };
    const trace = await createTraceWriter(out, { maxBytes: maxMb * 2 ** 20, header, onFull: end });
    process.stderr.write(`Recording ${app.url} to ${out}; Ctrl-C ends it.\n`);
    try {
      for (let isLast = false; !isLast;) {
        isLast = stop.signal.aborted || await pause(every, stop.signal);
        const { checkouts, lastId, forgotten } = await fetchCheckouts(app, after, patience.signal);
        lost += forgotten;
        for (const checkout of checkouts) {
          trace.write({ ...checkout, hasFailed: checkout.outcome === 'operationFailed' });
        }
        after = lastId;
      }
    } finally {
      report(await trace.close(), lost);
    }
  } finally {
    clearTimeout(timer);
    for (const name of SIGNALS) process.off(name, end);
  }
}

function requireAppUrl() {
  const { appUrl } = readSettings();
  if (appUrl === undefined) throw new Error('There is no app to follow: give --url URL, or set APP_URL');
  return appUrl;
}

/**
 * @param {number} ms
 * @param {AbortSignal} signal
 * @returns {Promise<boolean>} whether it was cut short
 */
async function pause(ms, signal) {
  return sleep(ms, false, { signal }).catch(() => true);
}

/**
 * @param {AppUrl} app
 * @param {number} after id
 * @param {AbortSignal} signal gives it up
 * @returns {Promise<{ checkouts: (RecordedCheckout & { outcome: string })[], lastId: number, forgotten: number }>}
 */
async function fetchCheckouts(app, after, signal) {
  const body = await fetchJson(app, `/pool/checkouts?after=${after}`, signal);
  if (!Array.isArray(body?.checkouts) || ![body.lastId, body.forgotten].every(Number.isInteger)) {
    throw new Error(`${app.option} ${app.url}: its GET /pool/checkouts has no list of checkouts`);
  }
  return body;
}

/**
 * @param {Written} written
 * @param {number} lost
 */
function report({ checkouts, failed, dropped, isFull }, lost) {
  const said = [`${checkouts} ${checkouts === 1 ? 'checkout' : 'checkouts'} recorded.`];
  if (failed > 0) said.push(`${failed} of them had an operation that failed; predict and advise leave them out.`);
  if (isFull) said.push('The trace is full: --max-mb allows for more.');
  if (dropped > 0) said.push(`${dropped} ${dropped === 1 ? 'was' : 'were'} left out.`);
  if (lost > 0) {
    said.push(`${lost} ${lost === 1 ? 'is' : 'are'} lost: the app had forgotten them when it was asked. Ask more often `
      + 'with --every.');
  }
  process.stderr.write(`${said.join('\n')}\n`);
}
