import { describe, expect, test } from '@jest/globals';
import { interruptCommand } from '../support/interrupt-command.js';
import { scratchFolder } from '../support/scratch-folder.js';

/** Uses /proc to find the processes of a command. */
const onLinux = process.platform === 'linux' ? describe : describe.skip;

const LABS = ['mixed', 'sessions', 'handles', 'inserts', 'replication', 'remedies', 'saturation'];
const MOMENTS_MS = Array.from({ length: 10 }, (_, n) => (n + 1) * 500);
const CODES = /** @type {const} */ ({ SIGINT: 130, SIGTERM: 143, SIGHUP: 129 });

onLinux('a signal ends a command within 5 s and leaves nothing over', () => {
  test.each(LABS)('run %s, at ten moments', async (lab) => {
    const folder = await scratchFolder();
    const failures = [];
    for (const [index, afterMs] of MOMENTS_MS.entries()) {
      const signal = /** @type {(keyof typeof CODES)[]} */ (Object.keys(CODES))[index % 3];
      const { code, tookMs, stderr, left } = await interruptCommand(['run', lab], { folder, afterMs, signal });
      if (code !== CODES[signal] || tookMs > 5000 || left.length > 0 || /^ +at /m.test(stderr)) {
        failures.push({ afterMs, signal, code, tookMs, left, stderr });
      }
    }
    expect(failures).toEqual([]);
  }, 300_000);
});
