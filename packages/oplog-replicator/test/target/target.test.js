import { expect, test } from '@jest/globals';
import { BSON, MongoClient } from 'mongodb';
import { End } from '../../src/end.js';
import { createNamespaces } from '../../src/namespaces.js';
import { createTarget } from '../../src/target/target.js';
import { cleanUp } from '../../../../test/support/cleanup.js';
import { startReplicaSet } from '../../../../test/support/mongod-process.js';

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
