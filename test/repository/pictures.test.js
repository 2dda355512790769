import { readFile } from 'node:fs/promises';
import { expect, test } from '@jest/globals';
import { hashSources } from '../../scripts/pictures/hash-sources.js';

test('the pictures of docs/ show the page and the report as they are', async () => {
  const isCurrent = (await readFile('docs/pictures.sha256', 'utf8')).trim() === (await hashSources());
  expect(isCurrent ? 'current' : 'older than the page: take them anew with `npm run pictures`').toBe('current');
});
