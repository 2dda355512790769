import { spawn } from 'node:child_process';
import { expect, test } from '@jest/globals';
import { cleanUp } from 'test-support/cleanup.js';
import { until } from 'test-support/waiting.js';
import { startWatch } from './start-watch.js';

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
  const url = await until('it has a page', () => said.match(/the pools of this app: (\S+)\n/)?.[1]);
  const page = await (await fetch(`${url}processes`)).json();
  expect(page.command).toMatch(/1000\) mongodb:\/\/\*\*\*@host\/ --token \*\*\*$/);
});

test('one address for an app that is restarted, and a word about a MongoDB that does not answer', async () => {
  const restarting = `
    const start = () => require('node:child_process')
      .spawn(process.execPath, ['examples/article-app.js'], { stdio: 'inherit' })
      .once('exit', start);
    start();`;
  const { said, url } = startWatch(['--', process.execPath, '-e', restarting], {
    MONGODB_URI: 'mongodb://127.0.0.1:1',
  });
  /** @param {string} [before] process */
  const findRow = (before) =>
    until(
      'a process has a client',
      async () => {
        if (!said.stderr.includes('the pools of this app')) return undefined;
        const { rows } = await (await fetch(`${url()}processes`)).json();
        return rows.length > 0 && rows[0].name !== before ? rows : undefined;
      },
      60_000,
    );
  const [first] = await findRow();
  const shown = await fetch(url(), { redirect: 'manual' });
  expect({ status: shown.status, page: shown.headers.get('location') }).toEqual({ status: 307, page: `${first.url}/` });
  await until('it says so', () =>
    /no MongoDB answers process \d+ at 127\.0\.0\.1:1\. .+--mongo embedded/.test(said.stderr),
  );
  expect(said.stderr.match(/^.*http:.*$/gm)).toHaveLength(1);

  process.kill(Number(first.name.match(/process (\d+)/)?.[1]));
  expect(await findRow(first.name)).toMatchObject([{ url: first.url }]);
});
