import { describe, expect, test } from '@jest/globals';
import { interruptCommand } from '../support/interrupt-command.js';
import { scratchFolder } from '../support/scratch-folder.js';

/** Uses /proc to find the processes of a command. */
const onLinux = process.platform === 'linux' ? describe : describe.skip;

// While the embedded MongoDB starts, and once the app or the load runs. interrupt.long.test.js tries more moments.
onLinux('a signal ends a run and leaves nothing over', () => {
  test.concurrent.each(/** @type {const} */ ([
    ['mixed', 1500, 'SIGINT', 130], ['handles', 4000, 'SIGTERM', 143], ['mixed', 6000, 'SIGHUP', 129],
  ]))('run %s, after %i ms, by %s', async (lab, afterMs, signal, code) => {
    const end = await interruptCommand(['run', lab], { folder: await scratchFolder(), afterMs, signal });
    expect(end).toMatchObject({ code, left: [] });
    expect(end.stderr).not.toMatch(/^ +at /m);
    expect(end.tookMs).toBeLessThan(5000);
  });

  test.concurrent('a signal that ends only the shell of npx ends the run too', async () => {
    const folder = await scratchFolder();
    const end = await interruptCommand(['run', 'mixed'], { folder, afterMs: 5000, signal: 'SIGTERM', isUnderNpm: true });
    expect(end).toMatchObject({ code: 143, left: [] });
  });

  test.concurrent('even SIGKILL leaves no Artillery behind', async () => {
    const end = await interruptCommand(['run', 'mixed'], { folder: await scratchFolder(), afterMs: 6000, signal: 'SIGKILL' });
    expect(end).toMatchObject({ code: 137, left: [] });
  });
});
