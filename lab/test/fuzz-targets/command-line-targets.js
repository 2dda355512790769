import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { CommanderError } from 'commander';
import fc from 'fast-check';
import { texts, sentencesOf, changesOf } from 'test-support/fuzz-arbitraries.js';
import { require, requireClear, attempt } from 'test-support/fuzz-outcome.js';
import { traceText } from 'test-support/trace-text.js';
import { createProgram } from '../../cli/program.js';
import { createSampleResult } from '../report/sample-result.js';
import { parsePositive, parseUpTo } from '../../cli/option-parsers.js';
import { labs } from '../../labs/index.js';
import { openReports } from '../../harness/attach-reports.js';

/** @import { Command } from 'commander' */

const run = promisify(execFile);
const CLI = path.resolve('lab/cli.js');
/** These start apps and databases, or don't end by themselves, so they are only parsed. */
const HEAVY = ['run', 'record', 'class', 'case'];
const isHeavy = (/** @type {string[]} */ args) =>
  HEAVY.includes(args[0]) || (args[0] === 'workshop' && args.includes('watch'));
const TRACE = traceText({ checkouts: [{ atMs: 0, useMs: 1 }] });
const SCENARIO = `config: { phases: [{ duration: 1, arrivalCount: 2 }] }
scenarios: [{ flow: [{ get: { url: /fast } }] }]
`;
const FILES = {
  'good.yaml': SCENARIO,
  'bad.yaml': SCENARIO.replace('get', 'gte'),
  'good.jsonl': TRACE,
  'bad.jsonl': TRACE.slice(5),
  'good.json': JSON.stringify(createSampleResult()),
  'bad.json': '{"lab":"mixed","variants":[{}]}',
  empty: '',
};
const VALUES = [
  ...Object.keys(FILES),
  'no-such-file',
  '.',
  'loadtests/mixed.yaml',
  '1',
  '2',
  '1,3',
  '1..3',
  '/fast=2',
  '/slow=5',
  '/fast p99 < 50ms',
  '/fast max < 1 s',
  'checkout p50 < 1s',
  'smoke',
  'http://127.0.0.1:1',
  'published',
  '1.3',
  'written',
  '9'.repeat(12),
  '2147483648',
];
const GOOD = [
  ['run'],
  ['report', 'good.json', '--out', 'written'],
  ['replay', 'good.jsonl', '--out', 'written'],
  ['predict', 'good.yaml', '--service', '/fast=2', '--pool-sizes', '1..3'],
  ['predict', '--trace', 'good.jsonl', '--html', 'written', '--json'],
  ['predict', 'loadtests/mixed.yaml', '--from', 'good.json', '--seeds', '19'],
  ['advise', 'good.yaml', '--slo', '/fast p99 < 50ms', '--service', '/fast=exponential:2'],
  ['advise', '--slo', 'checkout max < 1s', '--trace', 'good.jsonl', '--headroom', '1.5', '--instances', '3'],
  ['workshop', 'verify', '13', '--answer', '5'],
  ['workshop', 'verify', '12', '--answer', '5', '--trace', 'good.jsonl'],
  ['workshop', 'guess', '4', '11'],
  ['workshop', 'hint', '3', '--step', '2'],
  ['workshop', 'watch', '3'],
  ['class', '--port', '0', '--host', '0.0.0.0'],
  ['run', 'mixed', '--slow-ms', '5', '--repeat', '2'],
  ['record', '--url', 'http://127.0.0.1:1', '--out', 'written', '--seconds', '1'],
];
const FLAGS = ['--help', '--json', '-x', '--', '--no-such', '--version'];

const values = fc
  .oneof({ weight: 4, arbitrary: fc.constantFrom(...VALUES) }, { weight: 1, arbitrary: texts })
  // Arguments of processes can't contain these.
  .filter((text) => !/\0|\p{Cs}/u.test(text));
const words = listWords(await createProgram());
const piece = fc.oneof(
  { weight: 3, arbitrary: values.map((value) => [value]) },
  { weight: 3, arbitrary: fc.constantFrom(...words).chain(({ flags }) => fc.tuple(fc.constantFrom(...flags), values)) },
  { weight: 1, arbitrary: fc.constantFrom(...FLAGS).map((flag) => [flag]) },
);
const edits = fc.array(fc.tuple(fc.nat(10), fc.nat(2), piece), { maxLength: 3 });
const starts = fc.constantFrom(...GOOD, ...words.map(({ commands }) => commands));
const argumentLists = fc
  .tuple(starts, edits)
  .map(([args, changes]) =>
    changes.reduce((list, [at, cut, put]) => list.toSpliced(Math.min(at, list.length), cut, ...put), args),
  )
  // Without a word, the start is shown, before Commander sees anything.
  .filter((args) => args.length > 0);

async function openFolder() {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'pool-lab-fuzz-'));
  for (const [name, text] of Object.entries(FILES)) writeFileSync(path.join(folder, name), text);
  cpSync('loadtests', path.join(folder, 'loadtests'), { recursive: true });
  // Only for this thread: the user's progress in the workshop must not change.
  process.env.POOL_LAB_DATA = path.join(folder, 'data');
  return { folder, close: () => rmSync(folder, { recursive: true }) };
}

