import path from 'node:path';
import { makeFolder } from '../../src/base/files.js';
import { readStored } from '../base/read-json.js';
import { listOf, map, mapOf, number, orNone, shape, text } from '../base/shape.js';
import { changeFile } from '../base/change-file.js';
import { listTasks } from './lessons.js';

/** @import { Guess, Lesson } from './lesson-types.js' */

/**
 * @typedef {object} Progress
 * @property {string} [since] ISO 8601: the last reset; older results do not count
 * @property {Record<string, LessonProgress>} lessons by name; twists and puzzles too
 * @property {Membership} [class] that you have joined
 *
 * @typedef {object} LessonProgress
 * @property {string} [doneAt] ISO 8601
 * @property {Guess} [guess]
 * @property {number} [answer] the last one
 * @property {number} [points] for the guess
 * @property {number} [hints] how many you have seen
 * @property {string} [cause] that was drawn for a case
 * @property {string} [evidenceSince] ISO 8601: a wrong cause was named; the next try needs a newer recording
 *
 * @typedef {object} Membership
 * @property {string} url of the class, for its learners
 * @property {string} learner the id that the class gave you
 * @property {string} name
 * @property {object[]} unsent reports that have not reached the class
 */

const checkProgress = shape({
  since: orNone(text),
  lessons: mapOf(
    shape({
      doneAt: orNone(text),
      guess: orNone(shape({ value: number, at: text })),
      answer: orNone(number),
      points: orNone(number),
      hints: orNone(number),
      cause: orNone(text),
      evidenceSince: orNone(text),
    }),
  ),
  class: orNone(shape({ url: text, learner: text, name: text, unsent: listOf(map) })),
});

/** @param {string} folder */
export function progressFile(folder) {
  return path.join(folder, 'workshop.json');
}

/**
 * @param {string} folder
 * @param {Lesson[]} lessons whose numbers may have changed since
 * @returns {Promise<Progress>}
 * @throws {Error} naming the file, when it can't be read or has another content
 */
export async function readProgress(folder, lessons) {
  const progress = (await readStored(progressFile(folder), {
    check: checkProgress,
    problem: 'does not contain the progress of the workshop. To start over: npx pool-lab workshop reset',
  })) ?? { lessons: {} };
  return { ...progress, lessons: renumber(progress.lessons, lessons) };
}

/**
 * Gives progress the current names of its lessons: a new lesson changes the numbers of those after it.
 * @param {Progress['lessons']} known
 * @param {Lesson[]} lessons
 * @returns {Progress['lessons']}
 */
function renumber(known, lessons) {
  const topicOf = (/** @type {string} */ name) => name.replace(/^\d+-/, '');
  const names = new Map(lessons.flatMap(listTasks).map(({ name }) => [topicOf(name), name]));
  return Object.fromEntries(
    Object.entries(known).map(([name, progress]) => [names.get(topicOf(name)) ?? name, progress]),
  );
}

/**
 * Changes the progress, which other commands may change at the same time.
 * @param {string} folder created if missing
 * @param {Lesson[]} lessons see readProgress
 * @param {(progress: Progress) => Progress | Promise<Progress>} change may be called again
 */
export async function changeProgress(folder, lessons, change) {
  await saveProgress(folder, async () => change(await readProgress(folder, lessons)));
}

/** Starts over, whatever was there. @param {string} folder created if missing */
export async function resetProgress(folder) {
  await saveProgress(folder, async () => ({ since: new Date().toISOString(), lessons: {} }));
}

/** @param {string} folder @param {() => Promise<Progress>} find */
async function saveProgress(folder, find) {
  await makeFolder(folder);
  await changeFile(progressFile(folder), async () => `${JSON.stringify(await find(), null, 2)}\n`);
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

/** @param {Lesson[]} lessons @param {Progress} progress */
export function findNextLesson(lessons, progress) {
  return lessons.find(({ name }) => !progress.lessons[name]?.doneAt);
}
