import { beforeAll, describe, expect, test } from '@jest/globals';
import { BSON } from 'mongodb';
import { startReplicaSet } from 'test-support/cleanup.js';
import { runningOperations, sharedMongoUrl } from 'test-support/mongod.js';
import { createRandom } from 'test-support/random.js';
import { until } from 'test-support/waiting.js';
import { isTransient } from '../src/base/errors.js';
import { createNamespaces } from '../src/base/namespaces.js';
import { openClient, openDeployment, openTarget } from './connections.js';
import { BulkWriter } from '../src/target/bulk-writer.js';
import { readConstraints } from '../src/collections/collection-info.js';
import { DeferredDocuments } from '../src/target/deferred-documents.js';
import { createBatch } from './create-batch.js';

/** @import { MongoClient } from 'mongodb' */
/** @import { Deployment } from '../src/base/deployment.js' */
/** @import { OperationKind } from '../src/target/write-batch.js' */
/** @import { Logged } from './create-batch.js' */

describe('the target', () => {
  const UNKNOWN_STAGE = 40324;
  const SHUTDOWN_IN_PROGRESS = 91;

  /** @param {string[]} [args] of the mongod */
  async function open(args) {
    const { url } = await startReplicaSet(args);
    return { url, admin: openClient(url).db('admin'), target: openTarget(openDeployment(url), 'one') };
  }

  // A new primary may lack what the old one acknowledged alone. The driver finds it without an error.
  test('after an election, nothing confirms the earlier writes of a session', async () => {
    const { admin, target } = await open();
    const namespace = createNamespaces().named('shop.a');
    const write = (/** @type {number} */ _id) =>
      target.write(namespace, 'insert', 'documents', [Buffer.from(BSON.serialize({ _id }))]);
    await target.begin();
    await write(1);
    await target.confirm();

    const { electionId: before } = await admin.command({ hello: 1 });
    await admin.command({ replSetStepDown: 1, force: true });
    await until('another primary', async () => {
      const hello = await admin.command({ hello: 1 }).catch(() => null);
      return hello?.isWritablePrimary && !hello.electionId.equals(before);
    });
    for (const attempt of [() => target.confirm(), () => write(2)]) {
      // The first commands may still find closed connections.
      /** @type {any} */
      let failure;
      await until('an answer of the new primary', async () => {
        failure = await attempt().then(
          () => null,
          (error) => error,
        );
        return failure === null || failure.message.endsWith('it has another primary');
      });
      expect(failure?.message).toMatch(/^the target 127\.0\.0\.1:\d+: it has another primary$/);
      expect(isTransient(failure)).toBe(true);
    }
    await target.begin();
    await write(3);
    await target.confirm();
  });

  test('a target that refuses to apply diffs is noticed, and one that is not available is an error', async () => {
    const { admin, target } = await open(['--setParameter', 'enableTestCommands=1']);
    const failOnce = (/** @type {number} */ errorCode) =>
      admin.command({
        configureFailPoint: 'failCommand',
        mode: { times: 1 },
        data: { failCommands: ['update'], errorCode },
      });
    expect(await target.canApplyDiffs()).toBe(true);
    await failOnce(UNKNOWN_STAGE);
    expect(await target.canApplyDiffs()).toBe(false);
    await failOnce(SHUTDOWN_IN_PROGRESS);
    await expect(target.canApplyDiffs()).rejects.toThrow(/^the target 127\.0\.0\.1:\d+: /);
  });

  test('a session waits for the writes of the previous one that the server is still executing', async () => {
    const { url, admin, target } = await open();
    const client = openClient(url);
    const namespace = createNamespaces().named('shop.a');
    const collection = client.db('shop').collection('a');
    await collection.insertOne({ first: true });

    await admin.command({ fsync: 1, lock: true });
    const writing = target.write(namespace, 'insert', 'documents', [Buffer.from(BSON.serialize({ _id: 1 }))]);
    const deployment = openDeployment(url);
    const isExecuting = async () => (await runningOperations(client, { ns: 'shop.a', op: 'insert' })).length;
    await until('the server executes the write', isExecuting);
    const waiting = openTarget(deployment, 'one')
      .waitForWrites()
      .then(async () => collection.countDocuments());
    // Another replication does not wait.
    await openTarget(deployment, 'other').waitForWrites();
    await admin.command({ fsyncUnlock: 1 });
    expect(await waiting).toBe(2);
    expect(await writing).toEqual({ matched: 1, errors: [] });
  });
});

