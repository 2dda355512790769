import { expect, test } from '@jest/globals';
import { scoreGuess, scoreVerdict } from '../../src/workshop/guess-score.js';

test.each([
  [20, 20, 3], [18.2, 20, 3], [22, 20, 3], [22.5, 20, 2], [13.4, 20, 2], [30.5, 20, 1], [60, 20, 1], [61, 20, 0], [6, 20, 0],
  [0, 0, 3], [0, 5, 0], [-5, 5, 0], [-5, -5, 3],
])('a guess of %s for %s gets %i points', (guess, truth, points) => {
  expect(scoreGuess(guess, truth)).toBe(points);
});

test('only a guess before the measurement counts, and only where something was measured', () => {
  const task = /** @type {any} */ ({ guess: { unit: 'seconds' } });
  const guess = { value: 18, at: '2026-11-20T12:00:00.000Z' };
  const verdict = (/** @type {string} */ startedAt) => (
    { isRight: true, words: '', truth: 20.04, runs: [/** @type {any} */ ({ startedAt })] });
  expect(scoreVerdict(task, guess, verdict('2026-11-20T12:00:01.000Z'))).toEqual(
    { points: 2, words: '2 of 3 points: you guessed 18, and it was 20 seconds.' });
  expect(scoreVerdict(task, guess, verdict('2026-11-20T11:00:00.000Z'))).toMatchObject({ points: 0, words: expect.stringMatching(/after/) });
  expect(scoreVerdict(task, undefined, verdict('2026-11-20T12:00:01.000Z'))).toBeUndefined();
  expect(scoreVerdict(task, guess, { isRight: true, words: '' })).toBeUndefined();
});
