import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, readFile, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { PassThrough } from 'node:stream';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, test } from '@jest/globals';
import { scratchFolder } from 'test-support/cleanup.js';
import { traceText } from 'test-support/trace-text.js';
import { runNode } from 'test-support/processes.js';
import { until } from 'test-support/waiting.js';
import { confirm } from '../../cli/confirm.js';
import { StatusLine } from '../../cli/status-line.js';
import { createRunProgress, ProgressBar } from '../../cli/progress-bar.js';
import { createSampleResult } from '../report/sample-result.js';
import { runCli } from '../support/run-cli.js';
import { serveHandler } from '../../../test/support/serve-app.js';

describe('colours', () => {
  /** What else Node.js asks for colours: in CI, a terminal has none. */
  const PLAIN = { CI: '', NO_COLOR: '', FORCE_COLOR: '', NODE_DISABLE_COLORS: '', TERM: 'xterm-256color' };
  /** Gives a command a terminal. */
  const SCRIPT = '/usr/bin/script';
  const withTerminal = process.platform === 'linux' && existsSync(SCRIPT) ? test : test.skip;

  /** @param {string} command @param {Record<string, string>} [changes] */
  async function runInTerminal(command, changes) {
    const all = Object.entries({ ...process.env, ...PLAIN, ...changes }).filter(([, value]) => value);
    const args = ['-qec', `${process.execPath} ${command}`, '/dev/null'];
    // The doctor exits with 2 where there is a problem.
    const run = promisify(execFile)(SCRIPT, args, { env: Object.fromEntries(all) });
    return (await run.catch((error) => error)).stdout;
  }

  withTerminal('a terminal has colours', async () => {
    const services = '--service /slow=50 --service /fast=2 --pool-sizes 1..3';
    const stdout = await runInTerminal(`lab/cli.js predict loadtests/mixed.yaml ${services}`);
    expect(stdout).toMatch(/^pool /m);
    expect(stdout).toContain('\u001b[32m');
  });

  withTerminal.each([
    [{ NO_COLOR: '1' }, '', 'none'],
    [{ TERM: 'dumb' }, '', 'none'],
    [{}, '', 'some'],
    [{}, ' | cat', 'none'],
    [{ FORCE_COLOR: '1' }, ' | cat', 'some'],
  ])('%j%s: %s', async (changes, pipe, colours) => {
    const script = path.join(await scratchFolder(), 'colours.mjs');
    const module = pathToFileURL(path.resolve('lab/base/paint.js')).href;
    await writeFile(
      script,
      `import { choosePaint } from ${JSON.stringify(module)};
console.log(choosePaint(process.stdout) ? 'some' : 'none');`,
    );
    expect(await runInTerminal(script + pipe, changes)).toContain(colours);
  });

  withTerminal('the answer is bold', async () => {
    const trace = 'examples/slow-deploy.jsonl';
    for (const [command, answer] of [
      [
        "advise --trace examples/ordinary-minute.jsonl --slo '/fast p95 < 100ms'",
        '\u001b[1m\u001b[32m14 connections: 12 meet /fast p95 < ',
      ],
      [`predict --trace ${trace}`, '\u001b[1mBest guess: 14 connections, because'],
      [`replay ${trace} --out ${path.join(await scratchFolder(), 'page.html')}`, '\u001b[1m68 % of the requests wait'],
    ])
      expect(await runInTerminal(`lab/cli.js ${command}`)).toContain(answer);
  });

  test('a pipe has none, unless FORCE_COLOR asks for them', async () => {
    const args = ['lab/cli.js', 'doctor', 'examples/slow-deploy.jsonl'];
    const [plain, forced] = await Promise.all([runNode(args), runNode(args, { env: { FORCE_COLOR: '1' } })]);
    expect(plain.stdout).toMatch(/^68 % of the requests wait/);
    expect(forced.stdout).toBe(plain.stdout.replace(/^[^]+?(?=\n\n)/, (verdict) => `\u001b[1m${verdict}\u001b[22m`));
  });
});

describe('a question', () => {
  /** @param {string} typed @param {AbortSignal} [signal] */
  function ask(typed, signal = new AbortController().signal) {
    const [input, output] = [new PassThrough(), new PassThrough()];
    input.end(typed);
    return confirm('Go on?', { input, output, signal });
  }

  test.each([
    ['y\n', true],
    ['Yes\n', true],
    ['n\n', false],
    ['\n', false],
    ['yesterday\n', false],
    ['', false],
  ])('typing %j means %p', async (typed, yes) => {
    expect(await ask(typed)).toBe(yes);
  });

  test('a signal ends the question', async () => {
    const interrupt = new AbortController();
    const asked = confirm('Go on?', { input: new PassThrough(), output: new PassThrough(), signal: interrupt.signal });
    interrupt.abort(new Error('Interrupted'));
    await expect(asked).rejects.toThrow('Interrupted');
  });
});

