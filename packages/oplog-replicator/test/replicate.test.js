import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { Decimal128, Double, Long, MongoClient } from 'mongodb';
import { CHECKPOINT_DATABASE } from '../src/namespaces.js';
import { replicate } from '../src/replicate.js';
import { cleanUp } from '../../../test/support/cleanup.js';
import { startReplicaSet } from '../../../test/support/mongod-process.js';
import { until } from '../../../test/support/until.js';
import { describeData } from './describe-data.js';

/** @import { Collection, Timestamp } from 'mongodb' */
/** @import { ReplicateOptions } from '../src/replicate.js' */

const MEGABYTE = 'x'.repeat(1 << 20);

/** @type {MongoClient} */
let source;
/** @type {MongoClient} */
let target;
/** @type {ReplicateOptions} */
let options;
/** @type {Timestamp} when the test began */
let began;
beforeAll(async () => {
  // Without a cluster, transactions can be prepared by a server that is tested alone.
  const sets = await Promise.all([startReplicaSet(['--setParameter', 'enableTestCommands=1']), startReplicaSet()]);
  [source, target] = sets.map(({ url }) => new MongoClient(url));
  cleanUp(() => Promise.all([source.close(), target.close()]));
  options = {
    sources: [sets[0].url], target: sets[1].url, tunnel: 'direct', workers: 4, hash: 'id', from: 'start',
  };
});

beforeEach(async () => {
  await Promise.all([source, target].map((client) => client.db('shop').dropDatabase()));
  began = await now();
});

/** @returns {Promise<Timestamp>} of the last thing that happened on the source */
async function now() {
  const { operationTime } = await source.db('admin').command({ ping: 1 });
  return operationTime;
}

