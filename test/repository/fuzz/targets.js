import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

const ROOT = path.resolve(import.meta.dirname, '../../..');

/** The folders with targets: of the app and the repository here, of each workspace beside its tests. */
const FOLDERS = [
  'test/repository/fuzz/targets',
  'lab/test/fuzz-targets',
  ...readdirSync(path.join(ROOT, 'packages')).map((name) => `packages/${name}/test/fuzz-targets`),
]
  .map((folder) => path.join(ROOT, folder))
  .filter((folder) => existsSync(folder));

/** @type {Record<string, import('test-support/fuzz-outcome.js').FuzzTarget>} */
export const targets = {};
// One after the other: Jest's module loader fails when modules with common imports load at the same time.
for (const folder of FOLDERS) {
  for (const name of readdirSync(folder)) {
    Object.assign(targets, (await import(pathToFileURL(path.join(folder, name)).href)).targets);
  }
}
