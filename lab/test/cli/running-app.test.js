import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from '@jest/globals';
import { parseAppUrl } from '../../cli/running-app.js';
import { serveHandler } from '../../../test/support/serve-app.js';
import { expectRefused, runCli } from '../support/run-cli.js';
import { scratchFolder } from 'test-support/cleanup.js';

const PASSWORD = 'p@ss/w:rd?#%é';

test.each([
  'http://user:p@hunter2/x@host/',
  'http://user:1/hunter2@host/',
  'http://user:hunter2@',
  'hunter2',
  'mongodb://user:hunter2@host',
  'file:///hunter2',
  'http://user:80#hunter2@host/',
])('%s is refused, and nothing of it is shown', (url) => {
  expect(() => parseAppUrl('--app', url)).toThrow(/^--app is not the URL of an app(?!.*hunter2)/);
});

test('an empty user counts as no user', () => {
  expect(parseAppUrl('--app', 'http://:@127.0.0.1').url).toBe('http://127.0.0.1/');
});

test('user and password become a header, and are nowhere else', async () => {
  /** @type {(string | undefined)[]} */
  const seen = [];
  const at = await serveHandler((req, res) => {
    seen.push(req.headers.authorization);
    res.end(JSON.stringify({ max: 3, checkouts: [], lastId: 0, forgotten: 0 }));
  });
  const { port } = new URL(at);
  const out = path.join(await scratchFolder(), 'trace.jsonl');

  const url = `http://user:${encodeURIComponent(PASSWORD)}@127.0.0.1:${port}`;
  const { code, stderr } = await runCli(['record', '--url', url, '--out', out, '--seconds', '1']);

  expect({ code, stderr }).toEqual({
    code: 0,
    stderr: expect.stringContaining(`Recording http://127.0.0.1:${port}/ to`),
  });
  expect(new Set(seen)).toEqual(new Set([`Basic ${Buffer.from(`user:${PASSWORD}`).toString('base64')}`]));
  expect(await readFile(out, 'utf8')).toContain(`"url":"http://127.0.0.1:${port}/"`);
});

test.each([
  ['record', '--out', 'never.jsonl', '--url'],
  ['predict', 'loadtests/mixed.yaml', '--app'],
])('an app that does not run is an error of `%s` without the password', async (...args) => {
  await expectRefused(
    [...args, 'http://user:hunter2@127.0.0.1:1'],
    /^--(url|app) http:\/\/127\.0\.0\.1:1 does not answer GET \/pool \((?!.*hunter2)/,
  );
});

test.each([
  ['record', '--out', 'never.jsonl', '--url'],
  ['predict', 'loadtests/mixed.yaml', '--app'],
])('an answer that is not an object is an error of `%s`', async (...args) => {
  const url = await serveHandler((req, res) => {
    res.end('null');
  });
  const { code, stderr } = await runCli([...args, url]);
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: `${args.at(-1)} ${url}: GET /pool did not answer with a JSON object\n`,
  });
});
