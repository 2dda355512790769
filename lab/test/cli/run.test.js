import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, openSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, test } from '@jest/globals';
import { createSampleResult } from '../report/sample-result.js';
import { runCli } from '../support/run-cli.js';
import { runNode } from 'test-support/processes.js';
import { scratchFolder } from 'test-support/cleanup.js';

const CLI = 'lab/cli.js';
const env = { MONGO_URL: String(process.env.TEST_MONGO_URL) };
const folder = await scratchFolder();

/** @param {string} stderr */
const lines = (stderr) => stderr.trim().split('\n');

test('an interrupted run stops everything it started and saves nothing', async () => {
  const out = path.join(folder, 'interrupted');
  const { code, stderr } = await runNode([CLI, 'run', 'mixed', '--pool-sizes', '1', '--out', out], {
    env,
    onStart: (child) =>
      child.stderr?.on('data', (said) => {
        if (String(said).includes('pool 1:')) child.kill('SIGINT');
      }),
  });
  expect(code).toBe(130);
  expect(lines(stderr).at(-1)).toMatch(/^Interrupted/);
  expect(existsSync(out)).toBe(false);
});

describe('bad input is one clear line and no run', () => {
  test.each([
    ['a pool size that is not a number', ['--pool-sizes', '1,x'], /"x".*whole number from 1/],
    ['a pool size of 0', ['--pool-sizes', '0'], /no limit/],
    ['a repeat of 0', ['--repeat', '0'], /--repeat.*whole number from 1/],
    ['an unknown scenario', ['--scenario', 'nowhere.yaml'], /nowhere\.yaml can't be read/],
    ['an empty connection string', ['--url', ''], /--url.*It is empty/],
    ['a time that is too long for a timer', ['--slow-ms', '2147483648'], /at most 2147483647 ms/],
    ['an unknown option', ['--pool-size', '1'], /unknown option/],
  ])('%s', async (_, args, message) => {
    const { code, stdout, stderr } = await runCli(['run', 'mixed', ...args], { env });
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(lines(stderr)[0]).toMatch(message);
    expect(stderr).not.toMatch(/^ +at /m);
  });

  test('a setting', async () => {
    const { code, stderr } = await runCli(['run', 'mixed'], { env: { MONGO_MAX_CONNECTING: '0' } });
    expect(code).toBe(1);
    expect(lines(stderr)).toEqual(['MONGO_MAX_CONNECTING=0 is not allowed: it must be a whole number of at least 1']);
  });
});

const onLinux = process.platform === 'linux' ? test : test.skip;
onLinux('a full disk under stdout is one line', async () => {
  const child = spawn(process.execPath, [CLI, 'run'], { stdio: ['ignore', openSync('/dev/full', 'w'), 'pipe'] });
  const [said, [code]] = await Promise.all([
    text(/** @type {import('node:stream').Readable} */ (child.stderr)),
    once(child, 'close'),
  ]);
  expect(code).toBe(1);
  expect(lines(said)).toEqual([expect.stringMatching(/^stdout can't be written: ENOSPC/)]);
});

describe('report', () => {
  test.each([
    [{ lab: 'constructor', variants: [] }, 'is not a result of pool-lab run'],
    [{ aggregate: { counters: {} } }, 'is not an output of artillery run: aggregate.summaries must be an object'],
    [
      { aggregate: { counters: {}, summaries: null } },
      'is not an output of artillery run: aggregate.summaries must be an object',
    ],
    [
      { aggregate: { counters: {}, summaries: {}, firstMetricAt: 1e300 } },
      'is not an output of artillery run: aggregate.firstMetricAt must be a time',
    ],
  ])('refuses %j', async (content, problem) => {
    const file = path.join(folder, 'other.json');
    await writeFile(file, JSON.stringify(content));
    const { code, stderr } = await runCli(['report', file, '--out', path.join(folder, 'other.html')]);
    expect(code).toBe(1);
    expect(stderr).toContain(`${file} ${problem}`);
    expect(existsSync(path.join(folder, 'other.html'))).toBe(false);
  });

  test('shows several results on one page', async () => {
    const files = await Promise.all(
      ['first', 'second'].map(async (name, index) => {
        const file = path.join(folder, `${name}.json`);
        await writeFile(file, JSON.stringify(createSampleResult({ startedAt: `2026-01-0${index + 1}T00:00:00.000Z` })));
        return file;
      }),
    );
    const out = path.join(folder, 'both.html');
    const { code } = await runCli(['report', ...files, '--out', out]);
    expect(code).toBe(0);
    expect(await readFile(out, 'utf8')).toContain('2 January 2026');
  });
});
