import { readFile } from 'node:fs/promises';
import { expect, test } from '@jest/globals';
import { parse } from 'yaml';

const {
  permissions,
  jobs: { publish },
} = parse(await readFile('.github/workflows/playground.yml', 'utf8'));

test('the workflow builds the playground and publishes what was built', () => {
  const steps = /** @type {any[]} */ (publish.steps);
  expect(steps.flatMap(({ run }) => run ?? [])).toEqual(['npm ci', 'npm run playground']);
  expect(steps.flatMap(({ with: options }) => options?.path ?? [])).toEqual(['dist/playground']);
  expect(steps.at(-1).uses).toMatch(/^actions\/deploy-pages@/);
});

test('it may publish, and write nothing else', () => {
  expect(permissions).toEqual({ contents: 'read', pages: 'write', 'id-token': 'write' });
});
