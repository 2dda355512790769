import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, test } from '@jest/globals';
import { cleanUp } from 'test-support/cleanup.js';
import { listen } from '../../src/http/listen.js';

// guards.test.js has the limits. Node's own limits are one minute and five, and it looks every half minute.
test.concurrent.each([
  ['headers that never end', 'GET / HTTP/1.1\r\nHost: a\r\nX: ', 10_000],
  ['a body that never ends', 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nx', 20_000],
])('%s hold a connection for their time and no longer', async (_, text, limitMs) => {
  const server = await listen((req, res) => req.resume().once('end', () => res.end('x')), {
    host: '127.0.0.1',
    port: 0,
  });
  cleanUp(server.close);
  const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
  let said = '';
  socket.setEncoding('utf8').on('data', (chunk) => {
    said += chunk;
  });
  await once(socket, 'connect');
  const openedAt = performance.now();
  socket.write(text);
  await once(socket, 'close');
  expect(said).toMatch(/^HTTP\/1.1 408 /);
  const tookMs = performance.now() - openedAt;
  expect(tookMs).toBeGreaterThan(limitMs - 100);
  expect(tookMs).toBeLessThan(limitMs + 5000);
});
