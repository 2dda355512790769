import { execFileSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { interruptCommand } from '../support/interrupt-command.js';
import { scratchFolder } from 'test-support/cleanup.js';

/** Uses /proc to find the processes of a command. */
const onLinux = process.platform === 'linux' ? describe : describe.skip;

// While the embedded MongoDB starts, and once the app or the load runs. interrupt.long.test.js tries more moments.
onLinux('a signal ends a run and leaves nothing over', () => {
  test.concurrent.each(
    /** @type {const} */ ([
      ['mixed', 0, 'SIGINT', 130],
      ['handles', 2500, 'SIGTERM', 143],
      ['mixed', 4500, 'SIGHUP', 129],
    ]),
  )('run %s, %i ms after its MongoDB, by %s', async (lab, afterMs, signal, code) => {
    const end = await interruptCommand(['run', lab], {
      folder: await scratchFolder(),
      afterMs,
      isAfterFirstFile: true,
      signal,
    });
    expect(end).toMatchObject({ code, left: [] });
    // A signal that nobody handles has the same exit code.
    expect(end.stderr).toMatch(/^Interrupted: everything that was started has been stopped/m);
    expect(end.stderr).not.toMatch(/^ +at /m);
    expect(end.tookMs).toBeLessThan(5000);
  });

  test.concurrent('a signal that ends only the shell of npx ends the run too', async () => {
    const folder = await scratchFolder();
    const end = await interruptCommand(['run', 'mixed'], {
      folder,
      afterMs: 3500,
      isAfterFirstFile: true,
      signal: 'SIGTERM',
      by: 'shell',
    });
    expect(end).toMatchObject({ code: 143, left: [] });
  });

  test.concurrent('it also ends a command that has nothing to clean up', async () => {
    const folder = await scratchFolder();
    // Nobody writes to it, so that the command waits.
    execFileSync('mkfifo', [path.join(folder, 'result.json')]);
    const end = await interruptCommand(['report', 'result.json'], {
      folder,
      afterMs: 1500,
      signal: 'SIGTERM',
      by: 'shell',
    });
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
    const end = await interruptCommand(['watch', '--', 'npm', 'start'], {
      folder,
      afterMs: 0,
      isAfterFirstFile: true,
      signal,
    });
    expect(end).toMatchObject({ code, left: ['started'] });
  });

  test.concurrent('even SIGKILL leaves no Artillery behind', async () => {
    const end = await interruptCommand(['run', 'mixed'], {
      folder: await scratchFolder(),
      afterMs: 4500,
      isAfterFirstFile: true,
      signal: 'SIGKILL',
    });
    expect(end).toMatchObject({ code: 137, left: [] });
  });
});
