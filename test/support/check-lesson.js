import { expect } from '@jest/globals';
import { listTasks, readLessons } from '../../src/workshop/lessons.js';
import { createSampleResult } from '../report/sample-result.js';

/** @import { Evidence } from '../../src/workshop/lesson-types.js' */

const tasks = (await readLessons()).flatMap(listTasks);

/** Run the check of a lesson, a twist or a puzzle. @param {string} name @param {object} evidence what it asks for */
export async function check(name, evidence) {
  const task = tasks.find((one) => one.name === name);
  if (!task) throw new Error(`there is no lesson ${name}`);
  return task.check(/** @type {Evidence} */ (evidence));
}

/**
 * A check that it is not right yet, and says why.
 * @param {string} name
 * @param {object} evidence
 * @param {RegExp} words
 */
export async function expectNotYet(name, evidence, words) {
  expect(await check(name, evidence)).toMatchObject({ isRight: false, words: expect.stringMatching(words) });
}

/**
 * A check that one answer alone is right.
 * @param {string} name
 * @param {object} evidence
 * @param {number} answer
 * @param {number[]} others
 */
export async function expectAnswer(name, evidence, answer, others) {
  expect(await check(name, { ...evidence, answer })).toMatchObject({ isRight: true });
  for (const other of [...others, -1, 0]) {
    expect({ other, ...await check(name, { ...evidence, answer: other }) }).toMatchObject({ isRight: false });
  }
}

/** A result of any lab. @param {Record<string, any>[]} variants @param {Record<string, unknown>} [settings] */
export function resultOf(variants, settings = {}) {
  return createSampleResult({ variants: /** @type {any} */ (variants), settings });
}
