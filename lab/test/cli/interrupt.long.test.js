import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants } from 'node:fs';
import { open, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { cleanUp, scratchFolder } from 'test-support/cleanup.js';
import { expectInterruptible, hasProcess, interruptCommand } from '../support/interrupt-command.js';

/** @import { CommandState } from '../support/interrupt-command.js' */

/** Uses /proc to find the processes of a command. */
const onLinux = process.platform === 'linux' ? describe : describe.skip;

const NPM_START = ['npm', '--prefix', process.cwd(), 'start'];
const hasMongod = hasProcess('mongod ');
const hasArtillery = hasProcess('artillery');

onLinux('a signal ends a command and leaves nothing over', () => {
  // interrupt.release.test.js has the other labs: the harness ends all of them the same way.
  test.concurrent.each([
    ['run', 'mixed'],
    ['run', 'replication'],
    ['case', '1'],
  ])('%s %s, while its MongoDB starts and in its first step', (...args) => expectInterruptible(args));

  test.concurrent('also if it ends only the shell of npx, while Artillery runs', async () => {
    const folder = await scratchFolder();
    const end = await interruptCommand(['run', 'mixed'], {
      folder,
      when: hasArtillery,
      signal: 'SIGTERM',
      by: 'shell',
    });
    expect(end).toMatchObject({ code: 143, left: [] });
  });

  test.concurrent('even SIGKILL leaves no Artillery behind', async () => {
    const folder = await scratchFolder();
    const end = await interruptCommand(['run', 'mixed'], { folder, when: hasArtillery, signal: 'SIGKILL' });
    expect(end).toMatchObject({ code: 137, left: [] });
  });

  test.concurrent('also one that has nothing to clean up', async () => {
    const folder = await scratchFolder();
    const fifo = path.join(folder, 'result.json');
    // Nothing is written to it, so that the command waits.
    execFileSync('mkfifo', [fifo]);
    /** @type {import('node:fs/promises').FileHandle | undefined} */
    let writer;
    // Fails until somebody reads.
    const isRead = async () =>
      (writer = await open(fifo, constants.O_WRONLY | constants.O_NONBLOCK).catch(() => writer));
    cleanUp(() => writer?.close());
    const end = await interruptCommand(['report', fifo], { folder, when: isRead, signal: 'SIGTERM', by: 'shell' });
    expect(end).toMatchObject({ code: 143, left: [] });
  });

  test.concurrent.each(
    /** @type {const} */ ([
      ['SIGTERM', 143],
      ['SIGKILL', 137],
    ]),
  )('%s of `watch -- npm start` ends npm, its shell and the app', async (signal, code) => {
    const folder = await scratchFolder();
    const app = "require('fs').writeFileSync(`${process.env.TMPDIR}/started`, ''); setInterval(() => {}, 1000)";
    await writeFile(path.join(folder, 'app.js'), app);
    await writeFile(path.join(folder, 'package.json'), JSON.stringify({ scripts: { start: 'node app.js; :' } }));
    const hasStarted = (/** @type {CommandState} */ { files }) => files.includes('started');
    const end = await interruptCommand(['watch', '--', 'npm', 'start'], { folder, when: hasStarted, signal });
    expect(end).toMatchObject({ code, left: ['started'] });
  });
});

onLinux('a signal to npm alone ends what npm started', () => {
  test.concurrent.each(
    /** @type {const} */ ([
      ['npm', ['start'], 'SIGTERM'],
      ['npm', ['start'], 'SIGKILL'],
      ['npx', ['run', 'mixed'], 'SIGTERM'],
      ['npx', ['watch', '--', ...NPM_START], 'SIGKILL'],
    ]),
  )('%s %j, %s', async (by, args, signal) => {
    const folder = await scratchFolder();
    const end = await interruptCommand([...args], { folder, when: hasMongod, signal, by, env: { PORT: '0' } });
    expect(end.left).toEqual([]);
  });
});

/** A process can't handle signals on Windows. */
const onPosix = process.platform === 'win32' ? describe.skip : describe;

onPosix('a run that does not end when it is aborted', () => {
  /** @type {string} */
  let script;

  beforeAll(async () => {
    script = path.join(await scratchFolder(), 'busy.mjs');
    const module = pathToFileURL(path.resolve('lab/cli/signals.js')).href;
    await writeFile(
      script,
      `import { abortOnSignal } from ${JSON.stringify(module)};
const { signal } = abortOnSignal('Stopped.');
signal.addEventListener('abort', () => process.stdout.write('aborted'));
process.stdout.write('ready');
setInterval(() => {}, 1000);`,
    );
  });

  async function startBusy() {
    const child = spawn(process.execPath, [script], { stdio: ['ignore', 'pipe', 'pipe'] });
    cleanUp(() => child.kill('SIGKILL'));
    const stderr = text(child.stderr);
    await once(child.stdout, 'data');
    return { child, stderr };
  }

  test.concurrent('is ended by force, and says what was interrupted', async () => {
    const { child, stderr } = await startBusy();
    child.kill('SIGHUP');
    expect(await once(child, 'exit')).toEqual([129, null]);
    expect(await stderr).toBe('Stopped.\n');
  });

  test.concurrent('ends at once by a second signal', async () => {
    const { child, stderr } = await startBusy();
    child.kill('SIGTERM');
    await once(child.stdout, 'data');
    child.kill('SIGINT');
    expect(await once(child, 'exit')).toEqual([null, 'SIGINT']);
    expect(await stderr).toBe('');
  });
});
