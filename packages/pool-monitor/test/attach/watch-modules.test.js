import Module from 'node:module';
import { expect, test } from '@jest/globals';
import { watchModules } from '../../src/attach/watch-modules.js';

test('several watch, and nothing is left when all have ended, in any order', () => {
  const loader = /** @type {any} */ (Module);
  const before = loader._load;
  /** @type {string[]} */
  const heard = [];
  const [first, second] = ['first', 'second'].map((name) =>
    watchModules((request) => heard.push(`${name} ${request}`)),
  );
  loader._load('node:path');
  first();
  loader._load('node:url');
  second();
  second();
  expect(loader._load).toBe(before);
  loader._load('node:fs');
  expect(heard).toEqual(['first node:path', 'second node:path', 'second node:url']);
});
