import { expect, test } from '@jest/globals';
import { BSON, MongoClient } from 'mongodb';
import { End } from '../../src/end.js';
import { createNamespaces } from '../../src/namespaces.js';
import { createTarget } from '../../src/target/target.js';
import { cleanUp } from '../../../../test/support/cleanup.js';
import { startReplicaSet } from '../../../../test/support/mongod-process.js';

/** @param {string} url */
function open(url) {
  const end = new End(url, { role: 'target', maxSilenceMs: 10_000 });
  cleanUp(() => end.close());
  return createTarget(end, { replication: 'one' });
}

// The driver's private lib/cmap/commands.js: no public method takes bytes. This fails if a release changes it.
test('the driver sends documents byte for byte', async () => {
  const client = new MongoClient(String(process.env.TEST_MONGO_URL));
  cleanUp(() => client.close());
  const collection = client.db('target').collection('bytes');
  await collection.deleteMany({});
  // As an object, it would be { 1: 1, _id: 1, b: 1 }.
  const documents = [1, 2].map((_id) => (
    Buffer.from(BSON.serialize(new Map(/** @type {[string, number][]} */ ([['_id', _id], ['b', 1], ['1', 1]]))))));
  const namespace = createNamespaces().named('target.bytes');
  expect(await open(String(process.env.TEST_MONGO_URL)).write(namespace, 'insert', 'documents', documents))
    .toEqual({ matched: 2, errors: [] });
  const found = await collection.find({}, { raw: true }).sort({ _id: 1 }).toArray();
  expect(found.map((each) => Buffer.from(/** @type {any} */ (each)))).toEqual(documents);
});

test('commands that are sent at the same time do not mix, whatever their size', async () => {
  const client = new MongoClient(String(process.env.TEST_MONGO_URL));
  cleanUp(() => client.close());
  const collection = client.db('target').collection('parallel');
  await collection.deleteMany({});
  const namespace = createNamespaces().named('target.parallel');
  const target = open(String(process.env.TEST_MONGO_URL));
  const sizes = [10, 3_000_000, 12_000_000, 100_000, 12_000_000, 5];
  await Promise.all(sizes.map((size, _id) => (
    target.write(namespace, 'insert', 'documents', [Buffer.from(BSON.serialize({ _id, text: String(_id).repeat(size) }))]))));
  const found = await collection.find().sort({ _id: 1 }).toArray();
  expect(found.map(({ text }, _id) => text === String(_id).repeat(text.length) && text.length)).toEqual(sizes);
});

test('a session waits for writes of the previous one, which the server still executes after its client is gone', async () => {
  const { url } = await startReplicaSet();
  const after = new MongoClient(url);
  const ends = [0, 1].map(() => new End(url, { role: 'target', maxSilenceMs: 10_000 }));
  cleanUp(() => Promise.all([after, ...ends].map((one) => one.close())));
  const namespace = createNamespaces().named('shop.a');
  const collection = after.db('shop').collection('a');
  await collection.insertOne({ first: true });

  await after.db('admin').command({ fsync: 1, lock: true });
  const writing = createTarget(ends[0], { replication: 'one' })
    .write(namespace, 'insert', 'documents', [Buffer.from(BSON.serialize({ _id: 1 }))]);
  const target = createTarget(ends[1], { replication: 'one' });
  // Poll until the server executes the write.
  for (let found = 0; found === 0;) {
    const { inprog } = await after.db('admin').command({ currentOp: 1, ns: 'shop.a', op: 'insert' });
    found = inprog.length;
  }
  const waiting = target.waitForWrites().then(async () => collection.countDocuments());
  // Another replication does not wait.
  await createTarget(ends[1], { replication: 'other' }).waitForWrites();
  await after.db('admin').command({ fsyncUnlock: 1 });
  expect(await waiting).toBe(2);
  expect(await writing).toEqual({ matched: 1, errors: [] });
});
