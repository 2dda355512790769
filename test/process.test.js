import { fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { beforeAll, describe, expect, jest, test } from '@jest/globals';
import { cleanUp, scratchFolder } from 'test-support/cleanup.js';
import { until } from 'test-support/waiting.js';
import { startGuarded } from '../src/process/guarded-process.js';
import { watchOpenFiles } from '../src/process/open-files.js';
import { inScratchFolder } from '../src/process/temp-folder.js';
import { createTestLog } from './support/serve-app.js';
import { isRunning, readProcess } from '../src/process/process-info.js';

describe('the parent', () => {
  /** The shell, on other systems, is replaced by what it runs, or there are no signals. */
  const onLinux = process.platform === 'linux' ? describe : describe.skip;

  /** @type {string} */
  let folder;

  beforeAll(async () => {
    folder = await scratchFolder();
    const module = pathToFileURL(path.resolve('src/process/parent.js')).href;
    await writeFile(
      path.join(folder, 'child.mjs'),
      `import { existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
process.stdout.write('started');
while (!existsSync(process.argv[2])) await sleep(10);
const { onParentGone } = await import(${JSON.stringify(module)});
onParentGone(() => {
  process.stdout.write(' ended');
  process.exit();
});
process.stdout.write(' watches');
while (!existsSync(process.argv[3])) await sleep(10);
// It looks every 250 ms.
await sleep(600);
process.stdout.write(' stayed');`,
    );
  });

  /**
   * Runs the script in a shell, as npm does. Another shell takes npm's place.
   * @param {{ environment?: string, prefix?: string }} [options] environment: what npm sets; prefix: what runs the
   *   script
   */
  async function startInShell({ environment = 'npm_command=start', prefix = '' } = {}) {
    const files = await mkdtemp(path.join(folder, 'files-'));
    const [script, go, stay] = [folder, files, files].map((each, index) =>
      path.join(each, ['child.mjs', 'go', 'stay'][index]),
    );
    const inner = `echo \\$\\$; ${prefix} '${process.execPath}' '${script}' '${go}' '${stay}'; :`;
    const npm = spawn('sh', ['-c', `env ${environment} sh -c "${inner}"; :`], {
      detached: true,
      stdio: ['ignore', 'pipe', 'ignore'],
      env: { PATH: process.env.PATH },
    });
    cleanUp(() => npm.kill('SIGKILL'));
    let output = '';
    let isOver = false;
    npm.stdout.setEncoding('utf8').on('data', (chunk) => (output += chunk));
    npm.stdout.once('end', () => (isOver = true));
    const says = (/** @type {string} */ word) => until(`it says ${word}`, () => output.includes(word));
    await says('started');
    return {
      /** Lets the script watch its parent. */
      async watch() {
        await writeFile(go, '');
        await says('watches');
      },
      /** Lets it look a few times more, and end. */
      stay: () => writeFile(stay, ''),
      npm: Number(npm.pid),
      shell: parseInt(output, 10),
      /** What the script said, once nothing is left that could say anything. */
      async last() {
        await until('all have ended', () => isOver);
        return output.split('started ')[1];
      },
    };
  }

  onLinux('a process in a shell of npm', () => {
    test.concurrent.each(
      /** @type {const} */ ([
        ['npm', 'SIGKILL'],
        ['shell', 'SIGTERM'],
      ]),
    )('ends when the %s gets %s', async (which, signal) => {
      const started = await startInShell();
      await started.watch();
      process.kill(started[which], signal);
      expect(await started.last()).toBe('watches ended');
    });

    test.concurrent.each(/** @type {const} */ (['npm', 'shell']))(
      'ends when the %s has ended before it could look',
      async (which) => {
        const started = await startInShell();
        process.kill(started[which], 'SIGKILL');
        await until('it has ended', () => !isRunning(started[which]));
        await started.watch();
        expect(await started.last()).toBe('watches ended');
      },
    );

    test.concurrent('stays when npm and the shell do', async () => {
      const started = await startInShell();
      await started.watch();
      await started.stay();
      expect(await started.last()).toBe('watches stayed');
    });

    // As where npm started a terminal or tmux, and has ended long ago.
    test.concurrent('stays in a process group of its own', async () => {
      const started = await startInShell({ prefix: 'setsid' });
      process.kill(started.npm, 'SIGKILL');
      await until('npm has ended', () => !isRunning(started.npm));
      await started.watch();
      await started.stay();
      expect(await started.last()).toBe('watches stayed');
    });
  });

  onLinux('a process that npm did not start', () => {
    test.concurrent('may outlive its npm and its shell', async () => {
      const started = await startInShell({ environment: 'other=1' });
      await started.watch();
      for (const pid of [started.npm, started.shell]) process.kill(pid, 'SIGKILL');
      await started.stay();
      expect(await started.last()).toBe('watches stayed');
    });
  });
});

describe('temporary folders', () => {
  /** @type {string} */
  let script;
  beforeAll(async () => {
    script = path.join(await scratchFolder(), 'owner.mjs');
    const module = pathToFileURL(path.resolve('src/process/temp-folder.js')).href;
    await writeFile(
      script,
      `import { makeTempFolder } from ${JSON.stringify(module)};
process.send([await makeTempFolder('mongodb'), await makeTempFolder('artillery')]);
process.on('message', () => {});`,
    );
  });

  /** A process that has made a temporary folder for each use. @param {string} temp */
  async function startOwner(temp) {
    const child = fork(script, { env: { ...process.env, TMPDIR: temp, TEMP: temp } });
    cleanUp(() => child.kill('SIGKILL'));
    const [[mongodb, artillery]] = await once(child, 'message');
    return { child, mongodb, artillery };
  }

  test('what a dead process left over is removed, and nothing else', async () => {
    const temp = await scratchFolder();
    const dead = await startOwner(temp);
    await mkdir(path.join(dead.mongodb, 'member-0'));
    await writeFile(path.join(dead.mongodb, 'member-0', 'data'), 'old');
    const alive = await startOwner(temp);
    // Linux knows when a process started: another one had this id before.
    const reused = alive.mongodb.replace(/-\d+-(\w+)-\w+$/, '-1-$1-reused');
    // The ids of a container that shares the temporary folder are its own.
    const elsewhere = dead.mongodb.replace(/-\w+-\w+$/, '-0123456789ab-elsewhere');
    for (const folder of [reused, elsewhere]) await mkdir(folder);
    dead.child.kill('SIGKILL');
    await once(dead.child, 'exit');

    const { mongodb, artillery } = await startOwner(temp);
    const kept = [alive.mongodb, alive.artillery, elsewhere, ...(process.platform === 'linux' ? [] : [reused])];
    expect((await readdir(temp)).map((name) => path.join(temp, name)).sort()).toEqual(
      [...kept, mongodb, artillery].sort(),
    );
  });
});

// The event that would stop it has passed, so it would run on.
test('what is stopped before it starts never starts', () => {
  const signal = AbortSignal.abort(new Error('stopped'));
  expect(() => startGuarded(process.execPath, ['-e', ''], { signal })).toThrow('stopped');
});

describe('what a command has started in the background', () => {
  /** Windows has no process groups. */
  const onPosix = process.platform === 'win32' ? test.skip : test;

  /**
   * Starts a shell, with an app behind it.
   * @param {{ graceMs: number, onTerm: string, rest: string }} options onTerm: what the app does at SIGTERM; rest: what
   *   the shell does after it has started the app
   */
  async function startShell({ graceMs, onTerm, rest }) {
    const log = path.join(await scratchFolder(), 'log');
    const code = `const say = (word) => require('fs').appendFileSync(process.argv[1], word + ' ');
process.on('SIGTERM', () => { ${onTerm} });
setInterval(() => {}, 1000);
say(process.pid);`;
    const words = ['-c', `"$@" & ${rest}`, 'sh', process.execPath, '-e', code, log];
    const shell = startGuarded('sh', words, { graceMs });
    cleanUp(shell.stop);
    const read = () => readFile(log, 'utf8').catch(() => '');
    const pid = Number(await until('the app runs', async () => parseInt(await read(), 10)));
    return { ...shell, pid, read };
  }
  const END = "setTimeout(() => { say('ended'); process.exit(); }, 300)";
  const UNTIL_READY = 'until [ -s "$4" ]; do sleep 0.1; done; exit 3';
  /** Much longer than the app needs on a busy machine. */
  const LONG_MS = 60_000;

  onPosix('ends by itself after a signal, although the shell has ended at once', async () => {
    const { stop, pid, read } = await startShell({ graceMs: LONG_MS, onTerm: END, rest: 'wait' });
    await stop();
    expect(await read()).toBe(`${pid} ended `);
  });

  onPosix('ends by itself after the command', async () => {
    const { ended, pid, read } = await startShell({ graceMs: LONG_MS, onTerm: END, rest: UNTIL_READY });
    expect(await ended).toBe('exit code 3');
    expect(await read()).toBe(`${pid} ended `);
  });

  onPosix('is killed if it does not end', async () => {
    const { stop, pid, read } = await startShell({ graceMs: 50, onTerm: '', rest: 'wait' });
    await stop();
    expect(await read()).toBe(`${pid} `);
    expect(readProcess(pid)).toBeUndefined();
  });
});

test('two that download one folder at once both have it', async () => {
  const target = path.join(await scratchFolder(), 'new', 'cache', 'driver');
  const download = () =>
    inScratchFolder(target, async (folder) => {
      await mkdir(path.join(folder, 'made'));
      await writeFile(path.join(folder, 'made', 'file'), 'text');
      return path.join(folder, 'made');
    });
  await Promise.all([download(), download(), download()]);
  expect([await readdir(path.dirname(target)), await readdir(target)]).toEqual([['driver'], ['file']]);
});

test('without a file descriptor left there is one warning, and another after a calm minute', async () => {
  jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate'] });
  const { log, lines } = createTestLog();
  let code = '';
  const probe = async () => {
    if (code !== '') throw Object.assign(new Error(code), { code });
  };
  const stop = watchOpenFiles(log, { probe });
  for (const [seconds, problem, warnings] of /** @type {[number, string, number][]} */ ([
    [5, '', 0],
    [5, 'EACCES', 0],
    [5, 'EMFILE', 1],
    [30, '', 1],
    [100, 'ENFILE', 1],
    [61, '', 1],
    [2, 'EMFILE', 2],
  ])) {
    code = problem;
    await jest.advanceTimersByTimeAsync(seconds * 1000);
    expect({ problem, warnings: lines.length }).toEqual({ problem, warnings });
  }
  stop();
  expect(jest.getTimerCount()).toBe(0);
  jest.useRealTimers();
});
