import { expect, test } from '@jest/globals';
import { judge } from '../../workshop/judge-task.js';
import { listTasks, readLessons } from '../../workshop/lessons.js';
import { savedApp, savedRun } from './saved-runs.js';

/** @import { Evidence, Verdict } from '../../workshop/lesson-types.js' */

const tasks = (await readLessons()).flatMap(listTasks);

/** Before all saved runs. */
export const GUESS = { value: 1, at: '2026-01-01T00:00:00.000Z' };

/**
 * @typedef {object} Sample what a check gets: names of saved runs, newest first, or of a saved app
 * @property {string[]} [runs]
 * @property {string} [app]
 * @property {number} [answer]
 * @property {number} [guess]
 * @property {(runs: any[], app: any) => unknown} [change] of the copies
 */

/** Runs the check of a lesson, a twist or a puzzle. @param {string} name @param {object} evidence what it asks for */
export async function check(name, evidence) {
  const task = tasks.find((one) => one.name === name);
  if (!task) throw new Error(`there is no lesson ${name}`);
  return judge(task, /** @type {Evidence} */ (evidence));
}

/** @param {string} name @param {Sample} sample @returns {Promise<Verdict>} */
export function checkSample(name, { runs = [], app, answer, guess = GUESS.value, change }) {
  const results = runs.map(savedRun);
  const saved = app === undefined ? undefined : savedApp(app);
  change?.(results, saved);
  return check(name, { results, app: saved, answer, guess: { ...GUESS, value: guess } });
}

/**
 * One test: the check is right, and says so in these words.
 * @param {string} name
 * @param {Sample} sample
 * @param {RegExp} words
 * @param {object} [more] of the verdict
 */
export function accepts(name, sample, words, more = {}) {
  test(`accepts ${describeSample(sample)}`, async () => {
    expect(await checkSample(name, sample)).toMatchObject({
      isRight: true,
      words: expect.stringMatching(words),
      ...more,
    });
  });
}

/**
 * One test each: the check is not right yet, and says why.
 * @param {string} name
 * @param {[why: string, sample: Sample, words: RegExp][]} samples
 */
export function refuses(name, samples) {
  test.each(samples)('refuses %s', async (_, sample, words) => {
    expect(await checkSample(name, sample)).toMatchObject({ isRight: false, words: expect.stringMatching(words) });
  });
}

/**
 * One test: one answer alone is right.
 * @param {string} name
 * @param {Sample} sample with the right answer
 * @param {number[]} others
 */
export function acceptsOnly(name, sample, others) {
  test(`accepts ${sample.answer} for ${describeSample(sample)}, and no other answer`, async () => {
    expect(await checkSample(name, sample)).toMatchObject({ isRight: true });
    for (const answer of [...others, -1, 0]) {
      expect({ answer, ...(await checkSample(name, { ...sample, answer })) }).toMatchObject({ isRight: false });
    }
  });
}

/** @param {Sample} sample */
function describeSample({ runs = [], app, guess }) {
  const source = app ? `the app ${app}` : runs.join(', ') || 'the answer';
  return guess === undefined ? source : `${source} after a guess of ${guess}`;
}