/** @param {Partial<ReplicateOptions>} [changes] */
async function bringOver(changes) {
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

test('is done again from the start without harm, renamed and dropped collections included', async () => {
  await collection('a').insertMany([{ _id: 1 }, { _id: 2, x: 1 }]);
  await collection('a').rename('b');
  await collection('a').insertOne({ _id: 1, new: true });
  await collection('b').updateMany({}, { $inc: { x: 1 } });
  for (let round = 0; round < 2; round++) {
    await bringOver({ from: 'start' });
    await expectIdentical();
  }
});

test('brings over inserts, updates and deletes, whatever the _id is', async () => {
  const ids = [
    1, new Double(2.5), 'text', { k: 1, 1: 2 }, Long.fromString('9007199254740993'), Decimal128.fromString('1.10'),
    new Date(0), true, Buffer.from('bytes'), { $ref: 'a', $id: 1 },
  ];
  await collection('ids').insertMany(ids.map((_id) => ({ _id, 7: 1, x: 1 })));
  await collection('ids').updateMany({}, { $set: { x: 2, b: 1, a: [1, { y: 1 }] } });
  await collection('ids').updateMany({}, [{ $set: { z: '$x', 'a.y': 3, inner: { deep: { deeper: 1 } } } }]);
  await collection('ids').updateMany({}, /** @type {any} */ ({
    $push: { a: { $each: [5, 6], $slice: -3 } }, $unset: { b: '' },
  }));
  await collection('ids').replaceOne({ _id: 'text' }, { whole: 'new' });
  await collection('ids').updateOne({ _id: 1 }, [{
    $replaceWith: { $setField: { field: { $literal: '$odd' }, input: '$$ROOT', value: 1 } },
  }]);
  await collection('ids').deleteMany({ _id: { $in: [true, 'text'] } });

  const figures = await bringOver();
  expect(figures).toMatchObject({
    ops: 45, inserts: 10, updates: 32, deletes: 2, commands: 1, queued: 0, queueDepths: [0, 0, 0, 0],
  });
  await expectIdentical();
});

test('keeps the order of what happens to one _id, however its number is written', async () => {
  const ones = [1, new Double(1), Long.fromNumber(1), Decimal128.fromString('1.0')];
  for (let round = 0; round < 40; round++) {
    // The last one is the one that is written less often: it must not overtake the others.
    await collection('ones').insertOne({ _id: ones[(round + 1) % ones.length], round });
    if (round < 39) await collection('ones').deleteOne({ _id: 1 });
  }
  await bringOver({ workers: 8 });
  await expectIdentical();
});

test('brings over transactions, also large ones', async () => {
  await source.withSession((session) => session.withTransaction(async () => {
    await collection('a').insertOne({ _id: 1 }, { session });
    await collection('a').updateOne({ _id: 1 }, { $set: { x: 1 } }, { session });
    await collection('b').insertOne({ _id: 1 }, { session });
    await collection('a').deleteOne({ _id: 1 }, { session });
  }));
  await source.withSession((session) => session.withTransaction(async () => {
    for (let _id = 0; _id < 20; _id++) await collection('large').insertOne({ _id, text: MEGABYTE }, { session });
    await collection('large').updateOne({ _id: 7 }, { $set: { x: 1 } }, { session });
  }));
  expect(await bringOver()).toMatchObject({ inserts: 22, updates: 2, deletes: 1, commands: 3 });
  await expectIdentical();
});

test('brings over what a prepared transaction wrote once it is committed, and nothing of an aborted one', async () => {
  await collection('a').insertOne({ _id: 0 });
  const committed = await prepare(1);
  const aborted = await prepare(2);
  await collection('a').insertOne({ _id: 3 });
  await bringOver({ from: 'checkpoint' });
  expect(await collection('a', target).distinct('_id')).toEqual([0, 3]);

  await committed.end({ commitTransaction: 1, commitTimestamp: committed.timestamp });
  await aborted.end({ abortTransaction: 1 });
  await bringOver({ from: 'checkpoint' });
  await expectIdentical();
});

/** @param {number} _id of a document that is inserted */
async function prepare(_id) {
  const session = source.startSession();
  session.startTransaction();
  await collection('a').insertOne({ _id }, { session });
  const admin = source.db('admin');
  const { prepareTimestamp } = await admin.command({ prepareTransaction: 1, writeConcern: { w: 'majority' } }, { session });
  return {
    timestamp: prepareTimestamp,
    /** @param {Record<string, unknown>} command */
    async end(command) {
      await admin.command({ ...command, writeConcern: { w: 'majority' } }, { session });
      // The driver did not see it, and would abort what is done.
      await session.endSession().catch(() => {});
    },
  };
}

test('makes, renames, changes and drops collections and indexes in their place', async () => {
  await collection('a').insertMany([{ _id: 1 }, { _id: 2 }]);
  await collection('a').rename('b');
  await collection('a').insertOne({ _id: 1, new: true });
  await collection('a').createIndex({ 1: 1, b: -1 });
  await collection('empty').createIndex({ x: 1 }, { unique: true, sparse: true });
  await collection('a').createIndex({ gone: 1 });
  await collection('a').dropIndex('gone_1');
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
  await collection('a').aggregate([{ $out: 'dropped' }]).toArray();
  await source.db('gone').collection('a').insertOne({ x: 1 });
  await source.db('gone').dropDatabase();

  await bringOver();
  await expectIdentical();
  expect(await collection('capped', target).find().toArray()).toEqual([{ _id: 3 }, { _id: 1 }, { _id: 2 }]);
});

describe('a unique index', () => {
  test('sees its values pass from document to document in order, however many workers there are', async () => {
    await collection('unique').createIndex({ key: 1 }, { unique: true });
    const { stop, done } = await replicate({ ...options, workers: 8, from: began });
    await until('the index', async () => (await collection('unique', target).indexes().catch(() => [])).length === 2);
    await passValues();
    await stop();
    await done;
    await bringOver({ workers: 8, from: 'checkpoint' });
    await expectIdentical();
  });

  test('lets all of that be done again, from any point on', async () => {
    await collection('unique').createIndex({ key: 1 }, { unique: true });
    await passValues();
    await bringOver();
    const points = await source.db('local').collection('oplog.rs').find({ ns: 'shop.unique', ts: { $gt: began } }).toArray();
    for (let point = 0; point < points.length; point += 5) {
      await bringOver({ from: points[point].ts });
      await expectIdentical();
    }
  });

  test('that the source does not know of is an error', async () => {
    await collection('a').insertOne({ _id: 1, x: 1 });
    await bringOver();
    await collection('a', target).createIndex({ x: 1 }, { unique: true });
    const from = await now();
    await collection('a', target).insertOne({ _id: 'foreign', x: 2 });
    const { done } = await replicate({ ...options, from });
    await collection('a').insertOne({ _id: 2, x: 2 });
    await expect(done).rejects.toThrow(
      /^the target holds a document in shop\.a that the source does not have: E11000 duplicate key .* x: 2/);
  });

  /** Have three documents swap their values again and again. */
  async function passValues() {
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
        ...round % 4 === 3
          ? [{ deleteOne: { filter: { _id: one } } }, { insertOne: { document: { _id: one, ...last } } }]
          : [{ replaceOne: { filter: { _id: one }, replacement: last } }],
      );
    }
    await collection('unique').bulkWrite(writes);
  }
});

