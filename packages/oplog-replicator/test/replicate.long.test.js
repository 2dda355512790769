import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { Decimal128, Double, Long } from 'mongodb';
import { ConflictError } from '../src/base/errors.js';
import { CHECKPOINT_DATABASE } from '../src/base/namespaces.js';
import { replicate } from '../src/replication/replicate.js';
import { MERGE_RULES } from '../src/workers/worker.js';
import { until } from 'test-support/waiting.js';
import { sharedMongoUrl } from 'test-support/mongod.js';
import { openClient, startTwoSets, describeData } from './connections.js';

/** @import { Collection, MongoClient, Timestamp } from 'mongodb' */
/** @import { ReplicateOptions } from '../src/replication/replicate.js' */

const MEGABYTE = 'x'.repeat(1 << 20);

/** @type {MongoClient} */
let source;
/** @type {MongoClient} */
let target;
/** @type {ReplicateOptions} */
let options;
/** @type {Timestamp} before the test's first operation */
let began;
beforeAll(async () => {
  // Allows preparing transactions without a sharded cluster.
  const { clients, urls } = await startTwoSets(['--setParameter', 'enableTestCommands=1']);
  [source, target] = clients;
  options = { sources: [urls[0]], target: urls[1], workers: 4, hash: 'id', from: 'start' };
});

beforeEach(async () => {
  await Promise.all([source, target].map((client) => client.db('shop').dropDatabase()));
  began = await now();
});

/** @returns {Promise<Timestamp>} of the source's last operation */
async function now() {
  const { operationTime } = await source.db('admin').command({ ping: 1 });
  return operationTime;
}

/** @param {Partial<ReplicateOptions>} [changes] */
async function replicateNow(changes) {
  const { done } = await replicate({ ...options, from: began, until: await now(), ...changes });
  return done;
}

async function expectIdentical() {
  expect(await describeData(target)).toEqual(await describeData(source));
}

/** @param {string} name @param {MongoClient} [client] @returns {Collection<any>} */
function collection(name, client = source) {
  return client.db('shop').collection(name);
}

test('can be repeated from the start, including renamed and dropped collections', async () => {
  await collection('a').insertMany([{ _id: 1 }, { _id: 2, x: 1 }]);
  await collection('a').rename('b');
  await collection('a').insertOne({ _id: 1, new: true });
  await collection('b').updateMany({}, { $inc: { x: 1 } });
  for (let round = 0; round < 2; round++) {
    await replicateNow({ from: 'start' });
    await expectIdentical();
  }
});

test('replicates inserts, updates and deletes, whatever the type of _id, by every rule of merging', async () => {
  const ids = [
    1,
    new Double(2.5),
    'text',
    { k: 1, 1: 2 },
    Long.fromString('9007199254740993'),
    Decimal128.fromString('1.10'),
    new Date(0),
    true,
    Buffer.from('bytes'),
    { $ref: 'a', $id: 1 },
  ];
  await collection('ids').insertMany(ids.map((_id) => ({ _id, 7: 1, x: 1 })));
  await collection('ids').updateMany({}, { $set: { x: 2, b: 1, a: [1, { y: 1 }] } });
  await collection('ids').updateMany({}, [{ $set: { z: '$x', 'a.y': 3, inner: { deep: { deeper: 1 } } } }]);
  await collection('ids').updateMany(
    {},
    /** @type {any} */ ({
      $push: { a: { $each: [5, 6], $slice: -3 } },
      $unset: { b: '' },
    }),
  );
  await collection('ids').replaceOne({ _id: 'text' }, { replaced: true });
  await collection('ids').updateOne({ _id: 1 }, [
    {
      $replaceWith: { $setField: { field: { $literal: '$odd' }, input: '$$ROOT', value: 1 } },
    },
  ]);
  await collection('ids').deleteMany({ _id: { $in: [true, 'text'] } });

  for (const merge of MERGE_RULES) {
    await target.db('shop').dropDatabase();
    expect(await replicateNow({ merge })).toMatchObject({
      ops: 45,
      inserts: 10,
      updates: 32,
      deletes: 2,
      commands: 1,
      backlog: 0,
      backlogByWorker: [0, 0, 0, 0],
    });
    await expectIdentical();
  }
});

