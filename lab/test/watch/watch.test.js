import { spawn } from 'node:child_process';
import { expect, test } from '@jest/globals';
import { cleanUp } from 'test-support/cleanup.js';
import { until } from 'test-support/waiting.js';

test('the page for the projector shows no password of the command', async () => {
  const command = [
    process.execPath,
    '-e',
    'setInterval(() => {}, 1000)',
    'mongodb://app:S3cretPw@host/',
    '--token',
    'S3cretPw',
  ];
  const child = spawn(process.execPath, ['lab/cli.js', 'watch', '--', ...command], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  cleanUp(() => child.kill());
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text) => {
    said += text;
  });
  const url = await until('it has a page', () => said.match(/all processes of this app: (\S+)\n/)?.[1]);
  const page = await (await fetch(`${url}processes`)).json();
  expect(page.command).toMatch(/1000\) mongodb:\/\/\*\*\*@host\/ --token \*\*\*$/);
});
