import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from '@jest/globals';
import { serveHandler } from '../../../test/support/serve-app.js';
import { createSampleResult } from '../report/sample-result.js';
import { runCli } from '../support/run-cli.js';
import { scratchFolder } from 'test-support/cleanup.js';
import { until } from 'test-support/waiting.js';

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
  await writeFile(
    trace,
    [
      { trace: 'mongodb-pool-lab', version: 2 },
      ...Array.from({ length: 20 }, (_, index) => ({ checkOutStartedMs: index, waitMs: 0, useMs: 1, route: HOSTILE })),
    ]
      .map((line) => `${JSON.stringify(line)}\n`)
      .join(''),
  );
  const shown = await Promise.all([
    runCli(['report', result, '--out', path.join(folder, 'report.html')]),
    runCli(['predict', '--trace', trace]),
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
  const joined = await runCli(['workshop', 'join', `${url}/join/ABC234`, '--name', 'Ada'], { env: { POOL_LAB_DATA } });
  const refused = await runCli(['workshop', 'guess', '2', '15'], { env: { POOL_LAB_DATA } });
  const failed = await runCli(['workshop', 'join', `${url}/join/OTHER2`, '--name', 'Ada'], { env: { POOL_LAB_DATA } });
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
      'mongodb://USER:PASSWORD@HOST:PORT/, and percent-encode special characters, for example @ as %40 and / as %2F.\n',
  });
});
