import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, test } from '@jest/globals';
import { listen } from '../../src/http/listen.js';
import { createStreams } from 'mongodb-pool-page';
import { cleanUp } from 'test-support/cleanup.js';
import { measureUntil, until } from 'test-support/waiting.js';
import { PoolClient } from 'mongodb-pool-page/client';
import { LEAST_SLOW, serveApp } from '../support/serve-app.js';

const url = await serveApp({ MONGO_POOLSIZE: '2', MONGO_MIN_POOLSIZE: '2' });

/**
 * The first events of a kind.
 * @param {string} kind
 * @param {number} count
 */
async function takeEvents(kind, count) {
  const events = [];
  for await (const event of new PoolClient(url).events(kind)) {
    events.push(event);
    if (events.length === count) return events;
  }
  throw new Error('the stream ended');
}

test('the stream sends the pool at least four times a second', async () => {
  const tookMs = (/** @type {any[]} */ events) => events.at(-1).atMs - events[0].atMs;
  const events = await measureUntil(
    () => takeEvents('pool', 9),
    (taken) => tookMs(taken) <= 2000,
  );
  expect(tookMs(events)).toBeLessThanOrEqual(2000);
  expect(events[0].clients).toMatchObject([{ name: null, max: 2, lanes: [], queue: [], waiting: 0 }]);
});

test('a HEAD request is answered at once', async () => {
  const { status, headers } = await fetch(`${url}/pool/events`, { method: 'HEAD', signal: AbortSignal.timeout(5000) });
  expect({ status, type: headers.get('content-type') }).toEqual({ status: 200, type: 'text/event-stream' });
});

test('a finished request is sent with its wait', async () => {
  const reading = takeEvents('pool', 6);
  await fetch(`${url}/slow`);
  const finished = (await reading).flatMap((event) => event.finished);
  expect(finished).toEqual([expect.objectContaining({ route: '/slow', status: 200, waitMs: expect.any(Number) })]);
  expect(finished[0].totalMs).toBeGreaterThan(LEAST_SLOW * 300);
});

test('a reader that reconnects gets the seconds it missed', async () => {
  await fetch(`${url}/fast`);
  await takeEvents('second', 2);
  const [{ seconds }] = await takeEvents('history', 1);
  expect(seconds.length).toBeGreaterThanOrEqual(2);
  const counts = seconds.map((/** @type {any} */ { routes }) => routes['/fast']?.count ?? 0);
  expect(counts.reduce((/** @type {number} */ sum, /** @type {number} */ count) => sum + count)).toBe(1);
});

test('a reader that does not read is dropped, the others are kept', async () => {
  const streams = createStreams(() => {});
  const server = await listen((req, res) => streams.open(/** @type {any} */ (req), /** @type {any} */ (res)), {
    host: '127.0.0.1',
    port: 0,
  });
  cleanUp(server.close);
  cleanUp(streams.close);
  const port = Number(new URL(server.url).port);
  const sockets = [connect(port, '127.0.0.1'), connect(port, '127.0.0.1')];
  for (const socket of sockets) socket.write('GET / HTTP/1.1\r\nHost: here\r\n\r\n');
  const [deaf, keen] = sockets;
  deaf.pause();
  keen.resume();
  await until('both are connected', () => streams.count === 2);
  await until('one is dropped', () => {
    streams.send('pool', 'x'.repeat(100_000));
    return streams.count === 1;
  });
  expect(keen.destroyed).toBe(false);
  const ended = once(keen, 'close');
  streams.close();
  keen.end();
  await ended;
});

test('closing the streams does not wait for a reader that does not read, and a later send is harmless', async () => {
  const streams = createStreams(() => {});
  const server = await listen((req, res) => streams.open(/** @type {any} */ (req), /** @type {any} */ (res)), {
    host: '127.0.0.1',
    port: 0,
  });
  const deaf = connect(Number(new URL(server.url).port), '127.0.0.1');
  cleanUp(() => deaf.destroy());
  deaf.write('GET / HTTP/1.1\r\nHost: here\r\n\r\n');
  deaf.pause().on('error', () => {});
  await until('it is connected', () => streams.count === 1);
  // One event larger than the kernel's buffers. A reader this far behind is dropped at the next event.
  streams.send('pool', 'x'.repeat(10_000_000));
  streams.close();
  expect(() => streams.send('pool', 'late')).not.toThrow();
  await server.close();
});

test('the summary of a second has its longest queue, not the queue at its end', async () => {
  // Otherwise four would wait for the first connection while the second opens.
  await until('the pool is open', async () => (await (await fetch(`${url}/pool`)).json()).idle === 2);
  const reading = takeEvents('second', 4);
  await Promise.all(Array.from({ length: 5 }, () => fetch(`${url}/slow`)));
  const seconds = await reading;
  expect(Math.max(...seconds.map(({ waiting }) => waiting))).toBe(3);
  expect(Math.max(...seconds.map(({ active }) => active))).toBe(2);
});
