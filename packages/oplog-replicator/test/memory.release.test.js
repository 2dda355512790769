import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { cleanUp } from 'test-support/cleanup.js';
import { until } from 'test-support/waiting.js';
import { CHECKPOINT_DATABASE } from '../src/base/namespaces.js';
import { describeData, startTwoSets } from './connections.js';

/** @import { MongoClient } from 'mongodb' */
/** @import { ReplicateOptions } from '../src/replication/replicate.js' */

describe('memory', () => {
  const REPLICATOR = fileURLToPath(new URL('replicator-process.js', import.meta.url));
  const LARGE = 'x'.repeat(10e6);
  const DOCUMENTS = 30;
  /** Size of all documents, without Node.js. */
  const TOTAL_MB = 300;

  /** @type {string[]} */
  let urls;
  /** @type {MongoClient[]} */
  let clients;
  beforeAll(async () => {
    ({ urls, clients } = await startTwoSets());
  });

  /** Resolves once the replication has begun. @param {Pick<ReplicateOptions, 'from' | 'until'>} options */
  async function startReplicator(options) {
    const all = { sources: [urls[0]], target: urls[1], workers: 4, hash: 'id', ...options };
    const child = fork(REPLICATOR, [JSON.stringify(all)]);
    cleanUp(() => child.kill('SIGKILL'));
    await once(child, 'message');
    return child;
  }

  // Most of what is measured is garbage, which a busy machine collects later.
  test('small updates of large documents do not hold all of them in memory', async () => {
    const [source, target] = clients;
    const collection = source.db('shop').collection('a');
    for (let number = 0; number < DOCUMENTS; number++) await collection.insertOne({ number, LARGE });
    await collection.updateMany({}, { $set: { changed: true } });
    await collection.createIndex({ number: 1 }, { unique: true });
    for (let round = 0; round < 20; round++) await collection.updateOne({ number: 1 }, { $set: { round } });
    const child = await startReplicator({ from: 'start' });
    await until('the last update', () => target.db('shop').collection('a').findOne({ number: 1, round: 19 }), 80_000);
    child.kill('SIGTERM');
    const [{ peakRssMB }] = await once(child, 'message');
    expect(await describeData(target)).toEqual(await describeData(source));
    expect(peakRssMB).toBeLessThan(TOTAL_MB);
  });

  test('neither does a copy', async () => {
    const [source, target] = clients;
    await Promise.all(['shop', CHECKPOINT_DATABASE].map((name) => target.db(name).dropDatabase()));
    const child = await startReplicator({ from: 'snapshot', until: 'caught up' });
    const [{ peakRssMB }] = await once(child, 'message');
    expect(await describeData(target)).toEqual(await describeData(source));
    expect(peakRssMB).toBeLessThan(TOTAL_MB);
  });
});
