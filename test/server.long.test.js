import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { connect } from 'node:net';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { createStreams } from 'mongodb-pool-page';
import { PoolClient } from 'mongodb-pool-page/client';
import { cleanUp, scratchFolder } from 'test-support/cleanup.js';
import { holdRequest, startSilentHost } from 'test-support/network.js';
import { sharedMongoUrl } from 'test-support/mongod.js';
import { until } from 'test-support/waiting.js';
import { openMongoGate } from './support/mongo-gate.js';
import { serveApp } from './support/serve-app.js';
import { isRunning } from '../src/process/process-info.js';
import { dataFoldersOf, mongodsOf, refusesConnections, startApp } from './support/start-app.js';
import { listen } from '../src/http/listen.js';

const OPEN_FILES = 80;
const ANY_PORT = { host: '127.0.0.1', port: 0 };

/** A process can't handle signals on Windows. */
const onPosix = process.platform === 'win32' ? describe.skip : describe;

/**
 * Starts an app with an embedded MongoDB and a request whose query does not end before `goOn`.
 * @param {Record<string, string>} [settings]
 */
async function startBusyApp(settings) {
  const app = startApp(settings);
  const url = await app.url;
  const [mongod] = await mongodsOf(app.pid);
  process.kill(mongod, 'SIGSTOP');
  return { ...app, url, mongod, held: await holdRequest(`${url}/fast`), goOn: () => process.kill(mongod, 'SIGCONT') };
}

onPosix('the end of an app with a MongoDB of its own', () => {
  /** @typedef {Awaited<ReturnType<typeof startBusyApp>>} BusyApp */
  test.concurrent.each(
    /** @type {[string, (app: BusyApp) => unknown, (app: BusyApp) => unknown][]} */ ([
      [
        'SIGTERM, and then its parent disconnects',
        ({ child }) => child.kill('SIGTERM'),
        ({ child }) => child.disconnect(),
      ],
      ['SIGINT', ({ child }) => child.kill('SIGINT'), () => {}],
      ['its parent disconnects', ({ child }) => child.disconnect(), () => {}],
    ]),
  )('%s: it refuses new connections, answers what runs, stops its MongoDB, exit code 0', async (_, stop, more) => {
    const app = await startBusyApp();
    stop(app);
    await until('new connections are refused', () => refusesConnections(app.url));
    more(app);
    expect(app.held.answered()).toBe(false);
    expect(isRunning(app.mongod)).toBe(true);
    app.goOn();
    expect(await app.held.answer).toBe(200);
    expect(await app.ended).toMatchObject({ code: 0, stderr: '' });
    expect(isRunning(app.mongod)).toBe(false);
    expect(await dataFoldersOf(app.pid)).toEqual([]);
  });

  test.concurrent('a signal during the start leaves nothing', async () => {
    const app = startApp();
    const mongod = await until('the app has a mongod', async () => (await mongodsOf(app.pid).catch(() => []))[0]);
    app.child.kill('SIGTERM');
    expect(await app.ended).toMatchObject({ code: 0, stderr: '' });
    expect(isRunning(mongod)).toBe(false);
    expect(await dataFoldersOf(app.pid)).toEqual([]);
  });

  test.concurrent.each(/** @type {const} */ (['SIGTERM', 'SIGKILL']))(
    '%s during the download of MongoDB ends the download too, and leaves nothing',
    async (signal) => {
      const [host, cache] = await Promise.all([startSilentHost(), scratchFolder()]);
      const app = startApp({ ...host.environment, POOL_LAB_CACHE: cache, SHUTDOWN_TIMEOUT_MS: '1500' });
      const download = await host.called;
      const downloadEnded = once(download, 'close');
      app.child.kill(signal);
      const ended = await app.ended;
      await downloadEnded;
      if (signal === 'SIGKILL') return;
      expect(ended).toMatchObject({ code: 0, stderr: '' });
      expect(await readdir(cache)).toEqual([]);
    },
  );

  test.concurrent('a second signal ends the app at once, and its MongoDB', async () => {
    const app = await startBusyApp();
    app.child.kill('SIGTERM');
    await until('new connections are refused', () => refusesConnections(app.url));
    app.child.kill('SIGTERM');
    expect(await app.ended).toMatchObject({ code: 1 });
    expect(await app.held.answer).toBe(undefined);
    await until('its mongod has ended', () => !isRunning(app.mongod));
  });

  test.concurrent('a request that runs longer than SHUTDOWN_TIMEOUT_MS is aborted', async () => {
    const app = await startBusyApp({ SHUTDOWN_TIMEOUT_MS: '200' });
    app.child.kill('SIGTERM');
    expect(await app.ended).toMatchObject({ code: 1, stderr: 'killed by timeout (200ms)\n' });
    expect(await app.held.answer).toBe(undefined);
    await until('its mongod has ended', () => !isRunning(app.mongod));
  });

  test.concurrent('killed without time to clean up, it leaves no mongod', async () => {
    const app = await startBusyApp();
    app.child.kill('SIGKILL');
    await until('its mongod has ended', () => !isRunning(app.mongod));
  });
});

