import { mkdir, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from '@jest/globals';
import { createSampleResult } from '../report/sample-result.js';
import { runCli } from '../support/run-cli.js';
import { runNode } from 'test-support/processes.js';
import { scratchFolder } from 'test-support/cleanup.js';

/** @param {string} text */
const widthOf = (text) => Math.max(...text.split('\n').map((line) => line.length));

test('pool-lab alone shows the next lesson, the last result and three commands', async () => {
  const [cwd, POOL_LAB_DATA] = [await scratchFolder(), await scratchFolder()];
  await writeFile(
    path.join(POOL_LAB_DATA, 'workshop.json'),
    JSON.stringify({ lessons: { '01-what-a-pool-is': { doneAt: '2026-11-20T14:00:00.000Z' } } }),
  );
  const save = async (/** @type {string} */ name, /** @type {string} */ text, /** @type {number} */ atSec) => {
    const file = path.join(cwd, 'results', name, 'mixed.json');
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, text);
    await utimes(file, atSec, atSec);
  };
  await save('a', JSON.stringify(createSampleResult({ startedAt: '2026-11-21T10:00:00.000Z' })), 2000);
  await save('b', JSON.stringify(createSampleResult()), 1000);
  await save('no-result', '{}', 3000);
  const { code, stdout, stderr } = await runNode([path.resolve('lab/cli.js')], { cwd, env: { POOL_LAB_DATA } });
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  const [lesson, result, commands] = stdout.trimEnd().split('\n\n');
  expect(lesson).toBe('Next lesson: 2 of 15, A pool of one connection (4 min)\n  pool-lab workshop 02-one-lane');
  expect(result).toMatch(
    /^Last result: .*, 21 November 2026 at 10:00 UTC\. [^]*\n {2}pool-lab report results.a.mixed\.json$/,
  );
  expect(commands.match(/^ {2}pool-lab /gm)).toHaveLength(3);
  expect(widthOf(stdout)).toBeLessThanOrEqual(80);
});

test('--help groups the commands, each group with an example that exists', async () => {
  const { stdout } = await runCli(['--help']);
  const groups = stdout.split('\n\n').slice(3);
  expect(groups.map((group) => group.split(':')[0])).toEqual([
    'Learn',
    'Your app',
    'Predict',
    'Experiments',
    'Operate',
  ]);
  for (const group of groups) {
    const [, command] = /\n {2}e\.g\. pool-lab (\w+)/.exec(group) ?? [];
    expect(group).toMatch(new RegExp(`^ {2}${command} `, 'm'));
  }
  expect(widthOf(stdout)).toBeLessThanOrEqual(80);
});

test('run alone says how long each experiment takes, and explains the words of handles and sessions', async () => {
  const { stdout } = await runCli(['run']);
  expect(stdout).toMatch(/^mixed: .* \(about 1 min\)$/m);
  expect(stdout.match(/^\w+: .* \(about \d+ (?:s|min)\)$/gm)).toHaveLength(8);
  for (const word of ['handle', 'gathered', 'session', 'clone'])
    expect(stdout).toMatch(new RegExp(`^  ${word}: `, 'm'));
});
