import { isDeepStrictEqual } from 'node:util';
import { ask } from 'mongodb-pool-page/client';
import { escapeControls } from '../../src/base/printable.js';
import { changeProgress, readProgress } from '../workshop/lesson-progress.js';

/** @import { Workshop } from './open-workshop.js' */
/** @import { Report } from '../workshop/class-report.js' */

/** A learner should not wait for a class that is out of reach. */
const PATIENCE_MS = 2000;
/** Kept for a class that is out of reach; the oldest go first. */
const MAX_UNSENT = 50;
/** Longer than any text of a class. */
const MAX_TEXT = 300;

/**
 * Sends a report to the class that the learner has joined, after those that did not get through before.
 * @param {Workshop} workshop
 * @param {Report} report
 * @returns {Promise<string | undefined>} what the learner should know
 */
export async function sendReport({ dataDir, lessons }, report) {
  const { class: membership } = await readProgress(dataDir, lessons);
  if (!membership) return undefined;
  const waiting = [...membership.unsent, report].slice(-MAX_UNSENT);
  let sent = 0;
  /** @type {string | undefined} */
  let trouble;
  for (const one of waiting) {
    const { status, problem } = await post(`${membership.url}/reports`, { learner: membership.learner, ...one });
    // A 4xx is final, so it is not sent again.
    if (status >= 400 && status < 500) trouble = `The class refused that: ${problem}.`;
    else if (status !== 200) break;
    sent += 1;
  }
  const unsent = waiting.slice(sent);
  if (unsent.length > 0 || membership.unsent.length > 0) {
    await changeProgress(dataDir, lessons, (progress) => {
      const { class: now } = progress;
      // You may have left it.
      if (now?.learner !== membership.learner) return progress;
      const others = now.unsent.filter((one) => !waiting.some((own) => isDeepStrictEqual(own, one)));
      return { ...progress, class: { ...now, unsent: [...unsent, ...others].slice(-MAX_UNSENT) } };
    });
  }
  return unsent.length > 0 ? "Can't reach the class. This will be sent with your next check." : trouble;
}

/**
 * Sends something to the class. Anyone can run one, so the texts in its answer can't control a terminal or fill it.
 * @param {string} url
 * @param {object} body
 * @returns {Promise<{ status: number, problem?: string, answer?: any }>} status: 0 without an answer
 */
export async function post(url, body) {
  const read = async (/** @type {Response} */ response) => {
    const answer = JSON.parse(await response.text(), (_key, value) =>
      typeof value === 'string' ? escapeControls(value.replaceAll(/\s+/g, ' ')).slice(0, MAX_TEXT) : value,
    );
    return { status: response.status, answer, problem: String(answer?.detail ?? answer?.title) };
  };
  const init = {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
    timeoutMs: PATIENCE_MS,
    redirect: /** @type {const} */ ('error'),
  };
  return ask(url, read, init).catch(({ message }) => ({ status: 0, problem: message }));
}
