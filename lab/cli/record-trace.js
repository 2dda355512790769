import { createTraceWriter } from 'mongodb-pool-monitor';
import { readSettings } from '../../src/settings.js';
import { repeatUntil } from '../base/poll.js';
import { AppRecorder } from '../watch/app-recorder.js';
import { HOW_TO_WATCH, askApp, parseAppUrl } from './running-app.js';
import { onSignal } from './signals.js';

/** @import { Written } from 'mongodb-pool-monitor' */
/** @import { AppUrl } from './running-app.js' */

/** How long the app may take for its last answer. */
const LAST_ANSWER_MS = 2000;
/** A monitor keeps 10 000 checkouts. It is asked as often as about this many are new, or sooner. */
const COMFORTABLE = 2500;
/** Before it is known how many are new. */
const FIRST_ASK_MS = 100;

/**
 * @typedef {object} RecordOptions
 * @property {string} out trace file
 * @property {string} [client] the only one to record
 * @property {string} [pid] of the only process to record
 * @property {number} [seconds] default: until Ctrl-C
 * @property {AbortSignal} [signal] ends the recording, too
 * @property {number} every how often to ask, in ms, at least
 * @property {number} maxMb of the file
 * @property {(what: string) => void} onStart gets what is recorded, in words
 * @property {(written: Written, facts: RecordingFacts) => void} onEnd also called before it throws
 *
 * @typedef {object} RecordingFacts what else is known of a recording
 * @property {number} lost checkouts that the app no longer had
 * @property {number} silentMs how long the app did not answer
 * @property {Map<number, number>} statuses how many requests ended with each status; 0: without an answer
 */

/**
 * Records a running app to a trace, until the time is up, the trace is full, or Ctrl-C.
 *
 * @param {AppUrl} app
 * @param {RecordOptions} options
 * @returns {Promise<number>} the most clients that a process has had, or that one line of it has created
 */
export async function recordTrace(app, { out, client, pid, seconds, signal, every, maxMb, onStart, onEnd }) {
  const stop = new AbortController();
  const patience = new AbortController();
  const end = () => {
    stop.abort();
    const late = new DOMException(`${app.url} does not answer`, 'TimeoutError');
    setTimeout(() => patience.abort(late), LAST_ANSWER_MS).unref();
  };
  const stopListening = onSignal(() => {
    stopListening();
    end();
  });
  signal?.addEventListener('abort', end, { once: true });
  /** @type {NodeJS.Timeout | undefined} */
  let timer;
  let hint = `\n${HOW_TO_WATCH}`;
  try {
    const recorder = new AppRecorder(app.url, {
      ask(url, ask) {
        // The others come from the page of a watched app.
        const redirect = url === app.url ? 'follow' : 'error';
        return askApp({ ...app, url, redirect, hint }, (poolClient) => ask(poolClient, patience.signal));
      },
      // Not of the last answer: there is no other try.
      onNews: (text) => void (stop.signal.aborted || process.stderr.write(`${text}\n`)),
      client,
      pid,
    });
    const header = await recorder.open();
    // An app that ends later was there.
    hint = '';
    const trace = await createTraceWriter(out, { maxBytes: maxMb * 2 ** 20, header, onFull: end });
    recorder.define(trace);
    /** @type {Record<string, unknown>} */
    let facts = {};
    onStart(recorder.describe());
    if (seconds) timer = setTimeout(end, seconds * 1000);
    try {
      let waitMs = Math.min(every, FIRST_ASK_MS);
      const recordNew = async () => {
        const most = await recorder.recordNew(trace);
        waitMs = Math.min(every, (waitMs * COMFORTABLE) / most);
      };
      await repeatUntil(recordNew, { everyMs: () => waitMs, stop: stop.signal });
      facts = await recorder.recordEnd(trace);
    } finally {
      const { lost, silentMs } = recorder.missing();
      const written = await trace.close({ ...facts, lost: lost || undefined, silentMs: silentMs || undefined });
      onEnd(written, { lost, silentMs, statuses: recorder.statuses });
    }
    return recorder.mostClients;
  } finally {
    clearTimeout(timer);
    stopListening();
  }
}

/**
 * @param {string | undefined} url default: the setting APP_URL
 * @param {{ option: string, missing: string }} words option: the URL's, for messages; missing: what else to add
 * @returns {AppUrl}
 * @throws {Error} if there is neither
 */
export function chooseApp(url, { option, missing }) {
  if (url !== undefined) return parseAppUrl(option, url);
  const { appUrl } = readSettings();
  if (appUrl === undefined) throw new Error(`Which app? Add ${missing}, such as http://127.0.0.1:9000, or set APP_URL`);
  return parseAppUrl('APP_URL', appUrl);
}
