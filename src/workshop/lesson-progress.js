import { mkdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { mapOf, number, orNone, shape, text } from '../shape.js';
import { writeAtomically } from '../write-atomically.js';

/** @import { Guess, Lesson } from './lesson-types.js' */

/**
 * How far somebody has come.
 *
 * @typedef {object} Progress
 * @property {string} [since] ISO 8601: when they last started over; what was measured before no longer counts
 * @property {Record<string, LessonProgress>} lessons by their names
 *
 * @typedef {{ doneAt?: string, guess?: Guess }} LessonProgress
 */

const checkProgress = shape({
  since: orNone(text),
  lessons: mapOf(shape({ doneAt: orNone(text), guess: orNone(shape({ value: number, at: text })) })),
});

/** @param {string} folder */
export function progressFile(folder) {
  return path.join(folder, 'workshop.json');
}

/**
 * @param {string} folder
 * @returns {Promise<Progress>}
 * @throws {Error} naming the file, when it can't be read or holds something else
 */
export async function readProgress(folder) {
  const file = progressFile(folder);
  const json = await readFile(file, 'utf8').catch((cause) => {
    if (cause.code === 'ENOENT') return '{"lessons":{}}';
    throw new Error(`${file} can't be read: ${cause.message}`, { cause });
  });
  try {
    const progress = JSON.parse(json);
    checkProgress(progress, 'it');
    return progress;
  } catch (cause) {
    throw new Error(`${file} does not hold the workshop's progress: pool-lab workshop reset starts over`, { cause });
  }
}

/**
 * @param {string} folder made if it is not there
 * @param {Progress} progress
 */
export async function writeProgress(folder, progress) {
  await mkdir(folder, { recursive: true });
  await writeAtomically(progressFile(folder), `${JSON.stringify(progress, null, 2)}\n`);
}

/**
 * @param {Progress} progress
 * @param {string} name of a lesson
 * @param {LessonProgress} news
 * @returns {Progress}
 */
export function noteLesson(progress, name, news) {
  return { ...progress, lessons: { ...progress.lessons, [name]: { ...progress.lessons[name], ...news } } };
}

/**
 * @param {Lesson[]} lessons
 * @param {Progress} progress
 * @returns {Lesson | undefined} the first that is not done
 */
export function nextLesson(lessons, progress) {
  return lessons.find(({ name }) => !progress.lessons[name]?.doneAt);
}
