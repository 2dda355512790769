import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import path from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { cleanUp, scratchFolder } from 'test-support/cleanup.js';
import {
  dataFoldersOf,
  isRunning,
  mongodsOf,
  refusesConnections,
  startApp,
  startBusyApp,
} from './support/start-app.js';
import { sharedMongoUrl } from 'test-support/mongod.js';
import { holdRequest } from 'test-support/network.js';
import { until } from 'test-support/waiting.js';

/** On Windows a process can't handle signals. */
const onPosix = process.platform === 'win32' ? describe.skip : describe;

const MONGO_URL = sharedMongoUrl();

describe('a start that fails', () => {
  test.concurrent.each([
    // settings.test.js tests the other invalid values.
    [
      { MONGO_POOLSIZE: 'abc' },
      'MONGO_POOLSIZE=abc is not allowed: it must be a whole number of at least 1 (for the driver, 0 means "no limit")',
    ],
    [
      { MONGO_URL: 'mongodb://127.0.0.1:1', MONGO_SERVER_SELECTION_TIMEOUT_MS: '300' },
      'MONGO_URL: no MongoDB was found within 300 ms: connect ECONNREFUSED 127.0.0.1:1',
    ],
    [
      { MONGO_URL: 'mongodb://127.0.0.1/?color=red' },
      'the driver rejects MONGO_URL with these pool settings: option color is not supported',
    ],
    [
      { MONGOD_PATH: process.execPath },
      `MONGOD_PATH: ${process.execPath} does not run as a mongod ` +
        `(it does not print a version of mongod: ${process.version})`,
    ],
    [
      { TMPDIR: path.resolve('no-such-folder'), TEMP: path.resolve('no-such-folder') },
      `${path.resolve('no-such-folder')} can't be written: no such file or directory. ` +
        'Choose another place with TMPDIR',
    ],
  ])('%j prints one line to stderr and exits with 1', async (settings, line) => {
    const app = startApp(settings);
    expect(await app.ended).toMatchObject({ code: 1, stderr: `${line}\n` });
    expect(await dataFoldersOf(app.pid)).toEqual([]);
  });

  test.concurrent('a bad setting in .env counts too, and each has its line', async () => {
    const cwd = await scratchFolder();
    await writeFile(path.join(cwd, '.env'), 'SLOW_MS=fast\n');
    const { code, stderr } = await startApp({ LOG_LEVEL: 'loud' }, { cwd }).ended;
    expect(code).toBe(1);
    expect(stderr).toMatch(/^SLOW_MS=fast is not allowed.*\nLOG_LEVEL=loud is not allowed.*\n$/);
  });

  test.concurrent('a port in use prints one line, and stops the MongoDB that was started', async () => {
    const squatter = createServer().listen(0, '127.0.0.1');
    cleanUp(() => squatter.close());
    await once(squatter, 'listening');
    const { port } = /** @type {import('node:net').AddressInfo} */ (squatter.address());
    const app = startApp({ PORT: String(port) });
    const mongod = await until('the app has a mongod', async () => (await mongodsOf(app.pid).catch(() => []))[0]);
    expect(await app.ended).toMatchObject({
      code: 1,
      stderr: `PORT=${port} is in use on 127.0.0.1: stop what listens there, or set PORT (0 takes any free port)\n`,
    });
    expect(isRunning(mongod)).toBe(false);
    expect(await dataFoldersOf(app.pid)).toEqual([]);
  });
});

test.concurrent('--help prints routes and settings to stdout, and starts nothing', async () => {
  const { code, stdout, stderr } = await startApp({ MONGO_POOLSIZE: 'abc' }, { args: ['--help'] }).ended;
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toMatch(/\/slow \/fast[^]*MONGO_POOLSIZE[^]*LOG_LEVEL/);
});

test.concurrent('without a terminal it logs JSON, with the pool size and the URL', async () => {
  const app = startApp({ MONGO_URL });
  const url = await app.url;
  app.child.disconnect();
  const { code, stdout, stderr } = await app.ended;
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(
    stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).msg),
  ).toEqual([
    expect.stringMatching(/^MongoDB \d+\.\d+\.\d+, from MONGO_URL/),
    'maxPoolSize 100 (MONGO_POOLSIZE is unset)',
    `listening on ${url}`,
    'shutting down: finishing requests in flight',
  ]);
});

