import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from '@jest/globals';
import { parseAppUrl } from '../../cli/running-app.js';
import { gatherEvidence, readResults } from '../../cli/evidence.js';
import { findLesson, readLessons } from '../../workshop/lessons.js';
import { createSampleResult } from '../report/sample-result.js';
import { scoreGuess, scoreVerdict } from '../../workshop/guess-score.js';
import { scratchFolder } from 'test-support/cleanup.js';

const lessons = await readLessons();

test.each([-1, 5.5])('%d is not a count', async (answer) => {
  const evidence = gatherEvidence(
    findLesson(lessons, '14'),
    { lessons: {} },
    { results: '', app: parseAppUrl('--app', 'http://127.0.0.1:1'), answer },
  );
  await expect(evidence).rejects.toThrow(
    `--answer ${answer} must be a whole number of at least 0. With 400 instances, how large`,
  );
});

test('results name their file, newest first, without those of an old driver', async () => {
  const folder = await scratchFolder();
  const files = ['first', 'second', 'old'].map((name) => path.join(folder, name, 'mixed.json'));
  for (const [index, file] of files.entries()) {
    await mkdir(path.dirname(file));
    const settings = { driver: index === 2 ? '3' : '7' };
    const result = { ...createSampleResult({ startedAt: `2026-11-2${index}T14:22:05.120Z` }), settings };
    await writeFile(file, JSON.stringify(result));
  }
  expect((await readResults(folder, 'mixed')).map(({ file }) => file)).toEqual(files.slice(0, 2).toReversed());
});

test.each([
  [20, 20, 3],
  [18.2, 20, 3],
  [22, 20, 3],
  [22.5, 20, 2],
  [13.4, 20, 2],
  [30.5, 20, 1],
  [60, 20, 1],
  [61, 20, 0],
  [6, 20, 0],
  [0, 0, 3],
  [0, 5, 0],
  [-5, 5, 0],
  [-5, -5, 3],
])('a guess of %s for %s gets %i points', (guess, truth, points) => {
  expect(scoreGuess(guess, truth)).toBe(points);
});

test('only a guess before the measurement counts, and only where something was measured', () => {
  const task = /** @type {any} */ ({ guess: { unit: 'seconds' } });
  const guess = { value: 18, at: '2026-11-20T12:00:00.000Z' };
  const verdict = (/** @type {string} */ startedAt) => ({
    isRight: true,
    words: '',
    truth: 20.04,
    runs: [/** @type {any} */ ({ startedAt })],
  });
  expect(scoreVerdict(task, guess, verdict('2026-11-20T12:00:01.000Z'))).toEqual({
    points: 2,
    words: '2 of 3 points: you guessed 18, and it was 20 seconds.',
  });
  expect(scoreVerdict(task, guess, verdict('2026-11-20T11:00:00.000Z'))).toMatchObject({
    points: 0,
    words: expect.stringMatching(/after/),
  });
  expect(scoreVerdict(task, undefined, verdict('2026-11-20T12:00:01.000Z'))).toBeUndefined();
  expect(scoreVerdict(task, guess, { isRight: true, words: '' })).toBeUndefined();
});
