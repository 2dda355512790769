import { execFile } from 'node:child_process';
import { lstat, readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from '@jest/globals';
import { ESLint } from 'eslint';
import { sum } from 'mongodb-pool-predictor/statistics';
import { findBrokenRule } from '../../scripts/lint/layers.js';

const { stdout } = await promisify(execFile)('git', [
  'ls-files',
  'src/*.js',
  'lab/*.js',
  'packages/*/*.js',
  ':!*test/*',
  ':!packages/test-support/*',
]);
const [root, lab, pool] = await Promise.all(
  ['package.json', 'lab/package.json', 'packages/pool-page/package.json'].map(async (file) =>
    JSON.parse(await readFile(file, 'utf8')),
  ),
);
const { packages: locked } = JSON.parse(await readFile('package-lock.json', 'utf8'));
const page = await readFile('CONTRIBUTING.md', 'utf8');

describe('layers', () => {
  test.each([
    ['lab/cli/run-command.js', 'lab/labs/index.js'],
    ['lab/labs/mixed/mixed-lab.js', 'lab/labs/mixed/mixed-view.js'],
    ['lab/harness/artillery.js', 'src/settings.js'],
    ['src/start.js', 'src/live/app-source.js'],
    ['packages/gather/src/gather-inserts.js', 'packages/gather/src/insert-batch.js'],
    ['packages/pool-monitor/src/attach/attach.js', 'packages/pool-monitor/src/core/monitor.js'],
    ['lab/test/cli/run.test.js', 'test/support/start-app.js'],
    ['test/server.test.js', 'src/server.js'],
  ])('%s may import %s', (from, to) => {
    expect(findBrokenRule(from, to)).toBeNull();
  });

  test.each([
    ['packages/gather/src/gather-inserts.js', 'src/settings.js', 'a package imports nothing from outside its folder'],
    [
      'packages/gather/test/insert-order.test.js',
      'test/support/start-app.js',
      'a package imports nothing from outside its folder',
    ],
    [
      'packages/gather/src/gather-inserts.js',
      'packages/pool-monitor/src/index.js',
      'a package imports nothing from outside its folder',
    ],
    ['src/start.js', 'packages/pool-monitor/src/index.js', 'import a package by its name'],
    ['test/app.test.js', 'packages/pool-monitor/src/index.js', 'import a package by its name'],
    ['src/mongo/client.js', 'src/http/listen.js', 'src/mongo/ may not import src/http/'],
    ['src/live/app-source.js', 'lab/labs/index.js', 'src/ may not import lab/labs/index.js'],
    ['src/routes/query-routes.js', 'src/app.js', 'src/routes/ may not import src/app.js'],
    ['lab/report/table.js', 'lab/harness/run-lab.js', 'lab/report/ may not import lab/harness/'],
    ['lab/report/table.js', 'lab/test/report/sample-result.js', 'only tests import from tests'],
    ['test/server.test.js', 'lab/cli.js', 'test/ may not import lab/cli.js'],
    [
      'packages/pool-monitor/src/core/monitor.js',
      'packages/pool-monitor/src/attach/guard.js',
      'packages/pool-monitor/src/core/ may not import packages/pool-monitor/src/attach/',
    ],
  ])('%s may not import %s', (from, to, problem) => {
    expect(findBrokenRule(from, to)).toContain(problem);
  });

  /** @param {string} file @param {string} code */
  async function lint(file, code) {
    const [{ messages }] = await new ESLint().lintText(code, { filePath: file });
    return messages.map(({ message }) => message);
  }

  test('the linter finds an import that goes up in imports, dynamic imports and types', async () => {
    const broken = expect.stringContaining('src/ may not import lab/labs/index.js');
    expect(
      await lint('src/mongo/client.js', "import { labs } from '../../lab/labs/index.js';\n\nlabs.toString();\n"),
    ).toEqual([broken]);
    expect(await lint('src/mongo/client.js', "await import('../../lab/labs/index.js');\n")).toEqual([broken]);
    expect(
      await lint('src/mongo/client.js', "/** @typedef {import('../../lab/labs/index.js').labs} Labs */\n"),
    ).toEqual([broken]);
    expect(await lint('lab/labs/index.js', "await import('../../src/mongo/client.js');\n")).toEqual([]);
  });

  test('the linter finds a circle of imports', async () => {
    const file = 'packages/pool-predictor/src/simulator/event-heap.js';
    expect(await lint(file, "import './fifo.js';\n")).toEqual([]);
    expect(await lint(file, "import './simulate.js';\n")).toEqual([
      `a circle of imports: ${file} -> ${file.replace('event-heap', 'simulate')} -> ${file}`,
    ]);
  });

  test('the linter finds a comment that is too long', async () => {
    expect(await lint('src/settings.js', `// ${'long '.repeat(25)}\n`)).toEqual([expect.stringContaining('length')]);
    expect(await lint('src/settings.js', `// ${'short '.repeat(5)}\n`)).toEqual([]);
  });

  test('the linter keeps Node.js out of what may run in a browser', async () => {
    const code = "import fs from 'node:fs';\n\nfs.readFileSync('a');\n";
    const browser = [expect.stringContaining('This may run in a browser.')];
    expect(await lint('packages/pool-predictor/src/predict/predict.js', code)).toEqual(browser);
    expect(await lint('packages/pool-page/universal/quantity.js', code)).toEqual(browser);
    expect(await lint('packages/pool-predictor/src/node/input-files.js', code)).toEqual([]);
  });

  test('a workspace names each dependency that it imports, or whose files it serves', async () => {
    const undeclared = ['packages/gather/package.json does not declare express'];
    expect(
      await lint('packages/gather/src/gather-inserts.js', "import express from 'express';\n\nexpress();\n"),
    ).toEqual(undeclared);
    expect(await lint('packages/gather/src/gather-inserts.js', "import.meta.resolve('express');\n")).toEqual(
      undeclared,
    );
    expect(
      await lint(
        'packages/gather/src/gather-inserts.js',
        "import { MongoClient } from 'mongodb';\n\nnew MongoClient('');\n",
      ),
    ).toEqual([]);
    expect(await lint('src/app.js', "import { Command } from 'commander';\n\nnew Command();\n")).toEqual([
      'package.json does not declare commander',
    ]);
  });
  const sources = stdout.trim().split('\n');

  /** @param {string[]} names */
  const findTwice = (names) => names.filter((name, index) => names.indexOf(name) !== index);

  test('no two modules have one name', () => {
    expect(findTwice(sources.map((file) => path.basename(file)).filter((name) => name !== 'index.js'))).toEqual([]);
  });

  test('no type is defined twice', async () => {
    const texts = await Promise.all(sources.map((file) => readFile(file, 'utf8')));
    const defined = texts.flatMap((text) => [...text.matchAll(/@typedef\s*\{((?:[^{}]|\{[^{}]*\})*)\}\s*(\w+)/g)]);
    // What only passes on a type of another module has its name.
    const own = defined.filter(([, body]) => !/^import\('[^']+'\)\.\w+$/.test(body.trim()));
    expect(own.length).toBeGreaterThan(300);
    expect(findTwice(own.map(([, , name]) => name))).toEqual([]);
  });
});

describe('dependencies', () => {
  /** Others' packages: ours are links into packages/. @param {Record<string, string>} declared */
  const othersOf = (declared) =>
    Object.keys(declared)
      .filter((name) => !locked[`node_modules/${name}`].link)
      .sort();
  const dependencies = othersOf(root.dependencies);
  const ofLab = othersOf({ ...pool.dependencies, ...lab.dependencies, ...lab.peerDependencies }).filter(
    (name) => !dependencies.includes(name),
  );
  const all = [...dependencies, ...ofLab, ...othersOf(root.devDependencies).filter((name) => !ofLab.includes(name))];
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

  /** Without the packages below it. @param {string} folder @returns {Promise<number>} bytes, in blocks of 4 KiB */
  async function sizeOnDisk(folder) {
    // Programs for other systems are not installed.
    const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
    const sizes = entries
      .filter((entry) => entry.name !== 'node_modules')
      .map(async (entry) => {
        const place = path.join(folder, entry.name);
        return entry.isDirectory() ? sizeOnDisk(place) : Math.ceil((await lstat(place)).size / 4096) * 4096;
      });
    return 4096 + sum(await Promise.all(sizes));
  }

  describe('package-lock.json', () => {
    test('holds each dependency of each package, optional ones too', async () => {
      const { packages } = JSON.parse(await readFile('package-lock.json', 'utf8'));
      expect(findUnresolved(packages)).toEqual([]);
    });

    test('leaves Artillery and the developer tools out of npm install --omit=dev', () => {
      const left = ['artillery', 'playwright-core', 'jest', 'fast-check', 'typescript'];
      expect(left.filter((name) => !locked[`node_modules/${name}`].dev)).toEqual([]);
      const kept = ['express', 'mongodb', 'esbuild', 'chart.js', 'uplot', 'commander'];
      expect(kept.filter((name) => locked[`node_modules/${name}`].dev)).toEqual([]);
    });

    test('leaves 75 MB for npm install --omit=dev, as README.md says', async () => {
      const folders = Object.keys(locked).filter(
        (at) => at.includes('node_modules/') && !locked[at].dev && !locked[at].link,
      );
      const bytes = sum(await Promise.all(folders.map(sizeOnDisk)));
      expect(bytes / 2 ** 20).toBeGreaterThan(60);
      expect(bytes / 2 ** 20).toBeLessThan(80);
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
});