test.concurrent(
  'it logs how slow queries are limited, and waits for those on their own client at shutdown',
  async () => {
    const app = startApp({ MONGO_URL, MONGO_POOLSIZE: '5', SLOW_POOLSIZE: '2', SLOW_CONCURRENCY: '3', SLOW_MS: '500' });
    const slow = await holdRequest(`${await app.url}/slow`);
    app.child.disconnect();
    expect(await slow.answer).toBe(200);
    const { code, stdout, stderr } = await app.ended;
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain('"maxPoolSize 5, 2 for /slow, at most 3 requests of /slow at once"');
  },
);

onPosix('a signal', () => {
  test.concurrent.each(/** @type {const} */ (['SIGTERM', 'SIGINT']))(
    '%s: refuses new connections, answers what runs, stops its MongoDB, exit code 0',
    async (signal) => {
      const app = await startBusyApp({ SLOW_MS: '1500' });
      app.child.kill(signal);
      await until('new connections are refused', () => refusesConnections(app.url));
      expect(app.slow.answered()).toBe(false);
      expect(isRunning(app.mongod)).toBe(true);
      expect(await app.slow.answer).toBe(200);
      expect(await app.ended).toMatchObject({ code: 0, stderr: '' });
      expect(isRunning(app.mongod)).toBe(false);
      expect(await dataFoldersOf(app.pid)).toEqual([]);
    },
  );

  test.concurrent('under load: every accepted request is answered, queued ones too', async () => {
    const app = startApp({ MONGO_URL, MONGO_POOLSIZE: '10', SLOW_MS: '3000' });
    const url = await app.url;
    const answers = Promise.all(
      Array.from({ length: 20 }, () =>
        fetch(`${url}/slow`).then(
          ({ status }) => status,
          (error) => error.cause,
        ),
      ),
    );
    await until('all are running', async () => (await (await fetch(`${url}/pool`)).json()).requests.running === 20);
    app.child.kill('SIGTERM');
    expect(await answers).toEqual(Array(20).fill(200));
    expect(await app.ended).toMatchObject({ code: 0, stderr: '' });
  });

  test.concurrent('during the start: leaves nothing', async () => {
    const app = startApp();
    const mongod = await until('the app has a mongod', async () => (await mongodsOf(app.pid).catch(() => []))[0]);
    app.child.kill('SIGTERM');
    expect(await app.ended).toMatchObject({ code: 0, stderr: '' });
    expect(isRunning(mongod)).toBe(false);
    expect(await dataFoldersOf(app.pid)).toEqual([]);
  });
});

test.concurrent('a parent that disconnects before the app is loaded stops it', async () => {
  const app = startApp({ MONGO_URL: 'mongodb://127.0.0.1:1' });
  app.child.disconnect();
  expect(await app.ended).toMatchObject({ code: 0, stderr: '' });
});

test.concurrent('a parent that disconnects stops it, after requests in flight', async () => {
  const app = await startBusyApp({ SLOW_MS: '500' });
  app.child.disconnect();
  expect(await app.slow.answer).toBe(200);
  expect(await app.ended).toMatchObject({ code: 0, stderr: '' });
  expect(isRunning(app.mongod)).toBe(false);
});

onPosix('when its embedded MongoDB is killed', () => {
  test.concurrent('it prints one line, and exits with 1', async () => {
    const app = startApp();
    await app.url;
    const [mongod] = await mongodsOf(app.pid);
    process.kill(mongod, 'SIGKILL');
    expect(await app.ended).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^the embedded MongoDB .*SIGKILL.*Its data is lost, so the app stops\n$/),
    });
    expect(await dataFoldersOf(app.pid)).toEqual([]);
  });
});

test.concurrent('killed without time to clean up, it leaves no mongod after 5 s', async () => {
  const app = await startBusyApp({ SLOW_MS: '60000' });
  app.child.kill('SIGKILL');
  await until('its mongod has ended', () => !isRunning(app.mongod), 5000);
});