describe('progress', () => {
  /** @param {object} terminal */
  function openStream(terminal) {
    const stream = Object.assign(new PassThrough(), {
      cursorTo: (/** @type {number} */ x) => stream.write(`<to ${x}>`),
      clearLine: () => stream.write('<clear>'),
      ...terminal,
    });
    return /** @type {any} */ (stream);
  }

  test('a terminal has one line that changes, and lines that remain above it', async () => {
    const stream = openStream({ isTTY: true, columns: 50 });
    let said = '';
    stream.on('data', (/** @type {Buffer} */ chunk) => {
      said += chunk;
    });
    const status = new StatusLine(stream, () => 'too long '.repeat(10), 1);
    await until('the line', () => said.includes('too long'));
    status.report('remains');
    status.stop();
    await until('the end', () => said.endsWith('<to 0><clear>'));
    expect(said).toContain(`<clear>${'too long '.repeat(10).slice(0, 49)}<to 0>`);
    expect(said).toContain('<to 0><clear>remains\n');
  });

  test('elsewhere there is a line now and then', async () => {
    const stream = openStream({});
    let said = '';
    stream.on('data', (/** @type {Buffer} */ chunk) => {
      said += chunk;
    });
    const status = new StatusLine(stream, () => 'a line that is long', 1);
    await until('two lines', () => said.includes('a line that is long\na line that is long\n'));
    status.stop();
    expect(said).not.toContain('<');
  });

  test('a long line about a step is wrapped', () => {
    const stream = openStream({});
    const progress = new ProgressBar(stream);
    progress.step({ name: 'even, 50 %, '.repeat(10), leftMs: 43_000, totalMs: 50_000, estimateMs: 43_000 });
    const lines = String(stream.read()).trimEnd().split('\n');
    expect(lines.filter((line) => line.length > 80)).toEqual([]);
    expect(lines).toHaveLength(2);
    expect(lines.at(-1)).toMatch(/about 43 s left$/);
  });

  test.each(
    /** @type {const} */ ([
      [{}, /^pool 2\n$/],
      [{ isTTY: true, columns: 80, cursorTo: () => true, clearLine: () => true }, /^pool 2: \d+ s so far$/],
    ]),
  )('a step of unknown length has no time left: %j', (terminal, said) => {
    const stream = openStream(terminal);
    const progress = new ProgressBar(stream);
    progress.step({ name: 'pool 2', leftMs: NaN, totalMs: NaN, estimateMs: NaN });
    progress.stop();
    expect(String(stream.read())).toMatch(said);
  });

  /** @param {boolean} isTTY */
  function createProgress(isTTY) {
    const stream = Object.assign(new PassThrough(), {
      isTTY,
      columns: 80,
      cursorTo: () => true,
      clearLine: () => true,
      moveCursor: () => true,
    });
    let nowMs = 0;
    const progress = createRunProgress(/** @type {any} */ (stream), () => nowMs);
    return {
      /** @param {number} ms @param {number} done */
      at(ms, done) {
        nowMs = ms;
        progress.onProgress({ step: 'load x1, 8 connections', done, total: 100 });
      },
      say: progress.say,
      stop: progress.stop,
      text: () => String(stream.read() ?? ''),
    };
  }

  describe('simulation runs', () => {
    test('on a terminal there is nothing in the first second, then a bar with the time left', () => {
      const { at, stop, text } = createProgress(true);
      at(900, 20);
      expect(text()).toBe('');
      at(2000, 25);
      expect(text()).toContain('25%  6 s left  simulating load x1, 8 connections');
      stop();
    });

    test('what is known already is shown at once, whole, and in place of the step', () => {
      const { at, say, stop, text } = createProgress(true);
      say('about 14 connections in 8 runs, checking with 99 runs');
      at(400, 20);
      expect(text()).toContain('about 14 connections in 8 runs, checking with 99 runs: 20%, 2 s left');
      stop();
    });

    test('elsewhere there is a line every ten seconds', () => {
      const { at, stop, text } = createProgress(false);
      at(2000, 5);
      at(9900, 20);
      expect(text()).toBe('');
      at(10_000, 25);
      at(12_000, 30);
      expect(text()).toBe('simulating load x1, 8 connections: about 30 s left\n');
      at(20_000, 50);
      expect(text()).toBe('simulating load x1, 8 connections: about 20 s left\n');
      stop();
    });
  });
});

describe('the start', () => {
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
    expect(lesson).toBe('Next lesson: 2 of 16, A pool of one connection (4 min)\n  npx pool-lab workshop 02-one-lane');
    expect(result).toMatch(
      /^Last result: .*, 21 November 2026 at 10:00 UTC\. [^]*\n {2}npx pool-lab report results.a.mixed\.json$/,
    );
    expect(commands.match(/^ {2}npx pool-lab /gm)).toHaveLength(3);
    const columns = commands.split('\n').map((line) => line.search(/(?<=\S {2,})\S/));
    expect(new Set(columns).size).toBe(1);
    expect(columns[0]).toBeGreaterThan(0);
    expect(widthOf(stdout)).toBeLessThanOrEqual(80);
  });

  test('--help groups the commands, each group with an example that exists', async () => {
    const { stdout } = await runCli(['--help']);
    const groups = stdout.split('\n\n').slice(3);
    expect(stdout).toMatch(/^ {2}case /m);
    expect(stdout).toMatch(/^ {2}replay /m);
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
});

