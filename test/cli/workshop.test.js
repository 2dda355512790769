import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { beforeEach, expect, test } from '@jest/globals';
import { readLessons } from '../../src/workshop/lessons.js';
import { createSampleResult } from '../report/sample-result.js';
import { commandsOf } from '../support/commands-of.js';
import { findFreePort } from '../support/free-port.js';
import { runCli } from '../support/run-cli.js';
import { scratchFolder } from '../support/scratch-folder.js';

const nowhere = `http://127.0.0.1:${await findFreePort()}`;
/** @type {string} */
let folder;
beforeEach(async () => {
  folder = await scratchFolder();
});

/** @param {string[]} args */
function workshop(...args) {
  return runCli(['workshop', ...args], { env: { POOL_LAB_DATA: path.join(folder, 'data') } });
}

/** A run with one lane, as the second lesson wants it. */
async function saveResult(startedAt = new Date().toISOString()) {
  const result = createSampleResult({ startedAt });
  result.variants.length = 1;
  Object.assign(result.variants[0].measured ?? {}, { unloaded: { serviceMs: 2 } });
  const saved = path.join(folder, 'results', startedAt.replaceAll(':', '-'));
  await mkdir(saved, { recursive: true });
  await writeFile(path.join(saved, 'mixed.json'), JSON.stringify(result));
}

test('a lesson that is not done says why and exits with 1; a lesson that is done is remembered until the reset', async () => {
  const verify = ['verify', '02-one-lane', '--results', path.join(folder, 'results')];
  await workshop('guess', '2', '18');
  expect(await workshop(...verify)).toMatchObject({
    code: 1, stdout: expect.stringMatching(/^Not yet\. First run it with one lane/),
  });

  await saveResult();
  expect(await workshop(...verify)).toMatchObject({
    code: 0, stdout: expect.stringMatching(/^Right\..+\n\nJudged: .+mixed\.json\n\nWhy, and a twist: pool-lab workshop 02-one-lane\nNext: pool-lab workshop 01/s),
  });
  expect((await workshop()).stdout).toMatch(/02-one-lane .+ 2 of 3 done$/m);

  await workshop('reset');
  expect((await workshop()).stdout).not.toMatch(/ done$/m);
  await workshop('guess', '2', '18');
  expect(await workshop(...verify)).toMatchObject({ code: 1 });
  await saveResult();
  expect(await workshop(...verify)).toMatchObject({ code: 0 });
});

test('a lesson is shown by its name or its number', async () => {
  const [byName, byNumber] = await Promise.all([workshop('02-one-lane'), workshop('2')]);
  expect(byName.stdout).toMatch(/^One lane\n.+\n {4}npx pool-lab run mixed/s);
  expect(byNumber).toEqual(byName);
});

test.each([
  ['an unknown lesson', ['verify', '99'], /There is no lesson "99"\. The lessons are 01-what-a-pool-is, 02/],
  ['a missing guess', ['verify', '4'], /Make a guess first\. With 2 connections/],
  ['a guess that is not a number', ['guess', '4', 'much'], /must be a number/],
  ['an unwanted guess', ['guess', '14', '5'], /14-fleet-budget does not ask for a guess/],
  ['a puzzle that is not there', ['puzzle', '2'], /02-one-lane has no puzzle\. These have one: 03-find/],
  ['hints of a twist', ['hint', '2', '--twist'], /has no hints/],
  ['two parts at once', ['verify', '3', '--twist', '--puzzle'], /Choose one of/],
  ['an app that does not run', ['verify', '1', '--twist', '--app', nowhere], /--app http:.+: connect ECONNREFUSED/],
])('%s is one clear line', async (_, args, message) => {
  const { code, stdout, stderr } = await workshop(...args);
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toMatch(message);
  expect(stderr).not.toMatch(/^ +at /m);
});

test('what was done stays done when a new lesson moves it', async () => {
  const file = path.join(folder, 'data', 'workshop.json');
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(file, '{"lessons":{"10-batching":{"doneAt":"2026-01-01T00:00:00.000Z"},"99-gone":{"doneAt":"2026-01-01T00:00:00.000Z"}}}');
  const { stdout } = await workshop();
  expect(stdout.split('\n').filter((line) => /✓|done|\[x\]/i.test(line)).join('\n')).toContain('11-batching');
  await workshop('reset');
});

