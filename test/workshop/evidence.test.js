import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from '@jest/globals';
import { parseAppUrl } from '../../src/cli/running-app.js';
import { gatherEvidence, readResults } from '../../src/cli/evidence.js';
import { findLesson, readLessons } from '../../src/workshop/lessons.js';
import { createSampleResult } from '../report/sample-result.js';
import { scratchFolder } from '../support/scratch-folder.js';

const lessons = await readLessons();

test.each([-1, 5.5])('%d is not a count', async (answer) => {
  const evidence = gatherEvidence(findLesson(lessons, '14'), { lessons: {} }, { results: '', app: parseAppUrl('--app', 'http://127.0.0.1:1'), answer });
  await expect(evidence).rejects.toThrow(`--answer ${answer} must be a whole number of at least 0. With 400 instances, how large`);
});

test('results name their file, newest first', async () => {
  const folder = await scratchFolder();
  const files = ['first', 'second'].map((name) => path.join(folder, name, 'mixed.json'));
  for (const [index, file] of files.entries()) {
    await mkdir(path.dirname(file));
    await writeFile(file, JSON.stringify(createSampleResult({ startedAt: `2026-11-2${index}T14:22:05.120Z` })));
  }
  expect((await readResults(folder, 'mixed')).map(({ file }) => file)).toEqual(files.toReversed());
});
