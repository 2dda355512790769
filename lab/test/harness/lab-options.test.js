import { expect, test } from '@jest/globals';
import {
  createChoiceParser,
  createChoicesParser,
  parseDelay,
  parseInteger,
  parseIntegers,
  takePublished,
} from '../../harness/lab-options.js';

test('whole numbers, and lists of them', () => {
  expect(parseInteger('12')).toBe(12);
  expect(parseIntegers('1, 100,10')).toEqual([1, 100, 10]);
  for (const text of ['', '0', '-1', '1.5', 'x', '1e3', '99999999999999999']) {
    expect(() => parseInteger(text)).toThrow('It must be a whole number from 1.');
  }
  expect(() => parseIntegers('1,,2')).toThrow('"" is not a whole number from 1');
});

test('a delay that no timer can wait for is refused', () => {
  expect(parseDelay('2147483647')).toBe(2147483647);
  expect(() => parseDelay('2147483648')).toThrow('It must be at most 2147483647 ms.');
});

test('choices', () => {
  const parse = createChoicesParser(['fixed', 'copy']);
  expect(parse('copy, fixed')).toEqual(['copy', 'fixed']);
  expect(() => parse('copy,clone')).toThrow('"clone" is not one of fixed, copy.');
  expect(createChoiceParser(['id', 'collection'])('id')).toBe('id');
});

test('the published values are taken, but for what was given', () => {
  const options = {
    workers: { about: '', default: 1, published: 100 },
    queries: { about: '', default: 2, published: 5000 },
    queryMs: { about: '', published: 1.27 },
    stats: { about: '' },
  };
  const values = { workers: 7, queries: 2, stats: false };
  expect(takePublished(options, values, (name) => name === 'workers')).toEqual({
    workers: 7,
    queries: 5000,
    queryMs: 1.27,
    stats: false,
  });
});
