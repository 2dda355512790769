import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import path from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { scratchFolder } from 'test-support/cleanup.js';
import { holdRequest } from 'test-support/network.js';
import { listen } from 'test-support/processes.js';
import { until } from 'test-support/waiting.js';
import { openMongoGate } from './support/mongo-gate.js';
import { isRunning } from '../src/process/process-info.js';
import { dataFoldersOf, mongodsOf, refusesConnections, startApp } from './support/start-app.js';

/** A process can't handle signals on Windows. */
const onPosix = process.platform === 'win32' ? test.skip : test;

describe('a start that fails', () => {
  onPosix('with too few open files, one line says so', async () => {
    expect(await startApp({}, { openFiles: 30 }).ended).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(
        /^The app can't be loaded: .*\. This process may have 30 open files: .* ulimit -n 4096\n$/,
      ),
    });
  });

  test.concurrent('a bad setting in .env counts too, and each has its line', async () => {
    const cwd = await scratchFolder();
    await writeFile(path.join(cwd, '.env'), 'SLOW_MS=fast\n');
    const { code, stderr } = await startApp({ LOG_LEVEL: 'loud' }, { cwd }).ended;
    expect(code).toBe(1);
    expect(stderr).toMatch(/^SLOW_MS=fast is not allowed.*\nLOG_LEVEL=loud is not allowed.*\n$/);
  });

  test.concurrent('a temporary folder that is not there is named, with the setting for another one', async () => {
    const folder = path.resolve('no-such-folder');
    expect(await startApp({ TMPDIR: folder, TEMP: folder }).ended).toMatchObject({
      code: 1,
      stderr: `${folder} can't be written: no such file or directory. Choose another place with TMPDIR\n`,
    });
  });

  test.concurrent('a port in use prints one line, and stops the MongoDB that was started', async () => {
    const squatter = createServer();
    const port = await listen(squatter);
    const app = startApp({ PORT: String(port) });
    let mongods = /** @type {number[]} */ ([]);
    const ended = app.ended.finally(() => squatter.close());
    await Promise.race([
      ended,
      until('the app has a mongod', async () => {
        mongods = await mongodsOf(app.pid).catch(() => []);
        return mongods.some(Boolean);
      }),
    ]);
    expect(await ended).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(`^PORT=${port} is in use on 127.0.0.1: .*another port .*\n$`),
    });
    expect(mongods.filter(isRunning)).toEqual([]);
    expect(await dataFoldersOf(app.pid)).toEqual([]);
  });
});

onPosix('SIGTERM: refuses new connections, answers what it accepted, queued or not, and logs JSON', async () => {
  const gate = await openMongoGate();
  const settings = { MONGO_POOLSIZE: '5', SLOW_POOLSIZE: '2', SLOW_CONCURRENCY: '6', SLOW_MS: '1' };
  const app = startApp({ MONGO_URL: gate.url, ...settings });
  const url = await app.url;
  gate.hold('mongodb-pool-lab-slow');
  const requests = await Promise.all(Array.from({ length: 6 }, () => holdRequest(`${url}/slow`)));
  app.child.kill('SIGTERM');
  await until('new connections are refused', () => refusesConnections(url));
  expect(requests.map(({ answered }) => answered())).toEqual(Array(6).fill(false));
  gate.release();
  expect(await Promise.all(requests.map(({ answer }) => answer))).toEqual(Array(6).fill(200));
  const { code, stdout, stderr } = await app.ended;
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  const lines = stdout.trim().split('\n');
  expect(lines.map((line) => JSON.parse(line).msg)).toEqual([
    expect.stringMatching(/^MongoDB \d+\.\d+\.\d+, from MONGO_URL/),
    'maxPoolSize 5, 2 for /slow, at most 6 requests of /slow at once',
    `listening on ${url}`,
    'shutting down: finishing requests in flight',
  ]);
});

test('a parent that disconnects before the app is loaded stops it', async () => {
  const app = startApp({ MONGO_URL: 'mongodb://127.0.0.1:1' });
  app.child.disconnect();
  expect(await app.ended).toMatchObject({ code: 0, stderr: '' });
});

onPosix('when its embedded MongoDB is killed it prints one line, and exits with 1', async () => {
  const app = startApp();
  await app.url;
  const [mongod] = await mongodsOf(app.pid);
  process.kill(mongod, 'SIGKILL');
  expect(await app.ended).toMatchObject({
    code: 1,
    stderr: 'the embedded MongoDB ended unexpectedly (signal SIGKILL). Its data is lost, so the app stops\n',
  });
  expect(await dataFoldersOf(app.pid)).toEqual([]);
});
