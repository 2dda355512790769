import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { buffer, text } from 'node:stream/consumers';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { openDelayProxy } from '../../src/harness/delay-proxy.js';
import { cleanUp } from '../support/cleanup.js';
import { measureUntil } from '../support/measure-until.js';
import { until } from '../support/until.js';

/** How early data may arrive: timers count whole milliseconds. */
const EARLY_MS = 1;

/**
 * A proxy in front of a test server.
 * @param {number} delayMs
 * @param {(socket: import('node:net').Socket) => void} serve
 */
async function proxyTo(delayMs, serve) {
  const server = createServer({ allowHalfOpen: true, noDelay: true }, (socket) => {
    cleanUp(() => socket.destroy());
    socket.on('error', () => {});
    serve(socket);
  }).listen(0, '127.0.0.1');
  cleanUp(() => server.close());
  await once(server, 'listening');
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  const proxy = await openDelayProxy({ host: '127.0.0.1', port, delayMs });
  cleanUp(proxy.close);
  return { proxy, server };
}

/** @param {number} port */
async function call(port) {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true });
  cleanUp(() => socket.destroy());
  socket.on('error', () => {});
  await once(socket, 'connect');
  return socket;
}

const echo = (/** @type {import('node:net').Socket} */ socket) => { socket.pipe(socket); };

test('a round trip takes twice the delay longer', async () => {
  const { proxy } = await proxyTo(10, echo);
  const socket = await call(proxy.port);
  const shortestMs = await measureUntil(async () => {
    const tookMs = [];
    while (tookMs.length < 5) {
      const sentAt = performance.now();
      socket.write('ping');
      await once(socket, 'data');
      tookMs.push(performance.now() - sentAt);
    }
    expect(Math.min(...tookMs)).toBeGreaterThan(20 - 2 * EARLY_MS);
    return Math.min(...tookMs);
  }, (ms) => ms < 22, 10);
  expect(shortestMs).toBeLessThan(22);
});

test('it delays and does not throttle: many messages are on their way at once', async () => {
  const { proxy } = await proxyTo(50, echo);
  const tookMs = await measureUntil(async () => {
    const socket = await call(proxy.port);
    const answer = buffer(socket);
    const sentAt = performance.now();
    for (let message = 0; message < 100; message++) {
      socket.write(Buffer.from([message]));
      await nextTurn();
    }
    socket.end();
    expect([...await answer]).toEqual([...Array(100).keys()]);
    return performance.now() - sentAt;
  }, (ms) => ms < 1000);
  // One after the other they would take 10 s.
  expect(tookMs).toBeLessThan(1000);
});

test('every byte comes, in order, also to a side that reads slowly', async () => {
  const { proxy } = await proxyTo(1, echo);
  const socket = await call(proxy.port);
  const sent = randomBytes(8 * 2 ** 20);
  socket.end(sent);
  const received = [];
  for await (const chunk of socket) {
    received.push(chunk);
    await nextTurn();
  }
  expect(Buffer.concat(received).equals(sent)).toBe(true);
});

test('who has said all can still be answered', async () => {
  const { proxy } = await proxyTo(5, (socket) => {
    let said = '';
    socket.on('data', (chunk) => { said += chunk; });
    socket.on('end', () => socket.end(`you said ${said}`));
  });
  const socket = connect({ port: proxy.port, host: '127.0.0.1', allowHalfOpen: true });
  socket.end('hello');
  expect(await text(socket)).toBe('you said hello');
});

test('a cut ends every connection and refuses new ones, until it is restored', async () => {
  /** @type {import('node:net').Socket[]} */
  const served = [];
  const { proxy } = await proxyTo(0, (socket) => { served.push(socket); });
  const socket = await call(proxy.port);
  await until('the server is reached', () => served.length === 1);
  const ends = [socket, served[0].resume()].map((side) => once(side, 'close'));
  proxy.cut();
  await Promise.all(ends.slice(0, 1));
  served[0].end();
  await Promise.all(ends);
  await expect(once(connect(proxy.port, '127.0.0.1'), 'connect')).rejects.toThrow('ECONNREFUSED');

  await proxy.restore();
  await call(proxy.port);
  await until('the server is reached again', () => served.length === 2);
});

test('if the server does not exist, the connection ends', async () => {
  const { proxy, server } = await proxyTo(5, echo);
  server.close();
  await once(server, 'close');
  const socket = await call(proxy.port);
  await once(socket.resume(), 'close');
});
