import { once } from 'node:events';
import http from 'node:http';
import { expect, test } from '@jest/globals';
import { cleanUp } from 'test-support/cleanup.js';
import { startWatchedApp } from '../../sweep/start-watched.js';

test('an app that reads PORT gets a free one where the lab has its own app', async () => {
  const other = http.createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  const { port } = /** @type {import('node:net').AddressInfo} */ (other.address());
  const before = process.env.PORT;
  process.env.PORT = String(port);
  cleanUp(() => {
    other.close();
    if (before === undefined) delete process.env.PORT;
    else process.env.PORT = before;
  });

  const code = "require('http').createServer().listen(Number(process.env.PORT), '127.0.0.1')";
  const app = await startWatchedApp([process.execPath, '-e', code], {
    mongoUrl: '',
    startMs: 60_000,
    signal: new AbortController().signal,
  });
  cleanUp(app.stop);
  expect(new URL(app.url).port).not.toBe(String(port));
});
