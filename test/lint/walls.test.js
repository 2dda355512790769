import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from '@jest/globals';
import { ESLint } from 'eslint';
import { findBrokenWall } from '../../scripts/lint/walls.js';

test.each([
  ['src/cli/run-command.js', 'src/labs/index.js'],
  ['src/labs/mixed/mixed-lab.js', 'src/labs/mixed/mixed-view.js'],
  ['src/start.js', 'src/live/traffic.js'],
  ['packages/gather/src/gather-inserts.js', 'packages/gather/src/gather.js'],
])('%s may import %s', (from, to) => {
  expect(findBrokenWall(from, to)).toBeNull();
});

test.each([
  ['packages/gather/src/gather.js', 'src/settings.js', 'a package imports nothing from outside its folder'],
  ['packages/gather/src/gather.js', 'packages/pool-monitor/src/monitor.js', 'a package imports nothing from outside its folder'],
  ['src/start.js', 'packages/pool-monitor/src/monitor.js', 'import a package by its name'],
  ['src/mongo/client.js', 'src/labs/index.js', 'src/mongo/ may not import src/labs/'],
  ['src/http/listen.js', 'src/report/table.js', 'src/http/ may not import src/report/'],
  ['src/routes/fast-route.js', 'src/app.js', 'src/routes/ may not import src/'],
])('%s may not import %s', (from, to, problem) => {
  expect(findBrokenWall(from, to)).toContain(problem);
});

/** @param {string} file @param {string} code */
async function lint(file, code) {
  const [{ messages }] = await new ESLint().lintText(code, { filePath: file });
  return messages.map(({ message }) => message);
}

test('the linter finds a broken wall in imports, dynamic imports and types', async () => {
  const wall = expect.stringContaining('src/mongo/ may not import src/labs/');
  expect(await lint('src/mongo/client.js', "import { labs } from '../labs/index.js';\n\nlabs.toString();\n")).toEqual([wall]);
  expect(await lint('src/mongo/client.js', "await import('../labs/index.js');\n")).toEqual([wall]);
  expect(await lint('src/mongo/client.js', "/** @typedef {import('../labs/index.js').labs} Labs */\n")).toEqual([wall]);
  expect(await lint('src/labs/index.js', "await import('../mongo/client.js');\n")).toEqual([]);
});

test('the linter keeps Node.js out of what may run in a browser', async () => {
  const code = "import fs from 'node:fs';\n\nfs.readFileSync('a');\n";
  const browser = [expect.stringContaining('This may run in a browser.')];
  expect(await lint('packages/pool-predictor/src/predict.js', code)).toEqual(browser);
  expect(await lint('packages/pool-monitor/universal/quantity.js', code)).toEqual(browser);
  expect(await lint('packages/pool-predictor/src/node/read-trace.js', code)).toEqual([]);
});

test('a package names each dependency that it imports', async () => {
  expect(await lint('packages/gather/src/gather.js', "import express from 'express';\n\nexpress();\n")).toEqual(
    ['packages/gather/package.json does not declare express']);
  expect(await lint('packages/gather/src/gather.js', "import { MongoClient } from 'mongodb';\n\nnew MongoClient('');\n")).toEqual([]);
});

test('no two modules have one name', async () => {
  const { stdout } = await promisify(execFile)('git', ['ls-files', 'src/*.js', 'packages/*/*.js', ':!*/test/*']);
  const names = stdout.trim().split('\n').map((file) => path.basename(file)).filter((name) => name !== 'index.js');
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
});
