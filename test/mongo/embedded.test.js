import { writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { MongoClient } from 'mongodb';
import { startEmbeddedMongo } from '../../src/mongo/embedded.js';
import { readSettings } from '../../src/settings.js';
import { cleanUp, scratchFolder } from 'test-support/cleanup.js';
import { dataFoldersOf, isRunning, mongodsOf } from '../support/embedded-files.js';

/** @param {Partial<Parameters<typeof startEmbeddedMongo>[0]>} [options] */
async function start(options) {
  const mongo = await startEmbeddedMongo({ ...readSettings(), ...options });
  cleanUp(mongo.stop);
  return mongo;
}

/** Jest's own process has one more when it runs this file itself. */
const others = await mongodsOf(process.pid);
const ownMongods = async () => (await mongodsOf(process.pid)).filter((pid) => !others.includes(pid));

/** @param {string} url */
async function membersOf(url) {
  const client = new MongoClient(url);
  cleanUp(() => client.close());
  const { members } = await client.db('admin').command({ replSetGetStatus: 1 });
  return members.map((/** @type {{ stateStr: string }} */ { stateStr }) => stateStr).sort();
}

describe('one member', () => {
  /** @type {import('../../src/mongo/embedded.js').EmbeddedMongo} */
  let mongo;
  beforeAll(async () => {
    mongo = await start();
  });

  test('is a replica set that accepts writes', async () => {
    const client = new MongoClient(mongo.url);
    cleanUp(() => client.close());
    await client
      .db('test')
      .collection('any')
      .insertOne({ written: true }, { writeConcern: { w: 'majority' } });
    const { version } = await client.db('admin').command({ buildInfo: 1 });
    expect(mongo.version).toBe(version);
    expect(await membersOf(mongo.url)).toEqual(['PRIMARY']);
    // Its file would outlive a mongod that is killed.
    const { parsed } = await client.db('admin').command({ getCmdLineOpts: 1 });
    expect(parsed.net.unixDomainSocket.enabled).toBe(false);
  });

  test('listens only on loopback', () => {
    expect(new URL(mongo.url).hostname).toBe('127.0.0.1');
  });

  test('stopping it, even twice, ends its process and removes its data', async () => {
    const [mongod] = await ownMongods();
    expect(isRunning(mongod)).toBe(true);
    await mongo.stop();
    expect(isRunning(mongod)).toBe(false);
    expect(await ownMongods()).toEqual([]);
    await mongo.stop();
  });
});

test('three members elect a primary', async () => {
  const { url, stop } = await start({ members: 3 });
  expect(await membersOf(url)).toContain('PRIMARY');
  const mongods = await ownMongods();
  expect(mongods.filter(isRunning)).toHaveLength(3);
  await stop();
  expect(mongods.filter(isRunning)).toEqual([]);
});

test('a mongod that refuses its arguments is a clear error, and leaves nothing over', async () => {
  const folders = await dataFoldersOf(process.pid);
  await expect(start({ args: ['--no-such-option'] })).rejects.toThrow(
    /^mongod \d+\.\d+\.\d+ \(.*mongod.*\) did not start: /,
  );
  expect(await dataFoldersOf(process.pid)).toEqual(folders);
});

/** Windows runs no shell scripts. */
const onPosix = process.platform === 'win32' ? test.skip : test;

// What mongod 6.0.5 logs on a full disk. Its last lines are a stack trace.
onPosix('a full disk is named, with the setting for another one', async () => {
  const folder = await scratchFolder();
  const message =
    '{"s":"E","c":"WT","msg":"WiredTiger error message","attr":{"error":28,"message":"No space left on device"}}';
  await writeFile(path.join(folder, 'log'), `${message}\n{"s":"F","msg":"aborting"}\n{"s":"I","msg":"Frame"}\n`);
  const mongodPath = path.join(folder, 'mongod');
  const script = `[ "$1" = --version ] && echo 'db version v6.0.5' && exit; cat '${folder}/log'; kill -ABRT $$`;
  await writeFile(mongodPath, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  await expect(start({ mongodPath })).rejects.toThrow(
    `did not start: No space left on device: ${os.tmpdir()} is full, so set TMPDIR to another folder`,
  );
});

test.each([1, 150, 600, 1500])(
  'stopped %i ms into its start, it ends at once and leaves nothing over',
  async (afterMs) => {
    const folders = await dataFoldersOf(process.pid);
    const controller = new AbortController();
    const starting = start({ signal: controller.signal, members: 3 });
    await Promise.race([starting.catch(() => {}), sleep(afterMs)]);
    controller.abort(new Error('no more'));
    const abortedAt = performance.now();
    await expect(starting).rejects.toThrow('no more');
    expect(performance.now() - abortedAt).toBeLessThan(5000);
    expect(await dataFoldersOf(process.pid)).toEqual(folders);
  },
);

test('a mongod that is killed is reported', async () => {
  const { died } = await start();
  const [pid] = await ownMongods();
  process.kill(pid, 'SIGKILL');
  expect(await died).toEqual(new Error('the embedded MongoDB ended unexpectedly (signal SIGKILL)'));
});
