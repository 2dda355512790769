import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { connect } from 'node:net';
import { describe, expect, test } from '@jest/globals';
import { createStreams } from 'mongodb-pool-page';
import { PoolClient } from 'mongodb-pool-page/client';
import { cleanUp, scratchFolder } from 'test-support/cleanup.js';
import { startSilentHost } from 'test-support/network.js';
import { measureUntil, until } from 'test-support/waiting.js';
import { isRunning, refusesConnections, startApp, startBusyApp } from './support/start-app.js';
import { listen } from '../src/http/listen.js';
import { LEAST_SLOW, serveApp } from './support/serve-app.js';

const url = await serveApp({ MONGO_POOLSIZE: '2', MONGO_MIN_POOLSIZE: '2' });

describe('the end of the app', () => {
  /** On Windows a process can't handle signals. */
  const onPosix = process.platform === 'win32' ? describe.skip : describe;

  onPosix('a signal', () => {
    test.concurrent('a parent that disconnects after the signal does not speed it up', async () => {
      const app = await startBusyApp({ SLOW_MS: '1500' });
      app.child.kill('SIGTERM');
      await until('new connections are refused', () => refusesConnections(app.url));
      app.child.disconnect();
      expect(await app.slow.answer).toBe(200);
      expect(await app.ended).toMatchObject({ code: 0 });
      expect(isRunning(app.mongod)).toBe(false);
    });

    test.concurrent('during the download of MongoDB: ends the download and leaves nothing', async () => {
      const [host, cache] = await Promise.all([startSilentHost(), scratchFolder()]);
      const app = startApp({ ...host.environment, POOL_LAB_CACHE: cache, SHUTDOWN_TIMEOUT_MS: '1500' });
      const download = await host.called;
      const downloadEnded = once(download, 'close');
      app.child.kill('SIGTERM');
      expect(await app.ended).toMatchObject({ code: 0, stderr: '' });
      await downloadEnded;
      expect(await readdir(cache)).toEqual([]);
    });

    test.concurrent('repeated: ends the app at once, and its MongoDB within 5 s', async () => {
      const app = await startBusyApp({ SLOW_MS: '60000' });
      app.child.kill('SIGTERM');
      await until('new connections are refused', () => refusesConnections(app.url));
      app.child.kill('SIGTERM');
      expect(await app.ended).toMatchObject({ code: 1 });
      expect(await app.slow.answer).toBe(undefined);
      await until('its mongod has ended', () => !isRunning(app.mongod), 5000);
    });

    test.concurrent('a request that runs longer than SHUTDOWN_TIMEOUT_MS is aborted', async () => {
      const app = await startBusyApp({ SLOW_MS: '60000', SHUTDOWN_TIMEOUT_MS: '200' });
      app.child.kill('SIGTERM');
      expect(await app.ended).toMatchObject({ code: 1, stderr: 'killed by timeout (200ms)\n' });
      expect(await app.slow.answer).toBe(undefined);
      await until('its mongod has ended', () => !isRunning(app.mongod), 5000);
    });
  });

  test.concurrent('killed during the download of MongoDB, it ends the download too', async () => {
    const [host, cache] = await Promise.all([startSilentHost(), scratchFolder()]);
    const app = startApp({ ...host.environment, POOL_LAB_CACHE: cache });
    const download = await host.called;
    const downloadEnded = once(download, 'close');
    app.child.kill('SIGKILL');
    await downloadEnded;
  });
});

describe('slow clients', () => {
  // Node's own limits are one minute and five, and it looks every half minute.
  test.concurrent.each([
    ['headers that never end', 'GET / HTTP/1.1\r\nHost: a\r\nX: ', 10_000],
    ['a body that never ends', 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nx', 20_000],
  ])('%s hold a connection for so long and no longer', async (_, text, limitMs) => {
    const server = await listen(
      (req, res) => {
        req.resume().once('end', () => res.end('x'));
      },
      { host: '127.0.0.1', port: 0 },
    );
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
});

describe('streams', () => {
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
    const { status, headers } = await fetch(`${url}/pool/events`, {
      method: 'HEAD',
      signal: AbortSignal.timeout(5000),
    });
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
});
