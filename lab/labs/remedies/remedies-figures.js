import { median, quantile } from 'mongodb-pool-predictor/statistics';
import { timeOf } from '../../report/columns.js';

/** @import { Answer } from '../../harness/loads/open-loop.js' */
/** @import { WarmUp } from '../../harness/warm-up.js' */
/** @import { MeasuredRemedy } from './criterion.js' */
/** @import { RemedySettings } from './remedies-lab.js' */

/** One point of the time axis. */
const STEP_MS = 500;
export const REFUSED = 503;

/**
 * @typedef {object} RemedyRouteFigures
 * @property {number} count
 * @property {number} refused with 503, on purpose; not in the percentiles
 * @property {number} failures no answer in time, or an error
 * @property {number | null} p50Ms null where there were no requests; so p99Ms and maxMs
 * @property {number | null} p99Ms
 * @property {number | null} maxMs
 *
 * @typedef {object} AnswerFigures
 * @property {number} requests
 * @property {Record<string, RemedyRouteFigures>} routes
 * @property {Record<string, number>} fastMs median of /fast by the second in which requests were sent
 *
 * @typedef {AnswerFigures & { connections: number | null, unloaded: WarmUp['unloaded'] & { connectMs: number } }
 *   } RemedyFigures `connections`: the most that the server saw; null where it does not say
 */

/**
 * A user who gave up counts with the time waited, otherwise percentiles would look better for it. A refused user does
 * not count: a quick refusal is not a quick answer.
 * @param {Answer[]} answers
 * @param {boolean} refuses whether the app refuses requests on purpose; if not, its 503 is a failure
 * @returns {AnswerFigures}
 */
export function summariseAnswers(answers, refuses) {
  const fast = ofRoute(answers, '/fast');
  return {
    requests: answers.length,
    routes: { '/fast': summarise(fast, refuses), '/slow': summarise(ofRoute(answers, '/slow'), refuses) },
    fastMs: traceTimeSeries(fast),
  };
}

/** @param {Answer[]} answers @param {string} name */
function ofRoute(answers, name) {
  return answers.filter(({ route }) => route === name);
}

/** @param {Answer[]} answers @param {boolean} refuses */
function summarise(answers, refuses) {
  const counted = answers.filter(({ status }) => !refuses || status !== REFUSED);
  const answered = counted.filter(({ status }) => status >= 200 && status < 400);
  const tookMs = counted.map((answer) => answer.tookMs);
  /** @param {number} share */
  const figure = (share) => (tookMs.length > 0 ? quantile(tookMs, share) : null);
  return {
    count: answers.length,
    refused: answers.length - counted.length,
    failures: counted.length - answered.length,
    p50Ms: figure(0.5),
    p99Ms: figure(0.99),
    maxMs: figure(1),
  };
}

/**
 * The median of each half second in which requests were sent, refused ones included.
 * @param {Answer[]} answers
 * @returns {Record<string, number>} by the start of the half second, in seconds
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
  return Object.fromEntries([...steps].map(([step, times]) => [((step * STEP_MS) / 1000).toFixed(1), median(times)]));
}

/** @param {string} route @param {'p50Ms' | 'p99Ms' | 'maxMs' | 'refused' | 'failures'} figure */
export function routeFigure(route, figure) {
  return (/** @type {MeasuredRemedy} */ { measured, repeats }) => {
    const figures = measured?.routes[route];
    if (!figures?.count) return null;
    if (figure === 'refused' || figure === 'failures') return figures[figure];
    const timed = { routes: { [route]: { ...figures, count: figures.count - figures.refused } } };
    return timeOf(timed, route, figure, repeats?.length || 1) ?? null;
  };
}

/** Whether an app with this remedy refuses requests on purpose. @param {RemedySettings['remedy']} remedy */
export function refuses(remedy) {
  return remedy === 'limit' || remedy === 'timeout';
}
