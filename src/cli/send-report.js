import { readProgress, writeProgress } from '../workshop/lesson-progress.js';

/** @import { Lesson } from '../workshop/lesson-types.js' */
/** @import { Report } from '../workshop/class-report.js' */

/** A learner should not wait for a class that is out of reach. */
const PATIENCE_MS = 2000;
/** Kept for a class that is out of reach; the oldest go first. */
const MOST_UNSENT = 50;

/**
 * Send a report to the class that the learner has joined, after those that did not get through before.
 * @param {string} folder of the progress
 * @param {Lesson[]} lessons
 * @param {Report} report
 * @returns {Promise<string | undefined>} what the learner should know
 */
export async function sendReport(folder, lessons, report) {
  const { class: membership } = await readProgress(folder, lessons);
  if (!membership) return undefined;
  const waiting = [...membership.unsent, report].slice(-MOST_UNSENT);
  let sent = 0;
  /** @type {string | undefined} */
  let trouble;
  for (const one of waiting) {
    const { status, problem } = await post(`${membership.url}/reports`, { learner: membership.learner, ...one });
    // The class will never take what it refuses.
    if (status >= 400 && status < 500) trouble = `The class refused that: ${problem}.`;
    else if (status !== 200) break;
    sent += 1;
  }
  const unsent = waiting.slice(sent);
  const now = await readProgress(folder, lessons);
  if (unsent.length > 0 || membership.unsent.length > 0) await writeProgress(folder, { ...now, class: { ...membership, unsent } });
  return unsent.length > 0 ? 'The class does not answer. It gets this with your next check; go on.' : trouble;
}

/**
 * @param {string} url
 * @param {object} body
 * @returns {Promise<{ status: number, problem?: string, answer?: any }>} status: 0 without an answer
 */
export async function post(url, body) {
  try {
    const response = await fetch(url, {
      method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body),
      signal: AbortSignal.timeout(PATIENCE_MS), redirect: 'error',
    });
    const answer = await response.json();
    return { status: response.status, answer, problem: String(answer?.detail ?? answer?.title) };
  } catch (error) {
    const { message, cause } = /** @type {Error} */ (error);
    return { status: 0, problem: cause instanceof Error ? cause.message : message };
  }
}
