import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { beforeAll, expect, test } from '@jest/globals';
import { MongoClient } from 'mongodb';
import { openDelayProxy } from '../../../src/harness/delay-proxy.js';
import { CHECKPOINT_DATABASE } from '../src/namespaces.js';
import { replicate } from '../src/replicate.js';
import { createRandom } from '../../pool-predictor/src/simulator/random.js';
import { cleanUp } from '../../../test/support/cleanup.js';
import { startReplicaSet } from '../../../test/support/mongod-process.js';
import { until } from '../../../test/support/until.js';
import { describeData } from './describe-data.js';
import { EXCLUDED, writeAnything } from './write-anything.js';

/** @import { ReplicateOptions } from '../src/replicate.js' */

const REPLICATOR = fileURLToPath(new URL('replicator-process.js', import.meta.url));
const KILLS = 20;
/** How many of them may come before the copy is complete. */
const EARLY_KILLS = 5;

/** @type {Awaited<ReturnType<typeof startReplicaSet>>} */
let source;
/** @type {Awaited<ReturnType<typeof startReplicaSet>>} */
let target;
/** @type {MongoClient} */
let sourceClient;
/** @type {MongoClient} */
let targetClient;
/** @type {import('../../../src/harness/delay-proxy.js').DelayProxy} to the source */
let proxy;
/** @type {ReplicateOptions} */
let options;
/** @type {ReplicateOptions} the same, with the source behind the proxy */
let proxyOptions;
beforeAll(async () => {
  [source, target] = await Promise.all([startReplicaSet(['--setParameter', 'ttlMonitorSleepSecs=1']), startReplicaSet()]);
  [sourceClient, targetClient] = [source, target].map(({ url }) => new MongoClient(url));
  proxy = await openDelayProxy({ host: '127.0.0.1', port: source.port });
  cleanUp(proxy.close);
  cleanUp(() => Promise.all([sourceClient.close(), targetClient.close()]));
  options = {
    sources: [source.url], target: target.url, workers: 3, hash: 'id', from: 'snapshot',
    checkpointEveryMs: 50, namespaces: { exclude: [`shop.${EXCLUDED}`] },
  };
  proxyOptions = { ...options, sources: [`mongodb://127.0.0.1:${proxy.port}/?directConnection=true`] };
});

/** @param {number} seed @returns {() => Promise<unknown>} stops it */
function keepWriting(seed) {
  const random = createRandom(seed);
  let isWriting = true;
  const write = async () => {
    while (isWriting) await writeAnything(sourceClient, sourceClient.db('shop'), random);
  };
  const writing = Promise.all([write(), write()]);
  const stop = () => {
    isWriting = false;
    return writing;
  };
  // After a test that failed, it would go on forever.
  cleanUp(stop);
  return stop;
}

async function expectIdentical() {
  // It would go on deleting while the data is compared.
  await sourceClient.db('admin').command({ setParameter: 1, ttlMonitorEnabled: false });
  const { operationTime } = await sourceClient.db('admin').command({ ping: 1 });
  const { done } = await replicate({ ...options, until: operationTime });
  await done;
  const [expected, found] = await Promise.all([sourceClient, targetClient].map(describeData));
  delete expected[`shop.${EXCLUDED}`];
  expect(expected).not.toEqual({});
  expect(found).toEqual(expected);
  await sourceClient.db('admin').command({ setParameter: 1, ttlMonitorEnabled: true });
}

test('killed at random moments, while it copies and later, it loses nothing and applies nothing twice', async () => {
  const stopWriting = keepWriting(1);
  const { uniform } = createRandom(2);
  const copies = targetClient.db(CHECKPOINT_DATABASE).collection('copies');
  for (let kills = 0; kills < KILLS; kills++) {
    const child = spawn(process.execPath, [REPLICATOR, JSON.stringify(options)], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
    await once(child, 'message'); // The replication has begun.
    if (kills >= EARLY_KILLS) await until('the copy', () => copies.countDocuments({ phase: 'done' }));
    await sleep(uniform() * 400);
    expect(child.exitCode).toBe(null);
    child.kill('SIGKILL');
    await once(child, 'exit');
  }
  await stopWriting();
  await expectIdentical();
});

test.each([
  ['the source is killed', async () => {
    await source.kill('SIGKILL');
    await source.start();
  }],
  ['the target is killed', async () => {
    await target.kill('SIGKILL');
    await target.start();
  }],
  ['the target shuts down cleanly', async () => {
    await target.kill('SIGTERM');
    await target.start();
  }],
  ['the target elects its primary again', () => targetClient.db('admin').command({ replSetStepDown: 1, force: true })],
  ['the target hangs', async () => {
    target.pause();
    await sleep(300);
    target.goOn();
  }],
  ['the connection to the source is cut', async () => {
    proxy.cut();
    await proxy.restore();
  }],
])('it continues by itself when %s', async (_, disturb) => {
  const stopWriting = keepWriting(3);
  const { figures, stop, done } = await replicate(proxyOptions);
  cleanUp(stop);
  const waitForMore = async () => {
    const before = figures().ops;
    await Promise.race([until('more operations', () => figures().ops > before + 100), done]);
  };
  await waitForMore();
  await disturb();
  await waitForMore();
  await stopWriting();
  await stop();
  await done;
  await expectIdentical();
});

test('a stop just after the connection was cut ends it cleanly', async () => {
  const { figures, stop, done } = await replicate(proxyOptions);
  cleanUp(stop);
  const collection = sourceClient.db('shop').collection('a');
  await collection.insertOne({});
  await until('it follows', () => figures().inserts > 0);
  target.pause();
  // On a busy machine its threads stop up to 0.1 s later, and may still answer.
  await until('a write is under way', async () => {
    await collection.insertOne({});
    return figures().backlog > 0;
  });
  proxy.cut();
  // It notices the cut and waits for the write.
  await sleep(300);
  const stopped = stop();
  target.goOn();
  await proxy.restore();
  await stopped;
  await done;
  await expectIdentical();
});

test('it fails when a server remains down, and can be restarted', async () => {
  const { done } = await replicate({ ...options, target: `${target.url}&serverSelectionTimeoutMS=300` });
  await target.kill('SIGKILL');
  await sourceClient.db('shop').collection('a').insertOne({ late: true });
  await expect(done).rejects.toThrow(/^the target 127\.0\.0\.1:\d+: no MongoDB was found within 300 ms: /);
  await target.start();
  await expectIdentical();
});
