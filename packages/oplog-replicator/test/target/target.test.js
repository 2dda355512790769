import { createHash } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { BSON, ObjectId } from 'mongodb';
import { createNamespaces } from '../../src/base/namespaces.js';
import { createDeferredStore } from '../../src/target/deferred-store.js';
import { Target } from '../../src/target/target.js';
import { startReplicaSet } from 'test-support/cleanup.js';
import { sharedMongoUrl } from 'test-support/mongod.js';
import { openClient, openDeployment } from '../connections.js';

/** @param {string} url */
function open(url) {
  return new Target(openDeployment(url), { replication: 'one' });
}

// The driver's private lib/cmap/commands.js: no public method takes bytes. This fails if a release changes it.
test('the driver sends documents byte for byte', async () => {
  const collection = openClient(sharedMongoUrl()).db('target').collection('bytes');
  await collection.deleteMany({});
  // As an object, it would be { 1: 1, _id: 1, b: 1 }.
  const documents = [1, 2].map((_id) =>
    Buffer.from(
      BSON.serialize(
        new Map(
          /** @type {[string, number][]} */ ([
            ['_id', _id],
            ['b', 1],
            ['1', 1],
          ]),
        ),
      ),
    ),
  );
  const namespace = createNamespaces().named('target.bytes');
  expect(await open(sharedMongoUrl()).write(namespace, 'insert', 'documents', documents)).toEqual({
    matched: 2,
    errors: [],
  });
  const found = await collection.find({}, { raw: true }).sort({ _id: 1 }).toArray();
  expect(found.map((each) => Buffer.from(/** @type {any} */ (each)))).toEqual(documents);
});

test('commands that are sent at the same time do not mix, whatever their size', async () => {
  const collection = openClient(sharedMongoUrl()).db('target').collection('parallel');
  await collection.deleteMany({});
  const namespace = createNamespaces().named('target.parallel');
  const target = open(sharedMongoUrl());
  const sizes = [10, 3_000_000, 12_000_000, 100_000, 12_000_000, 5];
  await Promise.all(
    sizes.map((size, _id) =>
      target.write(namespace, 'insert', 'documents', [
        Buffer.from(BSON.serialize({ _id, text: String(_id).repeat(size) })),
      ]),
    ),
  );
  const found = await collection.find().sort({ _id: 1 }).toArray();
  expect(found.map(({ text }, _id) => text === String(_id).repeat(text.length) && text.length)).toEqual(sizes);
});

test('what is deferred may be larger than a document, and replaces what was stored before', async () => {
  const store = createDeferredStore(open(sharedMongoUrl()), { name: 'one', source: new ObjectId() });
  const writes = ['x', 'y', 'z'].map((letter, _id) => ({
    name: `shop.${letter}`,
    reason: `because of ${letter}`,
    id: Buffer.from(BSON.serialize({ _id })),
    document: _id === 1 ? null : Buffer.from(BSON.serialize({ _id, text: letter.repeat(5_000_000) })),
  }));
  const old = await store.write(writes.slice(1));
  const set = await store.write(writes);
  await store.deleteOthers(set);
  expect(await store.read(old)).toEqual([]);
  const found = await store.read(set);
  await store.deleteOthers(null);
  // Comparing these documents as arrays would take seconds.
  const shorten = (/** @type {typeof found[0]} */ { document, ...write }) => ({
    ...write,
    hash: document && createHash('sha256').update(document).digest('hex'),
  });
  expect(found.map(shorten)).toEqual(writes.map(shorten));
});

test('a session waits for writes of the previous one, which the server still executes after its client is gone', async () => {
  const { url } = await startReplicaSet();
  const after = openClient(url);
  const deployments = [openDeployment(url), openDeployment(url)];
  const namespace = createNamespaces().named('shop.a');
  const collection = after.db('shop').collection('a');
  await collection.insertOne({ first: true });

  await after.db('admin').command({ fsync: 1, lock: true });
  const writing = new Target(deployments[0], { replication: 'one' }).write(namespace, 'insert', 'documents', [
    Buffer.from(BSON.serialize({ _id: 1 })),
  ]);
  const target = new Target(deployments[1], { replication: 'one' });
  // Poll until the server executes the write.
  for (let found = 0; found === 0;) {
    const { inprog } = await after.db('admin').command({ currentOp: 1, ns: 'shop.a', op: 'insert' });
    found = inprog.length;
  }
  const waiting = target.waitForWrites().then(async () => collection.countDocuments());
  // Another replication does not wait.
  await new Target(deployments[1], { replication: 'other' }).waitForWrites();
  await after.db('admin').command({ fsyncUnlock: 1 });
  expect(await waiting).toBe(2);
  expect(await writing).toEqual({ matched: 1, errors: [] });
});
