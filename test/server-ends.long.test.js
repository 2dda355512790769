import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { describe, expect, test } from '@jest/globals';
import { scratchFolder } from 'test-support/cleanup.js';
import { startSilentHost } from 'test-support/network.js';
import { until } from 'test-support/waiting.js';
import { isRunning } from './support/embedded-files.js';
import { refusesConnections, startApp, startBusyApp } from './support/start-app.js';

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
