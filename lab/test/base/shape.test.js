import { expect, test } from '@jest/globals';
import { listOf, mapOf, number, orNone, shape, text } from '../../base/shape.js';

const check = shape({ name: text, sizes: orNone(listOf(number)), by: orNone(mapOf(shape({ at: text }))) });

test.each([
  [{ name: 'a' }],
  [{ name: '', sizes: [], by: {} }],
  [{ name: 'a', sizes: [1], by: { b: { at: 'c' } }, more: 5 }],
  [{ name: 'a', sizes: null }],
])('%j fits', (value) => {
  expect(() => check(value, 'it')).not.toThrow();
});

test.each([
  [null, 'it must be an object'],
  [[], 'it must be an object'],
  ['a', 'it must be an object'],
  [{}, 'name must be text'],
  [{ name: { toString: 1 } }, 'name must be text'],
  [{ name: 'a', sizes: {} }, 'sizes must be a list'],
  [{ name: 'a', sizes: [1, '2'] }, 'sizes[1] must be a number'],
  [{ name: 'a', by: [] }, 'by must be an object'],
  [{ name: 'a', by: { b: null } }, 'by.b must be an object'],
  [{ name: 'a', by: { b: { at: 5 } } }, 'by.b.at must be text'],
])('%j is told what is wrong', (value, message) => {
  expect(() => check(value, 'it')).toThrow(new Error(message));
});
