import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { describe, expect, test } from '@jest/globals';

const [root, lab, pool] = await Promise.all(
  ['package.json', 'lab/package.json', 'packages/pool-page/package.json'].map(async (file) =>
    JSON.parse(await readFile(file, 'utf8')),
  ),
);
const { packages: locked } = JSON.parse(await readFile('package-lock.json', 'utf8'));
/** Others' packages: ours are links into packages/. @param {Record<string, string>} declared */
const othersOf = (declared) =>
  Object.keys(declared)
    .filter((name) => !locked[`node_modules/${name}`].link)
    .sort();
const dependencies = othersOf(root.dependencies);
const ofLab = othersOf({ ...pool.dependencies, ...lab.dependencies }).filter((name) => !dependencies.includes(name));
const all = [...dependencies, ...ofLab, ...othersOf(root.devDependencies).filter((name) => !ofLab.includes(name))];
const page = await readFile('CONTRIBUTING.md', 'utf8');
const [tables] = page.match(/(?<=<!-- dependencies -->\n).*(?=<!-- \/dependencies -->)/s) ?? [''];
const rows = tables
  .split('\n')
  .filter((line) => line.startsWith('| '))
  .map((line) => line.split('|').map((cell) => cell.trim()))
  .filter(([, name]) => !['package', '---'].includes(name));

describe('the tables of dependencies in CONTRIBUTING.md: scripts/write-dependencies.js writes them anew', () => {
  test('have a row for each, and no other', () => {
    expect(rows.map(([, name]) => name)).toEqual(all);
  });

  test.each(all)('%s has a reason, its licence, and when it was last released', async (name) => {
    const { license } = JSON.parse(await readFile(`node_modules/${name}/package.json`, 'utf8'));
    const [, , why, licence, last] = rows[all.indexOf(name)];
    expect({ why, licence, last }).toEqual({
      why: expect.stringMatching(/\w/),
      licence: license,
      last: expect.stringMatching(/^20\d\d-\d\d-\d\d, \d+\.\d+\.\d+/),
    });
  });
});

test('npm run sbom is a CycloneDX list of all dependencies, and marks those for development', async () => {
  const { stdout } = await promisify(execFile)('npm', ['run', 'sbom', '--silent'], {
    maxBuffer: 2 ** 24,
    shell: process.platform === 'win32',
  });
  const { bomFormat, components } = JSON.parse(stdout);
  expect(bomFormat).toBe('CycloneDX');
  const isForDevelopment = Object.fromEntries(
    components.map((/** @type {{ purl: string, properties: { name: string }[] }} */ { purl, properties }) => [
      purl,
      properties.some(({ name }) => name === 'cdx:npm:package:development'),
    ]),
  );
  const lock = JSON.parse(await readFile('package-lock.json', 'utf8')).packages;
  const purlOf = (/** @type {string} */ name) => `pkg:npm/${name}@${lock[`node_modules/${name}`].version}`;
  for (const name of [...dependencies, ...ofLab]) expect([name, isForDevelopment[purlOf(name)]]).toEqual([name, false]);
  expect(isForDevelopment[purlOf('jest')]).toBe(true);
});

/**
 * The dependencies that a lockfile names and does not hold, as npm resolves them: from the dependent's own folder up.
 * `npm ci` refuses such a lockfile.
 * @param {Record<string, Record<string, any>>} packages
 */
function findUnresolved(packages) {
  const reaches = (/** @type {string} */ from, /** @type {string} */ name) => {
    for (let at = from; ; at = at.slice(0, Math.max(0, at.lastIndexOf('/node_modules/')))) {
      if (packages[`${at}${at && '/'}node_modules/${name}`]) return true;
      if (!at) return false;
    }
  };
  return Object.entries(packages).flatMap(([at, { dependencies: needed, optionalDependencies: optional }]) =>
    Object.keys({ ...needed, ...optional })
      .filter((name) => !reaches(at, name))
      .map((name) => `${at || '.'}: ${name}`),
  );
}

describe('package-lock.json', () => {
  test('holds each dependency of each package, optional ones too', async () => {
    const { packages } = JSON.parse(await readFile('package-lock.json', 'utf8'));
    expect(findUnresolved(packages)).toEqual([]);
  });

  test('is found out where it lacks one', () => {
    const packages = {
      '': { dependencies: { a: '1' } },
      'node_modules/a': { dependencies: { b: '1' }, optionalDependencies: { 'only-on-macos': '1' } },
      'node_modules/a/node_modules/b': { dependencies: { a: '1' } },
    };
    expect(findUnresolved(packages)).toEqual(['node_modules/a: only-on-macos']);
  });
});
