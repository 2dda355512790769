import { describe, expect, test } from '@jest/globals';
import { describeMeasured, describePrediction } from 'mongodb-pool-page/page/prediction-words.js';

describe('a prediction', () => {
  test('comes with the measured times', () => {
    expect(plain(describePrediction(6, { '/fast': 2, '/slow': 5012 }))).toBe(
      'With 6 connections: /fast p95 2 ms, /slow p95 5.0 s.',
    );
    expect(plain(describePrediction(1, { '/fast': 4200 }))).toBe('With 1 connection: /fast p95 4.2 s.');
    expect(plain(describeMeasured(1, { '/fast': 4200, '/slow': 9100 }, { '/fast': 1500, '/slow': 27_000 }))).toBe(
      'Measured with 1 connection: /fast 4.2 s, /slow 9.1 s.',
    );
  });

  test.each([
    [115, 5000],
    [900, 0],
    [60, 9],
  ])('says so when %i ms were measured and %i predicted', (measuredMs, predictedMs) => {
    expect(plain(describeMeasured(2, { '/a': measuredMs, '/b': 3 }, { '/a': predictedMs }))).toMatch(
      /^Measured with 2 connections: .*\. The simulation says something else for this size, so do not rely on it\. /,
    );
  });

  test('says so when nothing was measured', () => {
    expect(plain(describeMeasured(6, {}, {}))).toBe('Nothing measured yet with 6 connections.');
    expect(plain(describeMeasured(0, {}, {}))).toBe('Nothing measured yet without a limit.');
  });

  test('never separates a number from its unit', () => {
    expect(describeMeasured(1, { '/fast': 4200 }, { '/fast': 4240 })).toContain('/fast\u00a04.2\u00a0s');
  });

  /** @param {string} text */
  const plain = (text) => text.replaceAll('\u00a0', ' ');
});
