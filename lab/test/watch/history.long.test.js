import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';
import { cleanUp, scratchFolder } from 'test-support/cleanup.js';
import { sharedMongoUrl } from 'test-support/mongod.js';
import { until } from 'test-support/waiting.js';
import { expectRefused, runCli } from '../support/run-cli.js';

const APP = fileURLToPath(new URL('app-to-watch.js', import.meta.url));

test('after a kill -9, doctor says from the history why requests waited, and predict refuses it', async () => {
  const file = path.join(await scratchFolder(), 'shop.jsonl');
  const child = spawn(process.execPath, ['--import', import.meta.resolve('mongodb-pool-monitor/attach'), APP], {
    env: { ...process.env, NODE_OPTIONS: '', APP_MONGO_URL: sharedMongoUrl(), POOL_MONITOR_LOG: file },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  cleanUp(() => child.kill('SIGKILL'));
  const [port] = await once(child.stdout.setEncoding('utf8'), 'data');
  let isOver = false;
  const callers = Array.from({ length: 30 }, async (_, index) => {
    const url = `http://127.0.0.1:${Number(port)}/${index < 15 ? 'slow' : 'users/7'}`;
    // The last request of each is cut off.
    while (!isOver)
      await fetch(url)
        .then((response) => response.text())
        .catch(() => {});
  });
  const countSeconds = async () => (await readFile(file, 'utf8').catch(() => '')).match(/"event":"loop"/g)?.length ?? 0;
  await until('three seconds are written', async () => (await countSeconds()) >= 3, 60_000);
  child.kill('SIGKILL');
  await once(child, 'exit');
  isOver = true;
  await Promise.all(callers);

  const { code, stdout, stderr } = await runCli(['doctor', file]);
  expect(stdout.replaceAll(/\s+/g, ' ')).toMatch(
    /^Requests wait [\d.]+ m?s on average, because \/slow \(find users\) holds all 3 connections\./,
  );
  expect(stderr.replaceAll(/\s+/g, ' ')).toMatch(
    /shop\.jsonl, \d{4}-\S+Z to \S+Z: the \d+ requests that waited longest, of about \d+\. The figures are theirs\./,
  );
  expect(code).toBe(2);
  await expectRefused(['predict', '--trace', file], /is a history: it has the requests that waited longest/);
});