describe('streams', () => {
  /** @type {Awaited<ReturnType<typeof openMongoGate>>} */
  let gate;
  /** @type {string} */
  let url;
  beforeAll(async () => {
    gate = await openMongoGate();
    url = await serveApp({ MONGO_URL: gate.url, MONGO_POOLSIZE: '2', MONGO_MIN_POOLSIZE: '2', SLOW_MS: '1' });
  });

  /**
   * Events of a kind, up to one that matches.
   * @param {string} kind
   * @param {(event: any) => boolean} isLast
   */
  async function takeEvents(kind, isLast) {
    const events = [];
    for await (const event of new PoolClient(url).events(kind)) {
      events.push(event);
      if (isLast(event)) return events;
    }
    throw new Error('the stream ended');
  }

  test('the stream sends the pool while nothing happens', async () => {
    let left = 9;
    const events = await takeEvents('pool', () => --left === 0);
    expect(events[0].clients).toMatchObject([{ name: null, max: 2, lanes: [], queue: [], waiting: 0 }]);
  });

  test('a HEAD request is answered', async () => {
    const { status, headers } = await fetch(`${url}/pool/events`, { method: 'HEAD' });
    expect({ status, type: headers.get('content-type') }).toEqual({ status: 200, type: 'text/event-stream' });
  });

  test('a finished request is sent with its wait', async () => {
    gate.hold();
    const answer = fetch(`${url}/slow`);
    const events = await takeEvents('pool', ({ clients, finished }) => {
      if (clients[0].active === 1) gate.release();
      return finished.length > 0;
    });
    expect(events.at(-1).finished).toEqual([
      expect.objectContaining({ route: '/slow', status: 200, waitMs: expect.any(Number) }),
    ]);
    await answer;
  });

  const readSeconds = async () => (await (await fetch(`${url}/pool/seconds`)).json()).seconds;

  test('a reader that reconnects gets the seconds it missed', async () => {
    const count = (/** @type {any[]} */ seconds) =>
      seconds.reduce((sum, { routes }) => sum + (routes['/fast']?.count ?? 0), 0);
    await fetch(`${url}/fast`);
    await until('its second is over', async () => count(await readSeconds()) > 0);
    const [{ seconds }] = await takeEvents('history', () => true);
    expect(count(seconds)).toBe(1);
  });

  test('the summary of a second has its longest queue, not the queue at its end', async () => {
    gate.hold();
    const answers = Array.from({ length: 5 }, () => fetch(`${url}/slow`));
    await takeEvents('pool', ({ clients }) => clients[0].waiting === 3);
    gate.release();
    await Promise.all(answers);
    const lastOf = async () => (await readSeconds()).at(-1)?.id ?? 0;
    const before = await lastOf();
    await until('the second is over', async () => (await lastOf()) > before);
    const seconds = await readSeconds();
    expect(Math.max(...seconds.map((/** @type {any} */ { waiting }) => waiting))).toBe(3);
    expect(Math.max(...seconds.map((/** @type {any} */ { active }) => active))).toBe(2);
  });

  test('a reader that does not read is dropped, the others are kept', async () => {
    const streams = createStreams(() => {});
    const server = await listen(
      (req, res) => streams.open(/** @type {any} */ (req), /** @type {any} */ (res)),
      ANY_PORT,
    );
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
    const server = await listen(
      (req, res) => streams.open(/** @type {any} */ (req), /** @type {any} */ (res)),
      ANY_PORT,
    );
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
});

onPosix('an app without a file descriptor left', () => {
  test('warns once that it closes new connections, and answers again when there are some', async () => {
    const app = startApp({ MONGO_URL: sharedMongoUrl(), MONGO_POOLSIZE: '2' }, { openFiles: OPEN_FILES });
    const url = await app.url;
    const connectOne = () => connect(Number(new URL(url).port), '127.0.0.1').on('error', () => {});
    const sockets = Array.from({ length: OPEN_FILES }, connectOne);
    const output = /** @type {import('node:stream').Readable} */ (app.child.stdout);
    await until(
      'it warns',
      () => new Promise((resolve) => output.once('data', (text) => resolve(/many open/.test(text)))),
    );
    for (const socket of sockets) socket.destroy();
    const answers = () =>
      fetch(`${url}/livez`).then(
        ({ ok }) => ok,
        () => false,
      );
    await until('it answers', answers);
    await app.stop();
    const warnings = (await app.ended).stdout.split('\n').filter((line) => line.includes('"level":40'));
    expect(warnings.map((line) => JSON.parse(line).msg)).toEqual([
      expect.stringMatching(/^too many open files, so new connections are closed\. .* may have 80 open files: /),
    ]);
  });
});
