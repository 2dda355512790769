import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { buffer, text } from 'node:stream/consumers';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { MongoClient } from 'mongodb';
import { addLatency } from '../../harness/latency.js';
import { readSettings } from '../../../src/settings.js';
import { openDelayProxy } from '../../harness/delay-proxy.js';
import { cleanUp } from 'test-support/cleanup.js';
import { sharedMongoUrl } from 'test-support/mongod.js';
import { measureUntil, until } from 'test-support/waiting.js';

const settings = readSettings({}, 'no .env file');

test('every round trip to the primary takes longer, by the same connection string but for the host', async () => {
  const near = sharedMongoUrl();
  const { url, close } = await addLatency(near, settings, 30);
  cleanUp(close);
  expect(url.replace(/:\d+/, '').replace('&directConnection=true', '')).toBe(near.replace(/:\d+/, ''));
  const client = await MongoClient.connect(url);
  cleanUp(() => client.close());
  for (let ping = 0; ping < 3; ping++) {
    const sentAt = performance.now();
    expect(await client.db('admin').command({ hello: 1 })).toMatchObject({ isWritablePrimary: true });
    // Timers are up to a millisecond early, each way.
    expect(performance.now() - sentAt).toBeGreaterThan(28);
  }
});

test('a URL that leaves the hosts to the DNS is refused', async () => {
  await expect(addLatency('mongodb+srv://example.com', settings, 30)).rejects.toThrow(/starts with mongodb:\/\//);
});

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
  return { proxy, server, port };
}

/** @param {number} port */
async function call(port) {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true });
  cleanUp(() => socket.destroy());
  socket.on('error', () => {});
  await once(socket, 'connect');
  return socket;
}

const echo = (/** @type {import('node:net').Socket} */ socket) => {
  socket.pipe(socket);
};

/** What one in ten round trips takes at most: a busy machine delays the others. @param {number} port */
async function timeRoundTrips(port) {
  const socket = await call(port);
  /** @type {number[]} */
  const tookMs = [];
  while (tookMs.length < 60) {
    const sentAtMs = performance.now();
    socket.write('ping');
    await once(socket, 'data');
    tookMs.push(performance.now() - sentAtMs);
  }
  return tookMs.sort((a, b) => a - b)[6];
}

test.each([1, 2, 5, 10])('a round trip takes %i ms longer, give or take 0.3 ms', async (rttMs) => {
  const { proxy, port } = await proxyTo(rttMs / 2, echo);
  const addedMs = await measureUntil(
    async () => (await timeRoundTrips(proxy.port)) - (await timeRoundTrips(port)),
    (ms) => Math.abs(ms - rttMs) < 0.3,
    10,
  );
  expect(Math.abs(addedMs - rttMs)).toBeLessThan(0.3);
});

test('it delays and does not throttle: many messages are on their way at once', async () => {
  const { proxy } = await proxyTo(50, echo);
  const tookMs = await measureUntil(
    async () => {
      const socket = await call(proxy.port);
      const answer = buffer(socket);
      const sentAt = performance.now();
      for (let message = 0; message < 100; message++) {
        socket.write(Buffer.from([message]));
        await nextTurn();
      }
      socket.end();
      expect([...(await answer)]).toEqual([...Array(100).keys()]);
      return performance.now() - sentAt;
    },
    (ms) => ms < 1000,
  );
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
    socket.on('data', (chunk) => {
      said += chunk;
    });
    socket.on('end', () => socket.end(`you said ${said}`));
  });
  const socket = connect({ port: proxy.port, host: '127.0.0.1', allowHalfOpen: true });
  socket.end('hello');
  expect(await text(socket)).toBe('you said hello');
});

test('a cut ends every connection and refuses new ones, until it is restored', async () => {
  /** @type {import('node:net').Socket[]} */
  const served = [];
  const { proxy } = await proxyTo(0, (socket) => {
    served.push(socket);
  });
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
