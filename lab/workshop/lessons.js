import { readFile, readdir } from 'node:fs/promises';

/** @import { Lesson, LessonRules, Task } from './lesson-types.js' */

const FOLDER = new URL('../../lessons/', import.meta.url);

/** @returns {Promise<Lesson[]>} sorted */
export async function readLessons() {
  const names = (await readdir(FOLDER)).filter((name) => /^\d\d-/.test(name)).toSorted();
  const lessons = [];
  for (const name of names) lessons.push(await readLesson(name));
  return lessons;
}

/** @param {string} name @returns {Promise<Lesson>} */
async function readLesson(name) {
  const folder = new URL(`${name}/`, FOLDER);
  /** @type {{ lesson: LessonRules }} */
  const { lesson } = await import(new URL('lesson.js', folder).href);
  const { twist, puzzle, case: caseRules, ...rules } = lesson;
  return {
    name,
    ...(await readText(new URL('README.md', folder))),
    ...rules,
    twist: { name: `${name}/twist`, ...twist },
    case: caseRules && { name: `case-${caseRules.number}`, ...caseRules },
    puzzle: puzzle && { name: `${name}/puzzle`, ...(await readText(new URL('puzzle.md', folder))), ...puzzle },
  };
}

/** @param {URL} file */
async function readText(file) {
  const text = await readFile(file, 'utf8');
  return { title: text.slice(text.indexOf('# ') + 2, text.indexOf('\n')), text };
}

/**
 * @param {Lesson[]} lessons
 * @param {string} text name or number of a lesson, with or without a leading zero
 * @returns {Lesson}
 * @throws {Error} listing the lessons
 */
export function findLesson(lessons, text) {
  const number = /^\d+$/.test(text) ? `${text.padStart(2, '0')}-` : undefined;
  const found = lessons.find(({ name }) => name === text || (number && name.startsWith(number)));
  if (!found) {
    throw new Error(`There is no lesson "${text}". The lessons are ${lessons.map(({ name }) => name).join(', ')}`);
  }
  return found;
}

/** Everything in a lesson that can be checked. @param {Lesson} lesson @returns {Task[]} */
export function listTasks(lesson) {
  return [lesson, lesson.twist, ...(lesson.puzzle ? [lesson.puzzle] : []), ...(lesson.case ? [lesson.case] : [])];
}

/**
 * @param {Lesson[]} lessons
 * @param {string} text name or number of a lesson, or the name of a case
 * @param {{ twist?: boolean, puzzle?: boolean }} part of the lesson; without one, the lesson itself
 * @returns {Task}
 * @throws {Error} if there is no such lesson, or it has no puzzle
 */
export function findTask(lessons, text, { twist, puzzle }) {
  const found = lessons.find((lesson) => lesson.case?.name === text)?.case;
  if (found) return found;
  const lesson = findLesson(lessons, text);
  if (twist && puzzle) throw new Error('Choose one of --twist and --puzzle');
  if (twist) return lesson.twist;
  if (!puzzle) return lesson;
  if (lesson.puzzle) return lesson.puzzle;
  const names = lessons.filter((one) => one.puzzle).map(({ name }) => name);
  throw new Error(`${lesson.name} has no puzzle. These have one: ${names.join(', ')}`);
}
