import { expect, test } from '@jest/globals';
import { BSON, MongoClient } from 'mongodb';
import { createNamespaces } from '../../src/namespaces.js';
import { createTarget } from '../../src/target/target.js';
import { cleanUp } from '../../../../test/support/cleanup.js';
import { startReplicaSet } from '../../../../test/support/mongod-process.js';

test('a session waits for writes of the previous one, which the server still executes after its client is gone', async () => {
  const { url } = await startReplicaSet();
  const [before, after] = [new MongoClient(url), new MongoClient(url)];
  cleanUp(() => Promise.all([before.close(), after.close()]));
  const reach = async () => ({});
  const namespace = createNamespaces().named('shop.a');
  const collection = after.db('shop').collection('a');
  await collection.insertOne({ first: true });

  await after.db('admin').command({ fsync: 1, lock: true });
  const writing = createTarget({ client: before, name: '', reach }, { replication: 'one' })
    .write(namespace, 'insert', 'documents', Buffer.from(BSON.serialize({ _id: 1 })));
  const target = createTarget({ client: after, name: '', reach }, { replication: 'one' });
  // Poll until the server executes the write.
  for (let found = 0; found === 0;) {
    const { inprog } = await after.db('admin').command({ currentOp: 1, ns: 'shop.a', op: 'insert' });
    found = inprog.length;
  }
  const waiting = target.waitForWrites().then(async () => collection.countDocuments());
  // Another replication does not wait.
  await createTarget({ client: after, name: '', reach }, { replication: 'other' }).waitForWrites();
  await after.db('admin').command({ fsyncUnlock: 1 });
  expect(await waiting).toBe(2);
  expect(await writing).toEqual({ matched: 1, errors: [] });
});
