import { once } from 'node:events';
import { readFile, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from '@jest/globals';
import { readLessons } from '../../../workshop/lessons.js';
import { commandsOf } from '../../../../test/support/commands-of.js';
import { expectRefused, runCli } from '../../support/run-cli.js';
import { scratchFolder } from 'test-support/cleanup.js';
import { until } from 'test-support/waiting.js';
import { firstWhere, readClassEvents, spawnClass } from './serve-class.js';

const folder = await scratchFolder();
const teacher = { POOL_LAB_DATA: path.join(folder, 'teacher') };
const learner = { POOL_LAB_DATA: path.join(folder, 'learner') };

/** @param {string[]} args */
async function openClass(...args) {
  const { child, url, code, said } = await spawnClass(args, { cwd: folder, env: teacher });
  return {
    url,
    code,
    said: said(),
    async end() {
      child.kill('SIGINT');
      expect(await once(child, 'exit')).toEqual([0, null]);
      return said();
    },
  };
}

/** @param {string[]} args */
const workshop = (...args) => runCli(['workshop', ...args], { env: learner });

test('a learner joins from a terminal; guesses and verdicts arrive; a class that was away gets what it missed', async () => {
  const first = await openClass('--port', '0');
  expect(await workshop('join', `${first.url}/join/${first.code}`, '--name', 'Ada')).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^You are in, Ada\./),
  });
  await workshop('guess', '2', '15');
  const room = () => firstWhere(readClassEvents(`${first.url}/class/events`), () => true);
  expect((await room()).people).toMatchObject([{ name: 'Ada' }]);
  expect(await first.end()).toContain("The room's result: class.html");
  expect(await readFile(path.join(folder, 'class.html'), 'utf8')).toContain('Ada');

  const away = await workshop('verify', '14', '--answer', '5');
  expect(away).toMatchObject({ code: 0, stderr: expect.stringContaining("Can't reach the class") });

  const again = await openClass('--port', new URL(first.url).port);
  expect(again).toMatchObject({ code: first.code, said: expect.stringContaining('(1 learner).') });
  await workshop('guess', '1', '4');
  const file = path.join(folder, 'teacher', 'class.json');
  await until(
    'all of it is stored',
    async () => Object.keys(JSON.parse(await readFile(file, 'utf8')).learners[0].work).length === 3,
  );
  expect(JSON.parse(await readFile(file, 'utf8')).learners[0].work).toEqual({
    '02-one-lane': { failed: 0, guess: 15 },
    '14-fleet-budget': { failed: 0, verdict: true, figures: { measured: null, points: [] } },
    '01-what-a-pool-is': { failed: 0, guess: 4 },
  });
  expect((await stat(file)).mode & 0o077).toBe(0);

  expect((await workshop('leave')).stdout).toBe('You have left the class.\n');
  const known = await readFile(file, 'utf8');
  await workshop('guess', '3', '4');
  expect((await workshop('leave')).stdout).toBe('You are in no class.\n');
  await again.end();
  expect(await readFile(file, 'utf8')).toBe(known);
  await writeFile(file, '{"code":1}');
  expect(await runCli(['class', '--port', '0'], { env: teacher })).toMatchObject({
    code: 1,
    stderr: expect.stringContaining(`${file} does not contain a class`),
  });
});

test('the sheet is one file with the question of each lesson', async () => {
  const file = path.join(folder, 'sheet.html');
  expect(await runCli(['class', '--sheet', file])).toEqual({ code: 0, stdout: `Sheet: ${file}\n`, stderr: '' });
  const sheet = await readFile(file, 'utf8');
  for (const { title, guess } of await readLessons()) {
    expect(sheet).toContain(title);
    if (guess) expect(sheet).toContain(guess.question);
  }
  expect(sheet).not.toMatch(/<script|(?:src|href)="(?!data:)/);
});

// The same commands are run above, with the code of a real class.
test('the teaching page names commands of the class, and no others', async () => {
  expect(commandsOf(await readFile('lessons/teaching.md', 'utf8'))).toEqual([
    'npx pool-lab class',
    'npx pool-lab workshop join http://127.0.0.1:3300/join/ABC234 --name Ada',
    'npx pool-lab class --sheet sheet.html',
  ]);
});

test.each([
  [
    'a network without a token',
    ['class', '--host', '0.0.0.0'],
    /--host 0\.0\.0\.0 opens the class to the network.+\n +--token \S{20,}/s,
  ],
  ['a short token', ['class', '--token', 'short'], /at least 16 letters/],
  ['a link that is none', ['workshop', 'join', 'http://', '--name', 'Ada'], /must be a link such as/],
  [
    'a class that is not there',
    ['workshop', 'join', 'ABC234', '--at', 'http://127.0.0.1:9', '--name', 'Ada'],
    /reach the class/,
  ],
  ['no name', ['workshop', 'join', 'ABC234'], /--name/],
])('%s is one clear error', async (_, args, message) => {
  await expectRefused(args, message, {
    env: { ...learner, POOL_LAB_DATA: path.join(folder, 'other') },
  });
});
