import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { MongoClient } from 'mongodb';
import { openDelayProxy } from '../../harness/delay-proxy.js';
import { addLatency } from '../../harness/latency.js';
import { readSettings } from '../../../src/settings.js';
import { cleanUp } from 'test-support/cleanup.js';
import { sharedMongoUrl } from 'test-support/mongod.js';
import { measureUntil } from 'test-support/waiting.js';

const server = createServer({ allowHalfOpen: true, noDelay: true }, (socket) => socket.pipe(socket));
server.listen(0, '127.0.0.1');
await once(server, 'listening');
cleanUp(() => server.close());
const { port: near } = /** @type {import('node:net').AddressInfo} */ (server.address());

/** @param {number} delayMs @returns {Promise<number>} the port of a proxy */
async function openProxy(delayMs) {
  const proxy = await openDelayProxy({ host: '127.0.0.1', port: near, delayMs });
  cleanUp(() => proxy.close());
  return /** @type {import('node:net').AddressInfo} */ (proxy.address()).port;
}

/** @param {number} port */
async function call(port) {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true });
  cleanUp(() => socket.destroy());
  await once(socket, 'connect');
  return socket;
}

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
  const far = await openProxy(rttMs / 2);
  const addedMs = await measureUntil(
    async () => (await timeRoundTrips(far)) - (await timeRoundTrips(near)),
    (ms) => Math.abs(ms - rttMs) < 0.3,
    30,
  );
  expect(Math.abs(addedMs - rttMs)).toBeLessThan(0.3);
});

test('a round trip to MongoDB takes longer', async () => {
  const { url, close } = await addLatency(sharedMongoUrl(), readSettings({}, 'no .env file'), 30);
  cleanUp(close);
  const client = await MongoClient.connect(url);
  cleanUp(() => client.close());
  const sentAtMs = performance.now();
  await client.db('admin').command({ ping: 1 });
  // Timers are up to a millisecond early, each way.
  expect(performance.now() - sentAtMs).toBeGreaterThan(28);
});

test('it delays and does not throttle: many messages are on their way at once', async () => {
  const far = await openProxy(50);
  const tookMs = await measureUntil(
    async () => {
      const socket = await call(far);
      const answer = buffer(socket);
      const sentAtMs = performance.now();
      for (let message = 0; message < 100; message++) {
        socket.write(Buffer.from([message]));
        await nextTurn();
      }
      socket.end();
      expect([...(await answer)]).toEqual([...Array(100).keys()]);
      return performance.now() - sentAtMs;
    },
    (ms) => ms < 1000,
  );
  // One after the other they would take 10 s.
  expect(tookMs).toBeLessThan(1000);
});
