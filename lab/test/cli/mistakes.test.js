import { createServer } from 'node:net';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { cleanUp, scratchFolder } from 'test-support/cleanup.js';
import { listen } from 'test-support/processes.js';
import { joinLines } from '../../../test/support/commands-of.js';
import { pathOf } from '../../cli/fill-command.js';
import { hintAtFile } from '../../cli/file-hints.js';
import { findNearest } from '../../cli/nearest-word.js';
import { createProgram } from '../../cli/program.js';
import { expectRefused, runCli } from '../support/run-cli.js';

/** @import { Command } from 'commander' */

const TRACE = 'examples/slow-deploy.jsonl';
const README = joinLines(await readFile('README.md', 'utf8'));

const commands = listAll(await createProgram())
  .map(pathOf)
  .filter((words) => words !== 'pool-lab');

const folder = await scratchFolder();
const server = createServer();
const takenPort = String(await listen(server));
cleanUp(() => server.close());

/** @param {Command} command @returns {Command[]} it and all below it */
function listAll(command) {
  return [command, ...command.commands.flatMap(listAll)];
}

/** The arguments of a line to copy. @param {string} line */
function argsOf(line) {
  const words = [...line.matchAll(/'[^']*'|\S+/g)].map(([word]) => word);
  return words.slice(words.indexOf('pool-lab') + 1).map((word) => word.replaceAll("'", ''));
}

describe('an answer says what to type next', () => {
  test.each([
    ['an experiment alone', ['mixed'], "unknown command 'mixed'", 'npx pool-lab run mixed?'],
    ['with an option of its own', ['mixed', '--pool-sizes', '1'], "unknown command 'mixed'", 'npx pool-lab run mixed?'],
    [
      'a list',
      ['list'],
      "unknown command 'list'",
      'npx pool-lab run, which lists the experiments, or npx pool-lab work',
    ],
    ['a swapped letter', ['wacth', '--', 'node'], "unknown command 'wacth'", 'npx pool-lab watch?'],
    ['help about nothing', ['help', 'advice'], "unknown command 'advice'", 'npx pool-lab advise?'],
    ['help about a part', ['help', 'workshop', 'gues'], "unknown command 'gues'", 'npx pool-lab workshop guess?'],
    ['a wrong experiment', ['run', 'mixd'], "there is no experiment 'mixd', only mixed, ", 'npx pool-lab run mixed?'],
    ['a wrong part', ['workshop', 'hnit', '2'], "no lesson or command 'hnit'", 'npx pool-lab workshop hint?'],
    ['a part that comes late', ['workshop', '1', 'guess', '5'], "command 'guess'", 'npx pool-lab workshop guess?'],
    ['a command of the top', ['workshop', 'case', '1'], "no lesson or command 'case'", 'npx pool-lab case?'],
  ])('%s', async (_, args, problem, meant) => {
    const { code, stdout, stderr } = await runCli(args);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    const [first, second, third] = stderr.split('\n');
    expect([first, second]).toEqual([
      expect.stringContaining(problem),
      expect.stringContaining(`(Did you mean ${meant}`),
    ]);
    // A second example would distract.
    expect(third).toMatch(/^\(see npx pool-lab.* --help\)$/);
  });

  test('nobody guesses what a word may mean that is like no other', async () => {
    const { stderr } = await runCli(['xylophone']);
    expect(stderr).toMatch(/^error: unknown command 'xylophone'\nFor example:\n {2}npx pool-lab run mixed\n/);
    await expectRefused(['workshop', '1', '2'], /^error: one lesson at a time: leave out '2'\nFor example:\n/);
  });

  test.each([
    ['no goal', ['advise', '--trace', TRACE]],
    ['no sizes', ['sweep', 'loadtests/mixed.yaml', '--', 'node', 'app.js']],
    ['no command', ['watch']],
    ['no name', ['workshop', 'join', 'ABC234']],
    ['no number', ['workshop', 'guess', '1', 'twelve']],
    ['no file', ['record', '--url', 'http://127.0.0.1:1']],
    ['no process', ['attach', 'my-app']],
    ['an unknown option', ['replay', TRACE, '--to', 'page.html']],
  ])('%s: the line of its help', async (_, args) => {
    const { code, stdout, stderr } = await runCli(args);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    const words = args[0] === 'workshop' ? args.slice(0, 2) : args.slice(0, 1);
    const { stdout: help } = await runCli(['help', ...words]);
    const example = /\nFor example:\n {2}npx pool-lab .+\n$/.exec(help)?.[0].trim();
    expect(stderr).toMatch(/^error: /);
    expect(stderr.split('\n').slice(1).join('\n')).toBe(`${example}\n(see npx pool-lab ${words.join(' ')} --help)\n`);
  });

  test('an address without http:// is no file', async () => {
    await expectRefused(
      ['doctor', '127.0.0.1:9000'],
      /^There is no file 127\.0\.0\.1:9000\..*\n {2}npx pool-lab doctor http:\/\/127\.0\.0\.1:9000\n$/,
    );
    const file = path.join(await scratchFolder(), 'host:1');
    await writeFile(file, '');
    await expectRefused(['doctor', file], /is empty/);
  });

  test.each([
    ['doctor', ['doctor', 'http://127.0.0.1:1']],
    ['record', ['record', '--url', 'http://127.0.0.1:1', '--out', path.join(folder, 'never.jsonl')]],
    ['predict', ['predict', 'loadtests/mixed.yaml', '--app', 'http://127.0.0.1:1']],
  ])('%s at a dead port: how to start an app there', async (_, args) => {
    await expectRefused(
      args,
      /does not answer GET \/pool .*\n.*\n {2}npx pool-lab watch --port 9000 -- node app\.js\n/,
    );
  });

  test('a token that is too short: one that is accepted', async () => {
    const { stderr } = await runCli(['class', '--token', 'short']);
    const [, token] = /at least 16 characters: .*, such as (\S+)\n/.exec(stderr) ?? [];
    const sheet = path.join(folder, 'sheet.html');
    expect(await runCli(['class', '--token', token, '--sheet', sheet])).toMatchObject({ code: 0, stderr: '' });
    expect((await runCli(['class', '--token', 'short'])).stderr).not.toContain(token);
  });

  test.each([
    ['watch', ['watch', '--port', takenPort, '--', 'node', 'app.js']],
    ['class', ['class', '--port', takenPort]],
  ])('%s at a port in use', async (_, args) => {
    await expectRefused(
      args,
      /^--port \d+ is in use on 127\.0\.0\.1: stop what listens there, or choose another port \(0 takes any free one\)\n$/,
      { env: { POOL_LAB_DATA: folder } },
    );
  });

  test('a file that is not there, a folder, and a file where a folder is needed', async () => {
    const files = await scratchFolder();
    await mkdir(path.join(files, 'traces'));
    await writeFile(path.join(files, 'monday.jsonl'), '');
    const at = (/** @type {string} */ name) => path.join(files, name);
    for (const [args, hint] of [
      [['doctor', at('mondy.jsonl')], `(Did you mean ${at('monday.jsonl')}?)`],
      [['predict', '--trace', at('never.jsonl')], `(Looked in ${files}.)`],
      [['report', at('no-such/never.json')], `(There is no folder ${at('no-such')}.)`],
      [['replay', at('traces')], '(It is a folder: name a file in it.)'],
      [['run', 'mixed', '--out', at('monday.jsonl')], '(It is a file, where a folder is needed.)'],
    ]) {
      const { code, stderr } = await runCli([...args]);
      expect({ code, lines: stderr.split('\n') }).toEqual({ code: 1, lines: [expect.any(String), hint, ''] });
    }
    // What record finds, where an app runs.
    const cause = await writeFile(at('monday.jsonl'), '', { flag: 'wx' }).catch((error) => error);
    expect(await hintAtFile(new Error('', { cause }))).toBe('Choose another name, or move the file away.');
    await expectRefused(['replay', TRACE, '--out', at('traces')], /can't be written: it is a folder\. Choose another/);
  });
});

describe('examples', () => {
  /** @param {string} words that lead to a command */
  async function readHelp(words) {
    const { stdout } = await runCli([...words.split(' ').slice(1), '--help']);
    const example = String(/\nFor example:\n {2}(npx pool-lab .+)\n$/.exec(stdout)?.[1]);
    return { stdout, example };
  }

  test.each(commands)('%s', async (words) => {
    const { stdout, example } = await readHelp(words);
    /** @type {string[]} */
    const ran = [];
    const program = await createProgram();
    for (const command of listAll(program)) command.action(() => void ran.push(pathOf(command)));
    await program.parseAsync(argsOf(example), { from: 'user' });
    expect(ran).toEqual([expect.stringMatching(new RegExp(`^${words}`))]);
    expect(stdout).toMatch(/^Usage: /);
    const lines = stdout.split('\n').filter((line) => !line.includes(example));
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(80);
  });

  test.each(['watch', 'doctor', 'record', 'advise', 'sweep'])('that of %s is the one of README.md', async (name) => {
    expect(README).toContain((await readHelp(`pool-lab ${name}`)).example);
  });
});

test.each([
  ['wacth', 'watch'],
  ['wtahc', 'watch'],
  ['MIXED', 'mixed'],
  ['mix', 'mixed'],
  ['run', 'run'],
  ['runn', 'run'],
  ['advice', 'advise'],
  ['ab', undefined],
  ['', undefined],
])('%s is near %s', (word, nearest) => {
  expect(findNearest(word, ['workshop', 'watch', 'run', 'mixed', 'advise'])).toBe(nearest);
});
