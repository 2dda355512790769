import { readdir, readFile } from 'node:fs/promises';
import { expect, test } from '@jest/globals';
import { listTasks, readLessons } from '../../../workshop/lessons.js';
import { check, GUESS } from '../../support/check-lesson.js';
import { listRuns } from '../../support/saved-runs.js';

const lessons = await readLessons();
const puzzles = lessons.flatMap(({ puzzle }) => puzzle ?? []);

/** What solves it: `quiet 03p` for lesson 3. @param {string} name */
const solutionsOf = (name) => ['quiet', 'busy'].map((state) => `${state} ${name.slice(0, 2)}p`);

test.each(puzzles)('$name is solved by no unchanged run of a lesson, and by no table of one', async ({ name, lab }) => {
  // The tables of the lessons are those of saved runs: figures.test.js compares them.
  const runs = listRuns(String(lab)).filter(({ file }) => !solutionsOf(name).includes(file));
  expect(runs.length).toBeGreaterThanOrEqual(3);
  for (const run of runs) {
    const { isRight, words } = await check(name, { results: [run], guess: GUESS });
    expect({ run: run.file, words, isRight }).toEqual({ run: run.file, words, isRight: false });
  }
});

test('the check of every lesson, twist and puzzle is tried on samples', async () => {
  const folder = new URL('.', import.meta.url);
  const texts = await Promise.all((await readdir(folder)).map((file) => readFile(new URL(file, folder), 'utf8')));
  const tried = texts.flatMap((text) => [...text.matchAll(/^describe\('([^']+)'/gm)].map(([, name]) => name));
  expect(tried.toSorted()).toEqual(
    lessons
      .flatMap(listTasks)
      .map(({ name }) => name)
      .toSorted(),
  );
});