test('keeps the order of operations on an _id, whatever the type of its number', async () => {
  const ones = [1, new Double(1), Long.fromNumber(1), Decimal128.fromString('1.0')];
  for (let round = 0; round < 40; round++) {
    // The last insert has no delete after it: it must not overtake the others.
    await collection('ones').insertOne({ _id: ones[(round + 1) % ones.length], round });
    if (round < 39) await collection('ones').deleteOne({ _id: 1 });
  }
  await replicateNow({ workers: 8 });
  await expectIdentical();
});

test('replicates transactions, including large ones', async () => {
  await source.withSession((session) =>
    session.withTransaction(async () => {
      await collection('a').insertOne({ _id: 1 }, { session });
      await collection('a').updateOne({ _id: 1 }, { $set: { x: 1 } }, { session });
      await collection('b').insertOne({ _id: 1 }, { session });
      await collection('a').deleteOne({ _id: 1 }, { session });
    }),
  );
  await source.withSession((session) =>
    session.withTransaction(async () => {
      for (let _id = 0; _id < 20; _id++) await collection('large').insertOne({ _id, text: MEGABYTE }, { session });
      await collection('large').updateOne({ _id: 7 }, { $set: { x: 1 } }, { session });
    }),
  );
  expect(await replicateNow()).toMatchObject({ inserts: 22, updates: 2, deletes: 1, commands: 3 });
  await expectIdentical();
});

test('replicates a prepared transaction once it is committed, and nothing of an aborted one', async () => {
  await collection('a').insertOne({ _id: 0 });
  const committed = await prepare(1);
  const aborted = await prepare(2);
  await collection('a').insertOne({ _id: 3 });
  await replicateNow({ from: 'checkpoint' });
  expect(await collection('a', target).distinct('_id')).toEqual([0, 3]);

  await committed.end({ commitTransaction: 1, commitTimestamp: committed.timestamp });
  await aborted.end({ abortTransaction: 1 });
  await replicateNow({ from: 'checkpoint' });
  await expectIdentical();
});

/** @param {number} _id of a document that is inserted */
async function prepare(_id) {
  const session = source.startSession();
  session.startTransaction();
  await collection('a').insertOne({ _id }, { session });
  const admin = source.db('admin');
  const { prepareTimestamp } = await admin.command(
    { prepareTransaction: 1, writeConcern: { w: 'majority' } },
    { session },
  );
  return {
    timestamp: prepareTimestamp,
    /** @param {Record<string, unknown>} command */
    async end(command) {
      await admin.command({ ...command, writeConcern: { w: 'majority' } }, { session });
      // The driver does not know that the transaction has ended, and tries to abort it.
      await session.endSession().catch(() => {});
    },
  };
}

test('creates, renames, changes and drops collections and indexes in order', async () => {
  await collection('a').insertMany([{ _id: 1 }, { _id: 2 }]);
  await collection('a').rename('b');
  await collection('a').insertOne({ _id: 1, new: true });
  await collection('a').createIndex({ 1: 1, b: -1 });
  await collection('empty').createIndex({ x: 1 }, { unique: true, sparse: true });
  await collection('a').createIndex({ dropped: 1 });
  await collection('a').dropIndex('dropped_1');
  await source.db('shop').command({ collMod: 'a', index: { name: '1_1_b_-1', hidden: true } });
  await collection('dropped').insertOne({ _id: 1, old: true });
  await collection('dropped').drop();
  await collection('dropped').insertOne({ _id: 2 });
  await source.db('shop').createCollection('capped', { capped: true, size: 4096 });
  await collection('capped').insertMany([{ _id: 3 }, { _id: 1 }, { _id: 2 }]);
  await source.db('shop').createCollection('folded', { collation: { locale: 'en', strength: 2 } });
  await collection('folded').insertOne({ _id: 'A' });
  await collection('folded').deleteOne({ _id: 'a' });
  await collection('folded').insertOne({ _id: 'a' });
  await source.db('shop').createCollection('checked', { validator: { x: { $type: 'int' } } });
  await collection('checked').insertOne({ x: 'unchecked' }, { bypassDocumentValidation: true });
  await collection('a')
    .aggregate([{ $out: 'dropped' }])
    .toArray();
  await source.db('dropped').collection('a').insertOne({ x: 1 });
  await source.db('dropped').dropDatabase();

  await replicateNow();
  await expectIdentical();
  expect(await collection('capped', target).find().toArray()).toEqual([{ _id: 3 }, { _id: 1 }, { _id: 2 }]);
});