describe('operations on one document', () => {
  const OPERATIONS = 400;
  /** Makes a diff shorter than the document, so that the source logs it. */
  const PADDING = 'x'.repeat(400);
  const LATER = { seconds: 2, increment: 0, term: 1 };
  /** @type {Record<string, OperationKind>} */
  const KINDS = { i: 'insert', u: 'update', d: 'delete' };

  /** @type {MongoClient} */
  let client;
  /** @type {Deployment} */
  let deployment;
  beforeAll(() => {
    const url = sharedMongoUrl();
    deployment = openDeployment(url);
    client = openClient(url);
  });

  describe.each([
    ['', true],
    ['with a unique index, ', false],
  ])('%sbatches of random operations on few documents', (_, isFree) => {
    test.each([true, false])(
      'have the effect of the operations themselves; the target applies diffs: %s',
      async (canApplyDiffs) => {
        const db = client.db('merge');
        const [original, copy] = ['original', 'copy'].map((name) => db.collection(name));
        await db.dropDatabase();
        for (const each of [original, copy]) await each.createIndex({ key: 1 }, { unique: !isFree, sparse: true });
        const { logged, states } = await logRandomOperations(original);
        const namespace = createNamespaces().named('merge.copy');
        namespace.constraints = await readConstraints(deployment, namespace);
        const { uniform } = createRandom(7);
        // Once as after the start, and again from anywhere, as after a crash.
        for (let from = 0; from < logged.length; from += 90) {
          const deferred = new DeferredDocuments(LATER);
          const writer = new BulkWriter(openTarget(deployment, 'merge'), deferred, canApplyDiffs);
          for (let next = from; next < logged.length;) {
            const count = 1 + Math.floor(uniform() * 60);
            await writer.write(createBatch(logged.slice(next, next + count), { namespace }));
            next += count;
          }
          expect(deferred.after).toBe(null);
          expect(await readRaw(copy)).toEqual(states);
        }
      },
    );
  });

  /** @param {import('mongodb').Collection<any>} collection */
  async function readRaw(collection) {
    const found = await collection.find({}, { raw: true }).sort({ _id: 1 }).toArray();
    return found.map((document) => BSON.EJSON.stringify(BSON.deserialize(document, { promoteValues: false })));
  }

  /**
   * @param {import('mongodb').Collection<any>} collection
   * @returns {Promise<{ logged: Logged[], states: string[] }>} the oplog, and the documents at its end
   */
  async function logRandomOperations(collection) {
    const { uniform } = createRandom(4);
    const pick = (/** @type {any[]} */ list) => list[Math.floor(uniform() * list.length)];
    const { operationTime } = await client.db('admin').command({ ping: 1 });
    for (let count = 0; count < OPERATIONS; count++) {
      const [_id, number] = [pick([1, 2, 3, 4, 5, 6, 7]), Math.floor(uniform() * 5)];
      const value = () => pick([number, 'text', { x: number }, [1, { y: number }], null]);
      await pick([
        () => collection.insertOne({ _id, key: number, list: [1, 2], inner: { x: 1 }, PADDING }),
        () => collection.replaceOne({ _id }, { key: number, other: value(), PADDING }, { upsert: pick([true, false]) }),
        () => collection.deleteOne({ _id }),
        () =>
          collection.updateOne(
            { _id },
            { $set: { [pick(['a', 'b', 'inner.x', 'list.1', 'key'])]: number, c: value() } },
          ),
        () => collection.updateOne({ _id }, { $unset: { [pick(['a', 'c', 'inner', 'key'])]: '' } }),
        () => collection.updateOne({ _id }, /** @type {any} */ ({ $push: { list: { $each: [value()], $slice: -3 } } })),
      ])().catch((/** @type {any} */ error) => {
        // A duplicate key, or a field that is not an array.
        if (!error.name.startsWith('Mongo')) throw error;
      });
    }
    const entries = await client
      .db('local')
      .collection('oplog.rs')
      .find(
        {
          ts: { $gt: operationTime },
          ns: collection.namespace,
        },
        { promoteValues: false },
      )
      .toArray();
    const logged = entries.map(({ op, o, o2 }) => ({
      kind: KINDS[op.valueOf()],
      documents: op.valueOf() === 'u' ? [{ _id: o2._id }, o] : [o],
    }));
    expect(logged.filter(({ documents: [, change] }) => change?.diff).length).toBeGreaterThan(OPERATIONS / 8);
    return { logged, states: await readRaw(collection) };
  }
});
