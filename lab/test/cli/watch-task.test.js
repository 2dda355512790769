import { expect, test } from '@jest/globals';
import { watchTask } from '../../cli/watch-task.js';
import { findLesson, readLessons } from '../../workshop/lessons.js';
import { saveSampleResult } from '../report/sample-result.js';
import { scratchFolder } from 'test-support/cleanup.js';

test('a result that is saved while the one before is checked is checked next', async () => {
  const folder = await scratchFolder();
  const lessons = await readLessons();
  /** @type {string[]} */
  const said = [];
  saveSampleResult(folder, 3);
  const lesson = { ...findLesson(lessons, '2'), guess: undefined };
  await watchTask(
    lesson,
    { results: folder, app: /** @type {any} */ (undefined) },
    { dataDir: folder, lessons },
    {
      signal: AbortSignal.timeout(4000),
      print: (text) => {
        if (said.push(text) === 1) saveSampleResult(folder, 1);
      },
      warn: () => {},
    },
  );
  expect(said).toEqual([expect.stringContaining('Not yet.'), expect.stringContaining('Right. A query of 2 ms')]);
});
