import { beforeAll, expect, test } from '@jest/globals';
import { replicate } from '../src/replication/replicate.js';
import { restoreTtl } from '../src/collections/ttl-indexes.js';
import { until } from 'test-support/waiting.js';
import { startTwoSets } from './connections.js';

/** @import { MongoClient } from 'mongodb' */

const MONITOR_EVERY_S = 1;
const NAMESPACES = { include: ['shop'] };

/** @type {string[]} */
let urls;
/** @type {MongoClient} */
let source;
/** @type {MongoClient} */
let target;
beforeAll(async () => {
  const sets = await startTwoSets(
    ['--setParameter', 'ttlMonitorEnabled=false'],
    ['--setParameter', `ttlMonitorSleepSecs=${MONITOR_EVERY_S}`],
  );
  urls = sets.urls;
  [source, target] = sets.clients;
});

async function replicateNow() {
  const { operationTime } = await source.db('admin').command({ ping: 1 });
  const { done } = await replicate({
    sources: [urls[0]],
    target: urls[1],
    workers: 2,
    hash: 'id',
    from: 'checkpoint',
    until: operationTime,
    namespaces: NAMESPACES,
  });
  await done;
}

/** Waits until the target's TTL monitor has run at least once from start to end. */
async function waitForMonitor() {
  const countPasses = async () => (await target.db('admin').command({ serverStatus: 1 })).metrics.ttl.passes;
  const before = Number(await countPasses());
  await until('two passes of the TTL monitor', async () => Number(await countPasses()) >= before + 2);
}

/** @param {MongoClient} client */
const countSessions = (client) => client.db('shop').collection('sessions').countDocuments();

test('a TTL index has no effect on the target until it is restored', async () => {
  const db = source.db('shop');
  const sessions = db.collection('sessions');
  await sessions.createIndex({ at: 1 }, { expireAfterSeconds: 3600 });
  await db.createCollection('clustered', {
    clusteredIndex: { key: { _id: 1 }, unique: true },
    expireAfterSeconds: 3600,
  });
  await sessions.insertMany(
    Array.from({ length: 20 }, (_, _id) => ({ _id: /** @type {any} */ (_id), at: new Date(0) })),
  );
  await db.command({ collMod: 'sessions', index: { name: 'at_1', expireAfterSeconds: 60, hidden: true } });
  await db.command({ collMod: 'sessions', index: { name: 'at_1', expireAfterSeconds: 30 } });
  await db.command({ collMod: 'clustered', expireAfterSeconds: 30 });
  await replicateNow();
  await waitForMonitor();
  expect(await countSessions(target)).toBe(20);
  expect(await target.db('shop').collection('sessions').indexes()).toEqual([
    expect.anything(),
    { v: 2, key: { at: 1 }, name: 'at_1', hidden: true },
  ]);

  // Extends the lives of ten.
  await sessions.updateMany({ _id: /** @type {any} */ ({ $lt: 10 }) }, { $set: { at: new Date() } });
  await replicateNow();
  expect((await restoreTtl({ sources: [urls[0]], target: urls[1], namespaces: NAMESPACES })).sort()).toEqual([
    'shop.clustered',
    'shop.sessions.at_1',
  ]);
  await until('the expired ones to be deleted', async () => (await countSessions(target)) === 10);
  for (const name of ['sessions', 'clustered']) {
    const [found, expected] = await Promise.all(
      [target, source].map((client) => client.db('shop').command({ listCollections: 1, filter: { name } })),
    );
    expect(found.cursor.firstBatch[0].options).toEqual(expected.cursor.firstBatch[0].options);
  }
  expect(await target.db('shop').collection('sessions').indexes()).toEqual(await sessions.indexes());

  await expect(replicateNow()).rejects.toThrow(
    /^the target 127\S+ deletes expired documents of shop\.(sessions|clustered) by itself \((at_1|clustered)\): it may delete/,
  );
});
