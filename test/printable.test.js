import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { toPrintable } from '../src/printable.js';
import { createSampleResult } from './report/sample-result.js';
import { runCli } from './support/run-cli.js';
import { scratchFolder } from './support/scratch-folder.js';
import { until } from './support/until.js';

/** Changes the title of a terminal and reverses its text. */
const HOSTILE = '\u001b]0;owned\u0007\u009b31m\u202e';

test.each([
  ['mongodb://user:hunter2@host/', 'mongodb://***@host/'],
  ['mongodb://user:hunt@er2/@host:1/ is odd, @ is %40', 'mongodb://***@host:1/ is odd, @ is %40'],
  ['write it like mongodb://USER:PASSWORD@HOST:PORT/, with @ as %40', 'write it like mongodb://USER:PASSWORD@HOST:PORT/, with @ as %40'],
  ['http://host/?proxyPassword=hunter2&x=1', 'http://host/?proxyPassword=***&x=1'],
  ['?authMechanismProperties=AWS_SESSION_TOKEN:hunter2', '?authMechanismProperties=AWS_SESSION_TOKEN:***'],
  ['http://host/ is unchanged', 'http://host/ is unchanged'],
])('%s is shown as %s', (text, shown) => {
  expect(toPrintable(text)).toBe(shown);
});

test('a password with a space is masked where a message quotes an argument', () => {
  const given = '--url=mongodb+srv://user:hunt@er2/ x@host:1/';
  expect(toPrintable(`unknown option '${given}', not an @`, [given])).toBe("unknown option '--url=mongodb+srv://***@host:1/', not an @");
});

test('control characters are shown as their codes', () => {
  expect(toPrintable(`a${HOSTILE}b\n\tc\r`)).toBe('a\\u001b]0;owned\\u0007\\u009b31m\\u202eb\n\tc\\u000d');
});

describe('pool-lab', () => {
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
    await writeFile(trace, `{"trace":"mongodb-pool-lab","version":2}\n${
      JSON.stringify({ checkOutStartedMs: 0, waitMs: 0, useMs: 1, route: HOSTILE })}\n`);
    const shown = await Promise.all([
      runCli(['report', result, '--out', path.join(folder, 'report.html')]),
      runCli(['predict', '--trace', trace]),
      runCli(['advise', '--trace', trace, '--slo', `${HOSTILE} p99 < 1 s`]),
    ]);
    for (const { stderr } of shown) {
      expect(stderr).toContain('owned');
      expect(stderr).not.toMatch(/(?!\n)\p{Cc}|\p{Bidi_Control}/u);
    }
  });

  const onLinux = process.platform === 'linux' ? test : test.skip;
  onLinux('hides a password in its arguments from the process list before it loads anything', async () => {
    const child = spawn(process.execPath, ['src/cli.js', 'run', 'mixed', '--url', 'mongodb://user:hunter2@127.0.0.1:1/'], {
      env: { ...process.env, MONGO_SERVER_SELECTION_TIMEOUT_MS: '5000' }, stdio: 'ignore',
    });
    const ended = once(child, 'exit');
    const title = await until('it has a title', async () => {
      const text = await readFile(`/proc/${child.pid}/cmdline`, 'utf8');
      return text.startsWith('pool-lab') && text;
    });
    child.kill('SIGKILL');
    await ended;
    expect(title).toMatch(/^pool-lab run mixed\0*$/);
    // Static imports would come first.
    const entry = await readFile('src/cli.js', 'utf8');
    expect(entry).not.toMatch(/^import /m);
  });

  test('explains what a connection string looks like when one is malformed', async () => {
    const { code, stderr } = await runCli(['run', 'mixed', '--url', '127.0.0.1:27017']);
    expect({ code, stderr }).toEqual({ code: 1, stderr: '--url is not a connection string. Write it like '
      + 'mongodb://USER:PASSWORD@HOST:PORT/, and percent-encode special characters, for example @ as %40 and / as %2F.\n' });
  });
});
