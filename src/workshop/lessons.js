import { readFile, readdir } from 'node:fs/promises';

/** @import { Lesson } from './lesson-types.js' */

const FOLDER = new URL('../../lessons/', import.meta.url);

/** @returns {Promise<Lesson[]>} in their order */
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
 * @param {string} text a lesson's name or its number, with or without a zero in front
 * @returns {Lesson}
 * @throws {Error} naming those there are
 */
export function findLesson(lessons, text) {
  const number = /^\d+$/.test(text) ? `${text.padStart(2, '0')}-` : undefined;
  const found = lessons.find(({ name }) => name === text || (number && name.startsWith(number)));
  if (!found) {
    throw new Error(`There is no lesson "${text}": they are ${lessons.map(({ name }) => name).join(', ')}`);
  }
  return found;
}
