import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { openRecording } from 'mongodb-pool-predictor';
import { readTrace } from 'mongodb-pool-predictor/node';
import { readResult } from './result-file.js';
import { describeShopRecording, RECORD_FIRST } from '../workshop/cases/shop-recording.js';
import { measureCase } from './case-shop.js';
import { askApp } from './running-app.js';

/** @import { PoolClient } from 'mongodb-pool-page/client' */
/** @import { CaseTask, Evidence, SavedResult, Task } from '../workshop/lesson-types.js' */
/** @import { Progress } from '../workshop/lesson-progress.js' */
/** @import { AppUrl } from './running-app.js' */

/**
 * @typedef {object} EvidenceOptions
 * @property {string} results folder where `pool-lab run` saved its results
 * @property {AppUrl} app
 * @property {string} [trace] file
 * @property {number} [answer]
 * @property {string} [cause] that the learner names for a case
 * @property {string} [route]
 */

/**
 * Collects what a check needs, and nothing else.
 * @param {Task} lesson
 * @param {Progress} progress
 * @param {EvidenceOptions} options
 * @returns {Promise<Evidence>}
 * @throws {Error} saying what is missing and how to provide it
 */
export async function gatherEvidence(lesson, { since, lessons }, { results, app, trace, answer, cause, route }) {
  const { guess, cause: drawn, evidenceSince } = lessons[lesson.name] ?? {};
  if (answer !== undefined && !lesson.asks) {
    throw new Error(`${lesson.name} asks for no answer: leave out --answer ${answer}`);
  }
  if (lesson.guess && !guess) {
    throw new Error(
      `Make a guess first. ${lesson.guess.question}\n  npx pool-lab workshop guess ${lesson.name} ` +
        `<${lesson.guess.unit}>`,
    );
  }
  if (lesson.causes) {
    if (evidenceSince && !trace) throw new Error(RECORD_FIRST);
    const recorded = trace && describeShopRecording(await readTrace(trace), evidenceSince ?? '');
    const shop = await measureCase(/** @type {CaseTask} */ (lesson), { drawn, named: { cause, route } });
    return /** @type {Evidence} */ ({ shop: { ...shop, ...(recorded && { recorded }) } });
  }
  if (lesson.trace && !trace) throw new Error('This lesson needs a trace: add --trace FILE');
  const evidence = {
    guess,
    results: lesson.lab ? await readResults(results, lesson.lab, since) : [],
    ...(lesson.app && { app: await askApp(app, readApp) }),
    ...(trace && { recording: openRecording([await readTrace(trace)]) }),
  };
  if (lesson.asks && answer === undefined) {
    throw new Error(`This lesson needs an answer. ${lesson.asks.question}\n  --answer <${lesson.asks.unit}>`);
  }
  if (lesson.asks?.isCount && !(Number.isInteger(answer) && Number(answer) >= 0)) {
    throw new Error(`--answer ${answer} must be a whole number of at least 0. ${lesson.asks.question}`);
  }
  return /** @type {Evidence} */ ({ ...evidence, answer });
}

/**
 * @param {string} folder
 * @param {string} lab
 * @param {string} [since] ISO 8601; older results are left out
 * @returns {Promise<SavedResult[]>} newest first
 */
export async function readResults(folder, lab, since = '') {
  const names = await readdir(folder).catch(() => []);
  const files = names.map((name) => path.join(folder, name, `${lab}.json`)).filter(existsSync);
  const saved = await Promise.all(files.map(async (file) => ({ ...(await readResult(file)).result, file })));
  // The driver of 2020 has another queue than the one that the lessons are about.
  const usable = saved.filter(({ startedAt, settings }) => startedAt > since && settings.driver !== '3');
  return usable.toSorted((a, b) => b.startedAt.localeCompare(a.startedAt));
}

/** @param {PoolClient} client */
async function readApp(client) {
  const { max } = await client.snapshot();
  const { checkouts } = await client.checkoutsSince(0);
  return { max, checkouts };
}
