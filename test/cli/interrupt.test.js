import { describe, expect, test } from '@jest/globals';
import { interruptCommand } from '../support/interrupt-command.js';
import { scratchFolder } from '../support/scratch-folder.js';

/** The processes of a command are found as Linux shows them. */
const onLinux = process.platform === 'linux' ? describe : describe.skip;

// While the embedded MongoDB starts, and when the app or the load has; interrupt.long.test.js tries more.
onLinux('a signal ends a run and leaves nothing', () => {
  test.concurrent.each(/** @type {const} */ ([
    ['mixed', 1500, 'SIGINT', 130], ['handles', 4000, 'SIGTERM', 143], ['mixed', 6000, 'SIGHUP', 129],
  ]))('run %s, after %i ms, by %s', async (lab, afterMs, signal, code) => {
    const end = await interruptCommand(['run', lab], { folder: await scratchFolder(), afterMs, signal });
    expect(end).toMatchObject({ code, left: [] });
    expect(end.stderr).not.toMatch(/^ +at /m);
    expect(end.tookMs).toBeLessThan(5000);
  });

  test.concurrent('killed with no time to clean up, it leaves no Artillery either', async () => {
    const end = await interruptCommand(['run', 'mixed'], { folder: await scratchFolder(), afterMs: 6000, signal: 'SIGKILL' });
    expect(end).toMatchObject({ code: 137, left: [] });
  });
});
