import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, test } from '@jest/globals';
import { listen } from '../../src/http/listen.js';
import { cleanUp } from 'test-support/cleanup.js';
import { until } from 'test-support/waiting.js';

/**
 * @param {string} url
 * @param {string} [text] to begin with
 */
async function open(url, text) {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  cleanUp(() => socket.destroy());
  socket.on('error', () => {});
  await once(socket, 'connect');
  if (text) socket.write(text);
  return socket;
}

test('close waits for running requests, but not for connections that never send one', async () => {
  /** @type {(() => void)[]} */
  const pending = [];
  const server = await listen(
    (req, res) => {
      pending.push(() => res.end('done'));
    },
    { host: '127.0.0.1', port: 0 },
  );
  const silent = [await open(server.url), await open(server.url, 'GET / HTTP/1.1\r\nHost:')];
  const answer = fetch(server.url).then((response) => response.text());
  await until('the request runs', () => pending.length > 0);

  let isClosed = false;
  const closing = server.close().then(() => {
    isClosed = true;
  });
  await Promise.all(silent.map((socket) => once(socket, 'close')));
  expect(isClosed).toBe(false);
  pending[0]();
  expect(await answer).toBe('done');
  await closing;
});

test('a slow client has 10 s for its headers and 20 s for its request, looked at each second', async () => {
  const server = await listen((req, res) => res.end('x'), { host: '127.0.0.1', port: 0 });
  cleanUp(server.close);
  /** @type {any} */
  let limits;
  const note = (/** @type {unknown} */ event) => ({ server: limits } = /** @type {any} */ (event));
  subscribe('http.server.request.start', note);
  await (await fetch(server.url)).text();
  unsubscribe('http.server.request.start', note);
  expect(limits).toMatchObject({
    headersTimeout: 10_000,
    requestTimeout: 20_000,
    connectionsCheckingInterval: 1000,
  });
});

test.each([
  ['headers of 20 KB', `GET / HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`, /^HTTP\/1.1 431 /],
  ['what is no HTTP', '\0\0\0\0 garbage\r\n\r\n', /^HTTP\/1.1 400 /],
  ['two lengths', 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nx', /^HTTP\/1.1 400 /],
])('%s are refused, and the connection is closed', async (name, text, status) => {
  const server = await listen(
    (req, res) => {
      res.end('x');
    },
    { host: '127.0.0.1', port: 0 },
  );
  cleanUp(server.close);
  const socket = await open(server.url, text);
  let said = '';
  socket.setEncoding('utf8').on('data', (chunk) => {
    said += chunk;
  });
  await once(socket, 'close');
  expect(said).toMatch(status);
});
