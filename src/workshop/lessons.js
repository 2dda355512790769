import { readFile, readdir } from 'node:fs/promises';

/** @import { Lesson } from './lesson-types.js' */

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
  const text = await readFile(new URL('README.md', folder), 'utf8');
  const { lesson } = await import(new URL('lesson.js', folder).href);
  return { name, title: text.slice(text.indexOf('# ') + 2, text.indexOf('\n')), text, ...lesson };
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
