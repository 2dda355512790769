import { expect, test } from '@jest/globals';
import { ConflictError } from '../src/base/errors.js';
import { CHECKPOINT_DATABASE } from '../src/base/namespaces.js';
import { replicate } from '../src/replication/replicate.js';
import { startTwoSets } from './connections.js';
import { describeData } from './describe-data.js';

/** @import { Collection } from 'mongodb' */

test('a restart runs no command again, although a document holds the checkpoint back', async () => {
  const { clients, urls } = await startTwoSets();
  const [source, target] = clients.map((client) => client.db('shop'));
  /** @param {string} name @returns {Collection<any>} */
  const collection = (name, db = source) => db.collection(name);
  const now = async () => (await source.admin().command({ ping: 1 })).operationTime;
  const run = async (/** @type {Partial<import('../src/index.js').ReplicateOptions>} */ changes) => {
    const { done } = await replicate({
      sources: [urls[0]],
      target: urls[1],
      workers: 2,
      hash: 'id',
      from: 'checkpoint',
      ...changes,
    });
    await done;
  };

  for (const name of ['deleted', 'moved', 'renamed', 'replacing', 'replaced', 'swapped', 'other', 'indexed']) {
    await collection(name).insertOne({ _id: 1, in: name });
  }
  await collection('moved').createIndex({ x: 1 }, { unique: true });
  const copied = await now();
  await run({ until: copied });
  // As if these had been copied later: after their last changes below.
  await collection('deleted', target).deleteOne({});
  await collection('moved', target).insertOne({ _id: 2, x: 1 });

  await collection('deleted').updateOne({}, { $set: { x: 1 } });
  await collection('moved').updateOne({}, { $set: { x: 1, y: 1 } });
  await collection('renamed').rename('now');
  await collection('renamed').insertOne({ _id: 2 });
  await collection('replaced').insertOne({ _id: 2 });
  await collection('replacing').rename('replaced', { dropTarget: true });
  await collection('replacing').insertOne({ _id: 3 });
  await collection('swapped').updateOne({}, { $set: { x: 1 } });
  await collection('swapped').rename('free');
  await collection('other').rename('swapped');
  await collection('free').rename('other');
  await collection('indexed').createIndex({ x: 1 }, { unique: true, name: 'x' });
  await collection('indexed').dropIndexes();
  await collection('indexed').insertMany([{ x: 1 }, { x: 1 }]);
  await collection('indexed').createIndex({ y: 1 }, { name: 'x' });
  await collection('moved').rename('moved on');
  await collection('renamed').insertOne({ _id: 3 });
  const until = await now();
  await collection('deleted').deleteOne({});
  await collection('moved on').updateOne({}, { $set: { x: 2 } });
  await collection('moved on').insertOne({ _id: 2, x: 1 });

  for (const from of /** @type {const} */ ([copied, 'checkpoint'])) {
    await expect(run({ from, until })).rejects.toThrow(ConflictError);
  }
  await run({ until: await now() });
  const [expected, found] = await Promise.all(clients.map(describeData));
  expect(found).toEqual(expected);
  expect(await clients[1].db(CHECKPOINT_DATABASE).collection('deferred').countDocuments()).toBe(0);
});
