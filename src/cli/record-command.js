import { setTimeout as sleep } from 'node:timers/promises';
import { Command } from 'commander';
import { createTraceWriter } from 'mongodb-pool-monitor';
import { busyCores } from 'mongodb-pool-monitor/live';
import { readSettings } from '../settings.js';
import { MAX_DELAY_MS } from '../settings-table.js';
import { parsePositive, parseUpTo } from './option-parsers.js';
import { fetchJson, parseAppUrl } from './running-app.js';
import { SIGNALS } from './signals.js';

/** @import { RecordedCheckout, Written } from 'mongodb-pool-monitor' */
/** @import { Trace } from 'mongodb-pool-predictor/node' */
/** @import { ServerLoad } from '../mongo/server-load.js' */
/** @import { AppUrl } from './running-app.js' */

/** How long the app may take for its last answer. */
const LAST_ANSWER_MS = 2000;

export function createRecordCommand() {
  return new Command('record')
    .description("record a running app's checkouts to a trace file, until Ctrl-C; predict and advise replay it")
    .option('--url <url>', 'the app, instead of APP_URL')
    .requiredOption('--out <file>', 'trace file to write')
    .option('--seconds <n>', 'stop after this many seconds', parseUpTo(Math.floor(MAX_DELAY_MS / 1000)))
    .option('--every <ms>', 'how often to fetch new checkouts from the app', parseUpTo(MAX_DELAY_MS), 1000)
    .option('--max-mb <n>', 'maximum size of the trace file', parsePositive, 100)
    .action(recordApp);
}

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
    const { settings: pool, max: maxPoolSize } = await fetchJson(app, '/pool', patience.signal);
    // Checkouts from before the recording are left out.
    let after = (await fetchCheckouts(app, 0, patience.signal)).lastId;
    let lost = 0;
    const before = await askServer(app, patience.signal);
    const header = { url: app.url, ...(maxPoolSize > 0 && { maxPoolSize }), pool };
    const trace = await createTraceWriter(out, { maxBytes: maxMb * 2 ** 20, header, onFull: end });
    /** @type {Record<string, unknown>} */
    let facts = {};
    process.stderr.write(`Recording ${app.url} to ${out}. Press Ctrl-C to stop.\n`);
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
      // Of the requests that were recorded. The app may have ended.
      const { overhead } = await fetchJson(app, '/pool', patience.signal).catch(() => ({}));
      facts = { overhead, server: compareServer(before, await askServer(app, patience.signal)) };
    } finally {
      report(await trace.close(facts), lost);
    }
  } finally {
    clearTimeout(timer);
    for (const name of SIGNALS) process.off(name, end);
  }
}

function requireAppUrl() {
  const { appUrl } = readSettings();
  if (appUrl === undefined) throw new Error('Which app? Add --url URL, or set APP_URL');
  return appUrl;
}

/** @param {number} ms @param {AbortSignal} signal @returns {Promise<boolean>} whether it was aborted */
async function pause(ms, signal) {
  return sleep(ms, false, { signal }).catch(() => true);
}

/**
 * @param {AppUrl} app
 * @param {number} after id
 * @param {AbortSignal} signal
 * @returns {Promise<{ checkouts: (RecordedCheckout & { outcome: string })[], lastId: number, forgotten: number }>}
 */
async function fetchCheckouts(app, after, signal) {
  const body = await fetchJson(app, `/pool/checkouts?after=${after}`, signal);
  if (!Array.isArray(body?.checkouts) || ![body.lastId, body.forgotten].every(Number.isInteger)) {
    throw new Error(`${app.option} ${app.url}: GET /pool/checkouts did not answer with a list of checkouts`);
  }
  return body;
}

/** @param {AppUrl} app @param {AbortSignal} signal @returns {Promise<ServerLoad | null>} null for an app that does not tell */
async function askServer(app, signal) {
  return fetchJson(app, '/pool/server', signal).catch(() => null);
}

/** @param {ServerLoad | null} before @param {ServerLoad | null} after @returns {Trace['server']} undefined where unknown */
function compareServer(before, after) {
  const busy = before && after && busyCores(before, after);
  return after?.cores && busy !== null ? { cores: after.cores, busyCores: Math.max(0, Math.round(busy * 1000) / 1000) } : undefined;
}

/** @param {Written} written @param {number} lost */
function report({ checkouts, failed, dropped, isFull }, lost) {
  const lines = [`Recorded ${countCheckouts(checkouts)}.`];
  if (failed > 0) lines.push(`In ${failed} of them the operation failed. predict and advise ignore those.`);
  if (isFull) lines.push('The trace is full. Use --max-mb to allow for more.');
  if (dropped > 0) lines.push(`${countCheckouts(dropped)} did not fit.`);
  if (lost > 0) {
    lines.push(`${countCheckouts(lost)} lost: the app keeps only the latest ones. Fetch more often with --every.`);
  }
  process.stderr.write(`${lines.join('\n')}\n`);
}

/** @param {number} count */
function countCheckouts(count) {
  return `${count} ${count === 1 ? 'checkout' : 'checkouts'}`;
}