test('an update of a document that the target lost is an error, even if the source has gone on since', async () => {
  await collection('a').insertOne({ _id: 1 });
  await replicateNow();
  await collection('a', target).deleteOne({ _id: 1 });
  const from = await now();
  await collection('a').updateOne({ _id: 1 }, { $set: { x: 1 } });
  const until = await now();
  await collection('a').insertOne({ _id: 2 });
  await expect(replicateNow({ from, until })).rejects.toThrow(
    new ConflictError('the target does not have a document in shop.a that the source updates: {"_id":1}'),
  );
});

test('a collection that becomes capped, or is copied to a capped one, keeps its documents', async () => {
  await collection('a').insertMany([{ _id: 2 }, { _id: 1 }]);
  await source.db('shop').command({ cloneCollectionAsCapped: 'a', toCollection: 'clone', size: 4096 });
  await source.db('shop').command({ convertToCapped: 'a', size: 4096 });
  await replicateNow();
  await expectIdentical();
  expect(await collection('a', target).countDocuments()).toBe(2);
});

describe('a unique index', () => {
  test('sees its values move between documents in order, with any number of workers', async () => {
    await collection('unique').createIndex({ key: 1 }, { unique: true });
    const { stop, done } = await replicate({ ...options, workers: 8, from: began });
    await until(
      'the index',
      async () =>
        (
          await collection('unique', target)
            .indexes()
            .catch(() => [])
        ).length === 2,
    );
    await moveValues();
    await stop();
    await done;
    await replicateNow({ workers: 8, from: 'checkpoint' });
    await expectIdentical();
  });

  test('can be repeated from any point', async () => {
    await collection('unique').createIndex({ key: 1 }, { unique: true });
    await moveValues();
    await replicateNow();
    const points = await source
      .db('local')
      .collection('oplog.rs')
      .find({ ns: 'shop.unique', ts: { $gt: began } })
      .toArray();
    for (let point = 0; point < points.length; point += 5) {
      await replicateNow({ from: points[point].ts });
      await expectIdentical();
    }
  });

  test('that only the target has can cause an error', async () => {
    await collection('a').insertOne({ _id: 1, x: 1 });
    await replicateNow();
    await collection('a', target).createIndex({ x: 1 }, { unique: true });
    const from = await now();
    await collection('a', target).insertOne({ _id: 'foreign', x: 2 });
    const { done } = await replicate({ ...options, from });
    await collection('a').insertOne({ _id: 2, x: 2 });
    await expect(done).rejects.toThrow(
      /^the target has a document in shop\.a that the source does not have: E11000 duplicate key .* x: 2/,
    );
  });

  /** Three documents swap their values repeatedly. */
  async function moveValues() {
    const keys = ['a', 'b', 'c'];
    /** @type {import('mongodb').AnyBulkWriteOperation<any>[]} */
    const writes = keys.map((key, _id) => ({ insertOne: { document: { _id, key } } }));
    for (let round = 0; round < 24; round++) {
      const [one, other] = [round % 3, (round + 1) % 3];
      [keys[one], keys[other]] = [keys[other], keys[one]];
      const last = { key: keys[one], round };
      writes.push(
        { updateOne: { filter: { _id: one }, update: { $set: { key: `free ${round % 2}` }, $inc: { n: 1 } } } },
        { updateOne: { filter: { _id: other }, update: { $set: { key: keys[other] }, $inc: { n: 1 } } } },
        ...(round % 4 === 3
          ? [{ deleteOne: { filter: { _id: one } } }, { insertOne: { document: { _id: one, ...last } } }]
          : [{ replaceOne: { filter: { _id: one }, replacement: last } }]),
      );
    }
    await collection('unique').bulkWrite(writes);
  }
});

