import { quantile } from 'mongodb-pool-predictor';

/** @import { Answer } from '../../harness/open-load.js' */

/** The time axis has a point for each of these. */
const STEP_MS = 500;
const REFUSED = 503;

/**
 * What became of a load. A user who gave up counts with the time that was waited in vain, so that percentiles do not
 * look better for it; one who was refused does not, for a quick no is no quick answer.
 *
 * @param {Answer[]} answers
 * @param {boolean} refuses whether the app is meant to refuse requests; if not, its 503 is a failure
 */
export function summariseAnswers(answers, refuses) {
  const fast = ofRoute(answers, '/fast');
  return {
    requests: answers.length,
    routes: { '/fast': summarise(fast, refuses), '/slow': summarise(ofRoute(answers, '/slow'), refuses) },
    fastMs: traceTimeSeries(fast),
  };
}

/**
 * @param {Answer[]} answers
 * @param {string} name
 */
function ofRoute(answers, name) {
  return answers.filter(({ route }) => route === name);
}

/**
 * @param {Answer[]} answers
 * @param {boolean} refuses
 */
function summarise(answers, refuses) {
  const heard = answers.filter(({ status }) => !refuses || status !== REFUSED);
  const answered = heard.filter(({ status }) => status >= 200 && status < 400);
  const tookMs = heard.map((answer) => answer.tookMs);
  /** @param {number} share */
  const figure = (share) => (tookMs.length > 0 ? quantile(tookMs, share) : null);
  return {
    count: answers.length,
    refused: answers.length - heard.length,
    failures: heard.length - answered.length,
    p50Ms: figure(0.5),
    p99Ms: figure(0.99),
    maxMs: figure(1),
  };
}

/**
 * The median of each half second in which requests were sent, refused ones with their quick no.
 * @param {Answer[]} answers
 * @returns {Record<string, number>} by its begin, in seconds
 */
function traceTimeSeries(answers) {
  /** @type {Map<number, number[]>} */
  const steps = new Map();
  for (const { atMs, tookMs } of answers) {
    const step = Math.floor(atMs / STEP_MS);
    const times = steps.get(step);
    if (times) times.push(tookMs);
    else steps.set(step, [tookMs]);
  }
  return Object.fromEntries([...steps].map(([step, times]) => (
    [(step * STEP_MS / 1000).toFixed(1), quantile(times, 0.5)])));
}