describe('text from outside', () => {
  /** Changes the title of a terminal and reverses its text. */
  const HOSTILE = '\u001b]0;owned\u0007\u009b31m\u202e';

  test.each([
    ['option', ['run', 'mixed', '--urll=mongodb://user:hunter2@host/']],
    ['command', ['mongodb://user:hunter2@host/']],
    ['file', ['predict', 'mongodb://user:hunter2@host/']],
  ])('masks a password in an unknown %s', async (_, args) => {
    const { code, stderr } = await runCli([...args]);
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringMatching(/\*\*\*@host\/(?![^]*hunter2)/) });
  });

  test('escapes control characters in results and advice', async () => {
    const folder = await scratchFolder();
    const [result, trace] = [path.join(folder, 'result.json'), path.join(folder, 'trace.jsonl')];
    await writeFile(result, JSON.stringify(createSampleResult({ startedAt: HOSTILE, warnings: [HOSTILE] })));
    const checkouts = Array.from({ length: 20 }, (_, atMs) => ({ atMs, useMs: 1, route: HOSTILE }));
    await writeFile(trace, traceText({ checkouts }));
    const shown = await Promise.all([
      runCli(['report', result, '--out', path.join(folder, 'report.html')]),
      runCli(['predict', '--trace', trace, '--pool-sizes', '1', '--seeds', '19']),
      runCli(['advise', '--trace', trace, '--slo', `${HOSTILE} p99 < 1 s`]),
    ]);
    for (const { stdout } of shown) {
      expect(stdout).toContain('owned');
      expect(stdout).not.toMatch(/(?!\n)\p{Cc}|\p{Bidi_Control}/u);
    }
  });

  test('a class can not control the terminal of a learner', async () => {
    const POOL_LAB_DATA = await scratchFolder();
    const url = await serveHandler((req, res) => {
      const isJoin = req.url === '/join/ABC234/learners';
      res.writeHead(isJoin ? 201 : 400, { 'Content-Type': 'application/json' });
      res.end(
        JSON.stringify(isJoin ? { learner: 'x', name: `Ada\n${HOSTILE}` } : { detail: `no\n${HOSTILE.repeat(999)}` }),
      );
    });
    const joined = await runCli(['workshop', 'join', `${url}/join/ABC234`, '--name', 'Ada'], {
      env: { POOL_LAB_DATA },
    });
    const refused = await runCli(['workshop', 'guess', '2', '15'], { env: { POOL_LAB_DATA } });
    const failed = await runCli(['workshop', 'join', `${url}/join/OTHER2`, '--name', 'Ada'], {
      env: { POOL_LAB_DATA },
    });
    expect([joined.stdout, refused.stderr, failed.stderr]).toEqual([
      expect.stringMatching(/^You are in, Ada .*owned.*\n$/),
      expect.stringMatching(/^The class refused that: no\s.*owned/),
      expect.stringMatching(/^The class at .* says: no\s.*owned.*\n$/),
    ]);
    for (const { stdout, stderr } of [joined, refused, failed]) {
      expect(stdout + stderr).not.toMatch(/(?!\n)\p{Cc}|\p{Bidi_Control}/u);
      expect(stderr.length).toBeLessThan(500);
    }
  });

  const onLinux = process.platform === 'linux' ? test : test.skip;
  onLinux('hides a password in its arguments from the process list before it loads anything', async () => {
    const child = spawn(
      process.execPath,
      ['lab/cli.js', 'run', 'mixed', '--url', 'mongodb://user:hunter2@127.0.0.1:1/'],
      {
        env: { ...process.env, MONGO_SERVER_SELECTION_TIMEOUT_MS: '5000' },
        stdio: 'ignore',
      },
    );
    const ended = once(child, 'exit');
    const title = await until('it has a title', async () => {
      const text = await readFile(`/proc/${child.pid}/cmdline`, 'utf8');
      return text.startsWith('pool-lab') && text;
    });
    child.kill('SIGKILL');
    await ended;
    expect(title).toMatch(/^pool-lab run mixed\0*$/);
    // Static imports would come first.
    const entry = await readFile('lab/cli.js', 'utf8');
    expect(entry).not.toMatch(/^import /m);
  });

  test('explains what a connection string looks like when one is malformed', async () => {
    const { code, stderr } = await runCli(['run', 'mixed', '--url', '127.0.0.1:27017']);
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr:
        '--url is not a connection string. Write it like ' +
        'mongodb://USER:PASSWORD@HOST:PORT/, and percent-encode special characters, ' +
        'for example @ as %40 and / as %2F.\n',
    });
  });
});
