import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';
import { runForJson } from 'test-support/processes.js';

/** @param {string} path */
const fileOf = (path) => fileURLToPath(new URL(path, import.meta.url));

test('the class of contexts is found behind a listener, which the inspector can look into', async () => {
  expect(await runForJson([fileOf('app/hono-like.mjs'), fileOf('../../src')])).toEqual({
    direct: true,
    minified: true,
    CommonJS: true,
    'called by a function of the app': true,
    'behind sockets': true,
    'behind too many': false,
    'another framework': false,
    'another proxy': false,
    'without an inspector': false,
  });
});
