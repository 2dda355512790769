import { once } from 'node:events';
import { createServer } from 'node:net';
import { expect, test } from '@jest/globals';
import { isTransient } from '../src/base/errors.js';
import { cleanUp } from 'test-support/cleanup.js';
import { sharedMongoUrl } from 'test-support/mongod.js';
import { openDeployment } from './connections.js';

const HASTY = { maxSilenceMs: 300 };

test('a command to a silent server ends, and so does closing', async () => {
  const silent = createServer((socket) => {
    cleanUp(() => socket.destroy());
  }).listen(0, '127.0.0.1');
  cleanUp(() => silent.close());
  await once(silent, 'listening');
  const { port } = /** @type {import('node:net').AddressInfo} */ (silent.address());
  const deployment = openDeployment(`mongodb://127.0.0.1:${port}`, HASTY);
  const failure = await deployment.reach().catch((error) => error);
  expect(failure.message).toMatch(/^the target 127\.0\.0\.1:\d+: no answer within 300 ms/);
  expect(isTransient(failure)).toBe(true);
  await deployment.close();
});

test('a command may take long while the server executes it', async () => {
  const deployment = openDeployment(sharedMongoUrl(), HASTY);
  const slow = {
    aggregate: 1,
    cursor: {},
    pipeline: [
      { $documents: [{}] },
      { $project: { slept: { $function: { body: 'function () { sleep(1000); }', args: [], lang: 'js' } } } },
    ],
  };
  await expect(deployment.command('admin', slow)).rejects.toThrow('no answer within 300 ms');
  let asked = 0;
  const isRunning = async () => {
    asked++;
    return true;
  };
  expect(await deployment.command('admin', slow, { isRunning })).toMatchObject({ ok: 1 });
  expect(asked).toBeGreaterThan(1);
});

test('an error names its end', async () => {
  const deployment = openDeployment(sharedMongoUrl());
  await expect(deployment.command('admin', { nonsense: 1 })).rejects.toThrow(
    /^the target 127\.0\.0\.1:\d+: no such command: 'nonsense'/,
  );
});

test("the connection string's own options win over the defaults", () => {
  const optionsOf = (/** @type {string} */ query) => openDeployment(`mongodb://127.0.0.1/${query}`).options;
  expect(optionsOf('')).toMatchObject({ appName: 'mongodb-pool-lab', connectTimeoutMS: 10_000 });
  expect(optionsOf('?appname=shop&connectTimeoutMS=700&serverSelectionTimeoutMS=800')).toMatchObject({
    appName: 'shop',
    connectTimeoutMS: 700,
    serverSelectionTimeoutMS: 800,
  });
});