const LAB_PARSERS = Object.values(labs).flatMap((lab) => Object.values(lab.options).flatMap(({ parse = [] }) => parse));
const CHOICES = ['copy', 'clone', 'fixed', 'gather', 'majority', 'id', 'direct', 'split'];
const NUMBERS = ['0', '1', '3', '10', '20', '999999', '1000000', '9'.repeat(30), '-1', '1.5', '1e3'];

const CLIENT = { name: null, hosts: ['127.0.0.1:27017'], maxPoolSize: 4, replacedMaxPoolSize: 100 };
const REPORT = {
  pid: 7,
  threadId: 0,
  command: 'app.js',
  url: 'http://127.0.0.1:5555/',
  ports: [3000],
  clients: [CLIENT],
};

/** @type {Record<string, import('test-support/fuzz-outcome.js').FuzzTarget>} */
export const targets = {
  'command lines': {
    arbitrary: argumentLists,
    open: openFolder,
    async check(args, { folder }) {
      await runHere(folder, placeIn(folder, args));
    },
  },
  'command lines, as processes': {
    arbitrary: argumentLists,
    share: 0.01,
    open: openFolder,
    async check(args, { folder }) {
      const placed = placeIn(folder, args);
      const expected = await runHere(folder, placed);
      if (expected === 0 && isHeavy(args)) return;
      const running = run(process.execPath, [CLI, ...placed], { cwd: folder, env: process.env, timeout: 15_000 });
      const { code = 0, signal, stdout, stderr } = await running.catch((error) => error);
      require(!signal, `it ended by ${signal}`);
      require(code === expected, `its exit code is ${code} and not ${expected}: ${stderr}`);
      require(code === 0 || (stdout + stderr).trim() !== '', 'it failed without a message');
      require(!/^\s+at .*:\d+/m.test(stderr), `a stack trace: ${stderr}`);
    },
  },
  'options of labs': {
    arbitrary: fc.tuple(
      fc.constantFrom(parsePositive, parseUpTo(7), ...LAB_PARSERS),
      fc.oneof(sentencesOf([...NUMBERS, ...CHOICES, ',', '/', ' ']), texts),
    ),
    check([parse, text]) {
      // Commander prints the option and the value. The parser says what is allowed.
      const values = [attempt(() => parse(text)).value ?? 1].flat();
      const isGood = (/** @type {unknown} */ value) =>
        // Some options take a zero, or a fraction, written as such.
        typeof value === 'number'
          ? Number.isFinite(value) &&
            value >= 0 &&
            (Number(text) === value || (Number.isSafeInteger(value) && value > 0))
          : text.includes(value);
      require(values.length > 0 && values.every(isGood), `it is ${values}`);
    },
  },
  'attach reports': {
    arbitrary: fc.oneof(
      { weight: 4, arbitrary: changesOf([REPORT]).map((report) => JSON.stringify(report)) },
      { weight: 1, arbitrary: texts },
    ),
    open: openReports,
    async check(body, { url, processes }) {
      const { status } = await fetch(url, { method: 'POST', body });
      require(status === 204 || status === 400, `it answered ${status}`);
      for (const report of processes.splice(0)) require(isWhole(report), `it took ${body}`);
    },
  },
};

/** Make all paths point into one folder. @param {string} folder @param {string[]} args */
function placeIn(folder, args) {
  return args.map((arg, index) => {
    if (['--out', '--html'].includes(args[index - 1])) return path.join(folder, arg.replaceAll(/[/\\:]/g, '-'));
    return Object.hasOwn(FILES, arg) || arg.startsWith('loadtests/') ? path.join(folder, arg) : arg;
  });
}

/**
 * Run it in this thread.
 * @param {string} folder for its output
 * @param {string[]} args
 * @returns {Promise<number>} its exit code
 * @throws {Error} for an error without a clear message
 */
async function runHere(folder, args) {
  const program = await createProgram();
  for (const command of listCommands(program)) {
    if (['report', 'replay'].includes(command.name())) command.setOptionValue('out', path.join(folder, 'report.html'));
  }
  for (const command of listCommands(program).filter((each) => isHeavy(pathOf(each)))) {
    if (command.commands.length === 0) command.action(() => {});
  }
  process.exitCode = 0;
  try {
    await program.parseAsync(args, { from: 'user' });
    return Number(process.exitCode);
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode;
    requireClear(error);
    return 1;
  } finally {
    process.exitCode = 0;
  }
}

/** @param {Command} command @returns {string[]} the words that lead to it */
function pathOf(command) {
  return command.parent ? [...pathOf(command.parent), command.name()] : [];
}

/** @param {Command} command @returns {Command[]} it and all below it */
function listCommands(command) {
  return [command, ...command.commands.flatMap(listCommands)];
}

/**
 * List the flags of each command.
 * @param {Command} command
 * @param {string[]} commands that lead to it
 * @returns {{ commands: string[], flags: string[] }[]}
 */
function listWords(command, commands = []) {
  return [
    { commands, flags: ['--help', ...command.options.map(({ long }) => String(long))] },
    ...command.commands.flatMap((child) => listWords(child, [...commands, child.name()])),
  ];
}

/** @param {import('../../harness/attach-reports.js').AttachedProcess} report */
function isWhole({ pid, threadId, command, ports, clients }) {
  return (
    [pid, threadId, ...ports].every(Number.isFinite) &&
    typeof command === 'string' &&
    clients.every(
      ({ hosts, maxPoolSize }) => hosts.every((host) => typeof host === 'string') && Number.isFinite(maxPoolSize),
    )
  );
}