test('a rename saves the checkpoint at once, because its old name may be in use when it is repeated', async () => {
  await collection('a').insertOne({ _id: 1 });
  await collection('a').rename('b');
  await collection('a').insertOne({ _id: 2 });
  await replicateNow({ checkpointEveryMs: 60_000 });
  const log = await target
    .db('local')
    .collection('oplog.rs')
    .find({
      $or: [
        { ns: `${CHECKPOINT_DATABASE}.checkpoints` },
        { 'o.renameCollection': { $exists: true } },
        { ns: 'shop.a' },
      ],
    })
    .sort({ $natural: -1 })
    .limit(7)
    .toArray();
  // The third last is for the collection that the last insert creates.
  expect(log.map(({ ns }) => ns.split('.')[1]).reverse()).toEqual([
    'a',
    'checkpoints',
    '$cmd',
    'checkpoints',
    'checkpoints',
    'a',
    'checkpoints',
  ]);
});

test('replicates only what the namespace filter includes', async () => {
  await collection('a').insertOne({ _id: 1 });
  await collection('b').insertOne({ _id: 1 });
  await source.db('other').collection('a').insertOne({ x: 1 });
  await replicateNow({ namespaces: { include: ['shop'], exclude: ['shop.b'] } });
  expect(Object.keys(await describeData(target))).toEqual(['shop.a']);
  await replicateNow({ namespaces: { include: ['shop.b', 'other'] } });
  await expectIdentical();
  await Promise.all([source, target].map((client) => client.db('other').dropDatabase()));
});

test('a rename to an excluded collection is an error', async () => {
  await collection('a').insertOne({ _id: 1 });
  await collection('a').rename('b');
  await expect(replicateNow({ namespaces: { exclude: ['shop.b'] } })).rejects.toThrow(
    "can't replicate renameCollection of shop.a to shop.b: the namespace filter excludes shop.b. Include both",
  );
});

test.each([{ include: ['shop.a'] }, { exclude: ['shop.b'] }])(
  'replaces a collection by $out with the filter %j',
  async (namespaces) => {
    await collection('a').insertOne({ _id: 1 });
    await collection('b').insertMany([{ _id: 2 }, { _id: 3 }]);
    await collection('b')
      .aggregate([{ $out: 'a' }])
      .toArray();
    await collection('a')
      .aggregate([{ $out: 'b' }])
      .toArray();
    await source.db('shop').command({ convertToCapped: 'b', size: 4096 });
    await replicateNow({ namespaces });
    expect(Object.keys(await describeData(target))).toEqual(['shop.a']);
    const { 'shop.a': expected } = await describeData(source);
    expect(await describeData(target)).toEqual({ 'shop.a': expected });
  },
);

test('reports once each view, time series and collection of functions that it skips', async () => {
  const db = source.db('shop');
  await collection('a').insertOne({ _id: 1 });
  for (const view of ['view', 'excluded']) await db.createCollection(view, { viewOn: 'a', pipeline: [] });
  await db.command({ collMod: 'view', viewOn: 'b', pipeline: [] });
  await db.createCollection('series', { timeseries: { timeField: 'at' } });
  for (let count = 0; count < 2; count++) await collection('series').insertOne({ at: new Date() });
  await collection('system.js').insertMany([
    { _id: 'one', value: 1 },
    { _id: 'two', value: 2 },
  ]);
  await source.db('other').collection('a').insertOne({ x: 1 });
  await collection('view').drop();
  /** @type {import('../src/collections/collection-info.js').Unsupported[]} */
  const reported = [];
  const figures = await replicateNow({
    namespaces: { exclude: ['shop.excluded', 'other'] },
    onUnsupported: (unsupported) => reported.push(unsupported),
  });
  expect(reported).toEqual([
    { kind: 'view', name: 'shop.view' },
    { kind: 'time series', name: 'shop.series' },
    { kind: 'stored JavaScript', name: 'shop.system.js' },
  ]);
  expect(figures).toMatchObject({ inserts: 1, commands: 1, excluded: 2, migrations: 0 });
  expect(figures.unsupported).toBeGreaterThan(8);
  await source.db('other').dropDatabase();
});