test('invalid files are named, and not changed', async () => {
  const file = path.join(folder, 'data', 'workshop.json');
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(file, '{"lessons":{"04-predict-then-reveal":{"guess":{"value":"11"}}}}');
  expect(await workshop()).toMatchObject({ code: 1, stderr: expect.stringContaining(`${file} does not contain`) });
  await writeFile(file, '{"lessons":null}');
  expect(await workshop()).toMatchObject({
    code: 1, stderr: expect.stringContaining(`${file} does not contain the progress of the workshop`),
  });
  expect(await readFile(file, 'utf8')).toBe('{"lessons":null}');
  await workshop('reset');

  await workshop('guess', '2', '18');
  await saveResult();
  const broken = path.join(folder, 'results', 'broken');
  await mkdir(broken);
  await writeFile(path.join(broken, 'mixed.json'), '{');
  expect(await workshop('verify', '2', '--results', path.join(folder, 'results'))).toMatchObject({
    code: 1, stderr: expect.stringContaining(`${path.join(broken, 'mixed.json')} is not JSON`),
  });
});

test('a check that throws is an error that names the lesson and the cause', async () => {
  const saved = path.join(folder, 'results', 'odd');
  await mkdir(saved, { recursive: true });
  await writeFile(path.join(saved, 'mixed.json'), JSON.stringify(createSampleResult({ variants: [] })));
  await workshop('guess', '2', '18');
  expect(await workshop('verify', '2', '--results', path.join(folder, 'results'))).toEqual({
    code: 1, stdout: '', stderr: expect.stringMatching(/^The check of lesson 02-one-lane failed: .*undefined.*\n$/),
  });
});

test('without an app it says how to start one, and mentions no option that nobody typed', async () => {
  const { port } = new URL(nowhere);
  const { code, stderr } = await runCli(['workshop', 'verify', '1', '--twist'], {
    env: { POOL_LAB_DATA: path.join(folder, 'data'), PORT: port },
  });
  expect({ code, stderr }).toEqual({ code: 1, stderr: `the app at ${nowhere}: connect ECONNREFUSED 127.0.0.1:${port}; `
    + 'start it with npm start, or choose another one with --app\n' });
});

test('the explanation comes after the check, unless somebody asks for it', async () => {
  expect((await workshop('2')).stdout).not.toMatch(/^Why$/m);
  expect((await workshop('2')).stdout).toContain('--all shows them now');
  expect((await workshop('2', '--all')).stdout).toMatch(/^Why$/m);
  await workshop('guess', '2', '20');
  await saveResult();
  await workshop('verify', '2', '--results', path.join(folder, 'results'));
  expect((await workshop('2')).stdout).toMatch(/^Why$/m);
});

test('three hints, one per call, the last one being the answer; a number asks for one of them', async () => {
  const hints = [];
  for (let call = 0; call < 4; call++) hints.push((await workshop('hint', '14')).stdout);
  expect(hints.map((text) => text.slice(0, 11))).toEqual(['Hint 1 of 3', 'Hint 2 of 3', 'Hint 3 of 3', 'Hint 3 of 3']);
  expect(hints[2]).toContain('the answer: 7 - 2 = 5');
  expect((await workshop('hint', '14', '--step', '1')).stdout).toBe(hints[0]);
  expect((await workshop('hint', '3', '--puzzle')).stdout).toMatch(/^Hint 1 of 3: With 2 lanes/);
  expect(await workshop('hint', '14', '--step', '4')).toMatchObject({ code: 1, stderr: expect.stringContaining('from 1 to 3') });
});

test('every puzzle names a command that tells what can be changed', async () => {
  const commands = (await readLessons()).flatMap(({ puzzle }) => (puzzle ? commandsOf(puzzle.text) : []));
  expect(commands).toHaveLength(5);
  for (const command of new Set(commands)) {
    expect(await runCli(command.split(' ').slice(2))).toMatchObject({ code: 0, stdout: expect.stringContaining('Options:') });
  }
});

test('a puzzle has a text and a check of its own', async () => {
  expect((await workshop('puzzle', '3')).stdout).toMatch(/^Two lanes must do\n/);
  expect(await workshop('verify', '3', '--puzzle', '--results', folder)).toMatchObject({ code: 1, stdout: expect.stringMatching(/^Not yet/) });
});

test('check-all looks at every lesson, twist and puzzle', async () => {
  await workshop('guess', '2', '20');
  await saveResult();
  await workshop('verify', '14', '--answer', '5');
  const { code, stdout } = await workshop('check-all', '--results', path.join(folder, 'results'), '--app', nowhere);
  expect(code).toBe(1);
  expect(stdout).toMatch(/^02-one-lane: right$/m);
  expect(stdout).toMatch(/^14-fleet-budget: right$/m);
  expect(stdout).toMatch(/^03-find-the-knee\/puzzle: not yet\./m);
  expect(stdout).toMatch(/^13 of 15 lessons are open\.$/m);
});

test('a guess after the measurement gets no points', async () => {
  await saveResult();
  await workshop('guess', '2', '20');
  expect((await workshop('verify', '2', '--results', path.join(folder, 'results'))).stdout).toContain('No points for your guess: it came after');
});
