import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { describe, expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { createCommand as createReportCommand } from '../../../lab/cli/report-command.js';
import { createCommand as createSweepCommand } from '../../../lab/cli/sweep-command.js';

const {
  on,
  permissions,
  jobs: { sweep },
} = parse(await readFile('examples/pool-size-workflow.yml', 'utf8'));
const steps = /** @type {any[]} */ (sweep.steps);

test('runs for pull requests, beside a database on loopback, and may comment', () => {
  expect({ on, permissions }).toEqual({
    on: 'pull_request',
    permissions: { contents: 'read', 'pull-requests': 'write' },
  });
  expect(sweep.services.mongodb.ports).toEqual(['27017:27017']);
  expect(steps.find(({ name }) => name === 'Measure').env.MONGODB_URI).toContain('127.0.0.1:27017');
});

test('every step runs an action, or a script that a shell can read', async () => {
  for (const { uses, run } of steps) {
    expect(uses ?? run).toBeDefined();
    if (run) await promisify(execFile)('bash', ['-n', '-c', run]);
  }
});

test.each(['examples/pool-size-workflow.yml', '.github/workflows/ci.yml', '.github/workflows/playground.yml'])(
  'the actions of %s are pinned to a commit, since a tag can move, and say which version that is',
  async (file) => {
    const lines = (await readFile(file, 'utf8')).split('\n').filter((line) => /\buses:/.test(line));
    expect(lines.length).toBeGreaterThan(0);
    for (const line of lines) expect(line).toMatch(/ actions\/[\w-]+@[\da-f]{40} # v\d+\.\d+\.\d+$/);
  },
);

test('what follows a failed measurement still runs, unless there is no result', () => {
  const after = steps.slice(steps.findIndex(({ name }) => name === 'Measure') + 1);
  expect(after.map((step) => step.if)).toEqual(
    after.map(() => expect.stringMatching(/!cancelled\(\) && hashFiles\('sweep\/[\w.]+'\) != ''/)),
  );
});

describe('the commands know their options', () => {
  test.each([
    ['npx --prefix mongodb-pool-lab pool-lab sweep', createSweepCommand()],
    ['npx --prefix mongodb-pool-lab pool-lab report', createReportCommand()],
  ])('%s', (start, command) => {
    const line = steps
      .map(({ run = '' }) => run)
      .join('\n')
      .split('\n')
      .find((each) => each.startsWith(start));
    const used = [
      ...String(line)
        .slice(start.length)
        .split(' -- ')[0]
        .matchAll(/--[a-z-]+/g),
    ].map(([option]) => option);
    expect(used.length).toBeGreaterThan(0);
    expect(command.options.map(({ long }) => long)).toEqual(expect.arrayContaining(used));
  });
});

test('the comment is posted to the pull request, over the one before', () => {
  const { run, env } = steps.find(({ name }) => name === 'Comment');
  expect(run).toContain('--body-file sweep/comment.md --edit-last --create-if-none');
  expect(env).toEqual({ GH_TOKEN: '${{ github.token }}', PULL_REQUEST: '${{ github.event.pull_request.html_url }}' });
});
