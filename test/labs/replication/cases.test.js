import { expect, test } from '@jest/globals';
import { CASES, parseCases } from '../../../src/labs/replication/cases.js';

test('the first ten cases are the published ones', () => {
  expect(CASES.slice(0, 10).map(({ number, mode, collections, fields, workers, hash, published }) => (
    [number, mode, collections, fields, workers, hash, published?.ratePerSec]))).toEqual([
    [1, 'mock', 5, 5, 8, 'id', 424_251],
    [2, 'mock', 5, 1, 8, 'id', 545_117],
    [3, 'direct', 5, 5, 8, 'id', 55_705],
    [4, 'direct', 5, 5, 64, 'id', 186_755],
    [5, 'direct', 1, 1, 8, 'id', 455_567],
    [6, 'direct', 1, 1, 64, 'id', 456_990],
    [7, 'direct', 128, 5, 8, 'id', 63_206],
    [8, 'direct', 128, 5, 64, 'id', 189_140],
    [9, 'direct', 128, 5, 128, 'collection', 279_633],
    [10, 'direct', 5, 5, 8, 'id', 61_184],
  ]);
});

test('cases are chosen by their numbers', () => {
  expect(parseCases('3')).toEqual([3]);
  expect(parseCases('9, 1..3,2')).toEqual([1, 2, 3, 9]);
  for (const text of ['0', '14', '1..14', '3..1', 'x', '', '1.5']) {
    expect(() => parseCases(text)).toThrow(`"${text}" is not a case from 1 to 13; several look like 1,3 or 1..13.`);
  }
});
