import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { readTrace } from 'mongodb-pool-predictor/node';
import { fetchJson } from './fetch-json.js';
import { readResult } from './read-result.js';

/** @import { Evidence, KeptResult, Lesson } from '../workshop/lesson-types.js' */
/** @import { Progress } from '../workshop/lesson-progress.js' */

/**
 * @typedef {object} EvidenceOptions where to look
 * @property {string} results folder in which `pool-lab run` keeps its own
 * @property {import('./app-url.js').AppUrl} app
 * @property {string} [trace] file
 * @property {number} [answer]
 */

/**
 * Gather what a lesson's check looks at.
 *
 * @param {Lesson} lesson
 * @param {Progress} progress
 * @param {EvidenceOptions} options
 * @returns {Promise<Evidence>} of it, what the lesson asks for
 * @throws {Error} saying what is missing, and how it is given
 */
export async function gatherEvidence(lesson, { since, lessons }, { results, app, trace, answer }) {
  const { guess } = lessons[lesson.name] ?? {};
  if (lesson.guess && !guess) {
    throw new Error(`There is no guess yet: ${lesson.guess.question}\n  pool-lab workshop guess ${lesson.name} `
      + `<${lesson.guess.unit}>`);
  }
  if (lesson.trace && !trace) throw new Error('There is no trace: give --trace FILE');
  const evidence = {
    guess,
    results: lesson.lab ? await readResults(results, lesson.lab, since) : [],
    ...(lesson.app && { app: await fetchFromApp(app) }),
    ...(trace && { trace: await readTrace(trace) }),
  };
  if (lesson.asks && answer === undefined) {
    throw new Error(`There is no answer: ${lesson.asks.question}\n  --answer <${lesson.asks.unit}>`);
  }
  if (lesson.asks?.isCount && !(Number.isInteger(answer) && Number(answer) >= 0)) {
    throw new Error(`--answer ${answer} must be a whole number from 0: ${lesson.asks.question}`);
  }
  return /** @type {Evidence} */ ({ ...evidence, answer });
}

/**
 * @param {string} folder
 * @param {string} lab
 * @param {string} [since] ISO 8601; older ones count no more
 * @returns {Promise<KeptResult[]>} the newest first
 */
export async function readResults(folder, lab, since = '') {
  const names = await readdir(folder).catch(() => []);
  const files = names.map((name) => path.join(folder, name, `${lab}.json`)).filter(existsSync);
  const kept = await Promise.all(files.map(async (file) => ({ ...(await readResult(file)).result, file })));
  return kept.filter(({ startedAt }) => startedAt > since)
    .toSorted((a, b) => b.startedAt.localeCompare(a.startedAt));
}

/** @param {import('./app-url.js').AppUrl} app */
async function fetchFromApp(app) {
  const { max } = await fetchJson(app, '/pool');
  const { checkouts } = await fetchJson(app, '/pool/checkouts');
  if (!Array.isArray(checkouts)) throw new Error(`${app.option} ${app.url}: its GET /pool/checkouts has no list of checkouts`);
  return { max, checkouts };
}