test('a rename is noted at once, for its name may be taken when it is done again', async () => {
  await collection('a').insertOne({ _id: 1 });
  await collection('a').rename('b');
  await collection('a').insertOne({ _id: 2 });
  await bringOver({ checkpointEveryMs: 60_000 });
  const log = await target.db('local').collection('oplog.rs').find({
    $or: [{ ns: `${CHECKPOINT_DATABASE}.checkpoints` }, { 'o.renameCollection': { $exists: true } }, { ns: 'shop.a' }],
  }).sort({ $natural: -1 }).limit(7).toArray();
  // The last but two is for the collection that is made anew.
  expect(log.map(({ ns }) => ns.split('.')[1]).reverse()).toEqual(
    ['a', 'checkpoints', '$cmd', 'checkpoints', 'checkpoints', 'a', 'checkpoints']);
});

test('leaves out what it is not asked for', async () => {
  await collection('a').insertOne({ _id: 1 });
  await collection('b').insertOne({ _id: 1 });
  await source.db('other').collection('a').insertOne({ x: 1 });
  await bringOver({ namespaces: { include: ['shop'], exclude: ['shop.b'] } });
  expect(Object.keys(await describeData(target))).toEqual(['shop.a']);
  await bringOver({ namespaces: { include: ['shop.b', 'other'] } });
  await expectIdentical();
  await Promise.all([source, target].map((client) => client.db('other').dropDatabase()));
});

test('a rename out of what is replicated is an error', async () => {
  await collection('a').insertOne({ _id: 1 });
  await collection('a').rename('b');
  await expect(bringOver({ namespaces: { exclude: ['shop.b'] } })).rejects.toThrow(
    "renameCollection of shop.a to shop.b can't be replicated: one of the two is filtered out");
});

test('the tunnel mock reads and hands out, and writes nothing', async () => {
  await collection('a').insertMany(Array.from({ length: 100 }, (_, _id) => ({ _id })));
  expect(await bringOver({ tunnel: 'mock', target: null })).toMatchObject({ ops: 101, inserts: 100, commands: 1 });
  expect(await describeData(target)).toEqual({});
});

test('without merging each operation is a write of its own', async () => {
  await collection('a').insertMany(Array.from({ length: 20 }, (_, _id) => ({ _id })));
  expect((await bringOver({ merge: false })).batches).toBe(20);
  await expectIdentical();
  await collection('b').insertMany(Array.from({ length: 20 }, (_, _id) => ({ _id })));
  expect((await bringOver()).batches).toBeLessThan(12);
});

test('follows what happens until it is stopped, and goes on from there', async () => {
  const { figures, stop, done } = await replicate({ ...options, from: 'end' });
  await collection('a').insertOne({ _id: 1 });
  await until('the first insert', () => collection('a', target).findOne());
  await collection('a').insertOne({ _id: 2 });
  await until('the second insert', () => figures().inserts === 2);
  await stop();
  expect(await done).toMatchObject({ inserts: 2, lagMs: 0 });

  await collection('a').insertOne({ _id: 3 });
  expect(await bringOver({ from: 'checkpoint' })).toMatchObject({ inserts: 1 });
  await expectIdentical();
});

test('a checkpoint of an oplog that has another history is an error', async () => {
  await collection('a').insertOne({ _id: 1 });
  await bringOver({ checkpointId: 'forged' });
  await target.db(CHECKPOINT_DATABASE).collection('checkpoints').updateOne(
    { '_id.name': 'forged' }, { $inc: { 'applied.term': 1 } });
  await expect(bringOver({ checkpointId: 'forged', from: 'checkpoint' })).rejects.toThrow(
    /does not have the entry at Timestamp\(\d+, \d+\) that the checkpoint names: it was rolled back, or is another source/);
});

describe('several sources', () => {
  test('come together in one target', async () => {
    const other = new MongoClient(String(process.env.TEST_MONGO_URL));
    cleanUp(() => other.close());
    await collection('a', other).drop();
    const { operationTime: from } = await other.db('admin').command({ ping: 1 });
    await collection('a', other).insertOne({ _id: 2 });
    const { operationTime: end } = await other.db('admin').command({ ping: 1 });
    await collection('a').insertOne({ _id: 1 });

    const figures = await bringOver({
      sources: [...options.sources, String(process.env.TEST_MONGO_URL)], workers: 3, namespaces: { include: ['shop'] },
      from: [began, from], until: [await now(), end],
    });
    expect(figures.queueDepths).toHaveLength(3);
    expect(await collection('a', target).distinct('_id')).toEqual([1, 2]);
  });

  test('do not drop what the others still write', async () => {
    await collection('a').insertOne({ _id: 1 });
    await collection('a').drop();
    await expect(bringOver({ sources: [...options.sources, String(process.env.TEST_MONGO_URL)], until: undefined })).rejects.toThrow(
      "drop of shop.a can't be replicated from several sources: its order among the others' operations is unknown");
  });
});