test('a dry run reads and dispatches, and writes nothing', async () => {
  await collection('a').insertMany(Array.from({ length: 100 }, (_, _id) => ({ _id })));
  expect(await replicateNow({ target: null })).toMatchObject({ ops: 101, inserts: 100, commands: 1 });
  expect(await describeData(target)).toEqual({});
});

test('follows the oplog until it is stopped, and continues from there', async () => {
  const { figures, stop, done } = await replicate({ ...options, from: 'end' });
  await collection('a').insertOne({ _id: 1 });
  await until('the first insert', () => collection('a', target).findOne());
  await collection('a').insertOne({ _id: 2 });
  await until('the second insert', () => figures().inserts === 2);
  await stop();
  expect(await done).toMatchObject({ inserts: 2, lagMs: 0 });

  await collection('a').insertOne({ _id: 3 });
  expect(await replicateNow({ from: 'checkpoint' })).toMatchObject({ inserts: 1 });
  await expectIdentical();
});

test('a checkpoint of an oplog with another history is an error', async () => {
  await collection('a').insertOne({ _id: 1 });
  await replicateNow({ checkpointId: 'forged' });
  await target
    .db(CHECKPOINT_DATABASE)
    .collection('checkpoints')
    .updateOne({ '_id.name': 'forged' }, { $inc: { 'applied.term': 1 } });
  await expect(replicateNow({ checkpointId: 'forged', from: 'checkpoint' })).rejects.toThrow(
    /does not have the entry at Timestamp\(\d+, \d+\) of the checkpoint: it was rolled back, or this is another source/,
  );
});

test('a restart runs no command again, although a document holds the checkpoint back', async () => {
  const run = (/** @type {Partial<ReplicateOptions>} */ changes) =>
    replicateNow({ workers: 2, from: 'checkpoint', checkpointId: 'commands', ...changes });
  for (const name of ['deleted', 'moved', 'renamed', 'replacing', 'replaced', 'swapped', 'other', 'indexed']) {
    await collection(name).insertOne({ _id: 1, in: name });
  }
  await collection('moved').createIndex({ x: 1 }, { unique: true });
  const copied = await now();
  await run({ from: began, until: copied });
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
  const end = await now();
  await collection('deleted').deleteOne({});
  await collection('moved on').updateOne({}, { $set: { x: 2 } });
  await collection('moved on').insertOne({ _id: 2, x: 1 });

  for (const from of /** @type {const} */ ([copied, 'checkpoint'])) {
    await expect(run({ from, until: end })).rejects.toThrow(ConflictError);
  }
  await run({ until: await now() });
  await expectIdentical();
  expect(await target.db(CHECKPOINT_DATABASE).collection('deferred').countDocuments()).toBe(0);
});

describe('several sources', () => {
  test('are merged into one target', async () => {
    const other = openClient(sharedMongoUrl());
    await collection('a', other).drop();
    const { operationTime: from } = await other.db('admin').command({ ping: 1 });
    await collection('a', other).insertOne({ _id: 2 });
    const { operationTime: end } = await other.db('admin').command({ ping: 1 });
    await collection('a').insertOne({ _id: 1 });

    const figures = await replicateNow({
      sources: [...options.sources, sharedMongoUrl()],
      workers: 3,
      namespaces: { include: ['shop'] },
      from: [began, from],
      until: [await now(), end],
    });
    expect(figures.backlogByWorker).toHaveLength(3);
    expect(await collection('a', target).distinct('_id')).toEqual([1, 2]);
  });

  test('one of them may not drop a collection that the others may still write', async () => {
    await collection('a').insertOne({ _id: 1 });
    await collection('a').drop();
    await expect(replicateNow({ sources: [...options.sources, sharedMongoUrl()], until: undefined })).rejects.toThrow(
      "can't replicate drop of shop.a from several sources: its order relative to the other sources is unknown",
    );
  });
});
