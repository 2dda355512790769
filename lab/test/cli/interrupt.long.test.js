import { describe, expect, test } from '@jest/globals';
import { interruptCommand } from '../support/interrupt-command.js';
import { scratchFolder } from 'test-support/cleanup.js';

/** Uses /proc to find the processes of a command. */
const onLinux = process.platform === 'linux' ? describe : describe.skip;

const LABS = ['mixed', 'sessions', 'handles', 'inserts', 'replication', 'remedies', 'saturation', 'utilisation'];
const MOMENTS_MS = Array.from({ length: 5 }, (_, n) => n * 1000 + 500);
const CODES = /** @type {const} */ ({ SIGINT: 130, SIGTERM: 143, SIGHUP: 129 });

onLinux('a signal ends a command within 5 s and leaves nothing over', () => {
  test.concurrent.each([...LABS.map((lab) => ['run', lab]), ['case', '1']])(
    '%s %s, at five moments',
    async (...args) => {
      const folder = await scratchFolder();
      const failures = [];
      for (const [index, afterMs] of MOMENTS_MS.entries()) {
        const signal = /** @type {(keyof typeof CODES)[]} */ (Object.keys(CODES))[index % 3];
        const { code, tookMs, stderr, left } = await interruptCommand(args, {
          folder,
          afterMs,
          signal,
          env: { POOL_LAB_DATA: folder },
        });
        if (code !== CODES[signal] || tookMs > 5000 || left.length > 0 || /^ +at /m.test(stderr)) {
          failures.push({ afterMs, signal, code, tookMs, left, stderr });
        }
      }
      expect(failures).toEqual([]);
    },
    300_000,
  );
});

onLinux('a signal to npm alone ends what npm started', () => {
  test.concurrent.each(
    /** @type {const} */ ([
      ['npm', ['start'], 'SIGTERM'],
      ['npm', ['start'], 'SIGHUP'],
      ['npm', ['start'], 'SIGKILL'],
      ['npx', ['run', 'mixed'], 'SIGTERM'],
      ['npx', ['run', 'mixed'], 'SIGHUP'],
      ['npx', ['run', 'mixed'], 'SIGKILL'],
      ['npx', ['watch', '--', 'npm', '--prefix', process.cwd(), 'start'], 'SIGKILL'],
    ]),
  )('%s %j, %s', async (by, args, signal) => {
    const end = await interruptCommand([...args], {
      folder: await scratchFolder(),
      afterMs: 2000,
      isAfterFirstFile: true,
      env: { PORT: '0' },
      signal,
      by,
    });
    expect(end.left).toEqual([]);
  });
});
