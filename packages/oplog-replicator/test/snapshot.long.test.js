import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { Double } from 'mongodb';
import { cleanUp } from 'test-support/cleanup.js';
import { createRandom } from 'test-support/random.js';
import { until } from 'test-support/waiting.js';
import { CHECKPOINT_DATABASE } from '../src/base/namespaces.js';
import { replicate } from '../src/replication/replicate.js';
import { startTwoSets, describeData } from './connections.js';
import { writeAnything } from './write-anything.js';
import { restoreTtl } from '../src/collections/ttl-indexes.js';
import { verify } from '../src/verify/verify.js';

/** @import { Collection, MongoClient, Db } from 'mongodb' */
/** @import { ReplicateOptions } from '../src/replication/replicate.js' */

/** @type {Awaited<ReturnType<typeof startTwoSets>>} */
let two;
beforeAll(async () => {
  two = await startTwoSets();
});

describe('the copy', () => {
  const REPLICATOR = fileURLToPath(new URL('replicator-process.js', import.meta.url));
  const KILOBYTE = 'x'.repeat(1000);
  /** Enough for several ranges. */
  const LARGE = 40_000;
  const PAIRS = 30;
  const KILLS = 3;

  /** @type {MongoClient} */
  let source;
  /** @type {MongoClient} */
  let target;
  /** @type {ReplicateOptions} */
  let options;
  beforeAll(async () => {
    const { clients, urls } = two;
    [source, target] = clients;
    options = { sources: [urls[0]], target: urls[1], workers: 4, hash: 'id', from: 'snapshot', until: 'caught up' };
  });

  beforeEach(async () => {
    await source.db('shop').dropDatabase();
    await Promise.all(['shop', CHECKPOINT_DATABASE].map((name) => target.db(name).dropDatabase()));
  });

  /** @param {string} name @param {MongoClient} [client] @returns {Collection<any>} */
  function collection(name, client = source) {
    return client.db('shop').collection(name);
  }

  /** @param {Partial<ReplicateOptions>} [changes] */
  async function replicateNow(changes) {
    const { done } = await replicate({ ...options, ...changes });
    return done;
  }

  async function expectIdentical() {
    const expected = await describeData(source);
    expect(expected).not.toEqual({});
    expect(await describeData(target)).toEqual(expected);
  }

  /** @param {string} name @param {number} [count] */
  async function fill(name, count = LARGE) {
    for (let first = 0; first < count; first += 10_000) {
      const ids = Array.from({ length: Math.min(10_000, count - first) }, (_, index) => first + index);
      await collection(name).insertMany(ids.map((id) => ({ _id: id % 3 ? id : `${id}`, n: id, KILOBYTE })));
    }
  }

  /** @returns {() => Promise<unknown>} stops it */
  function keepWriting() {
    const random = createRandom(1);
    let isWriting = true;
    const write = async () => {
      while (isWriting) await writeAnything(source, source.db('shop'), random);
    };
    const move = async () => {
      while (isWriting) {
        // A unique value moves between a document at the beginning and one at the end, so a copy may see it twice.
        const pair = Math.floor(random.uniform() * PAIRS);
        const ends = [3 * pair + 1, LARGE - 1 - 3 * pair];
        const [from, to] = random.uniform() < 0.5 ? ends : ends.toReversed();
        await collection('large').updateOne({ n: from }, { $unset: { key: '', other: '' } });
        await collection('large').updateOne({ n: to }, { $set: { key: pair, other: pair } });
      }
    };
    const writing = Promise.all([write(), move()]);
    return () => {
      isWriting = false;
      return writing;
    };
  }

  test('copies collections with all their options and indexes', async () => {
    const db = source.db('shop');
    await collection('a').insertMany([
      { _id: 2, 7: 1, x: 1 },
      { _id: { k: 1, 1: 2 } },
      { _id: 'text', at: new Date(0) },
    ]);
    await db.createCollection('capped', { capped: true, size: 4096, max: 3 });
    await collection('capped').insertMany([4, 3, 1, 2].map((_id) => ({ _id })));
    await db.createCollection('folded', { collation: { locale: 'en', strength: 2 } });
    await collection('folded').insertMany([{ _id: 'b' }, { _id: 'A' }]);
    await db.createCollection('checked', { validator: { x: { $type: 'int' } }, validationAction: 'error' });
    await collection('checked').insertOne({ x: 'unchecked' }, { bypassDocumentValidation: true });
    await db.createCollection('clustered', { clusteredIndex: { key: { _id: 1 }, unique: true } });
    await collection('clustered').insertMany([{ _id: 3 }, { _id: 1 }]);
    await db.createCollection('empty');
    await collection('a').createIndex({ x: 1 }, { unique: true, sparse: true });
    await collection('a').createIndex({ 1: 1, b: -1 }, { partialFilterExpression: { x: { $gt: 0 } } });
    await collection('a').createIndex({ x: 'text', y: 'text' }, { weights: { x: 3 } });
    await collection('a').createIndex({ 'wild.$**': 1 });
    await collection('folded').createIndex({ x: 'hashed' }, { hidden: true, collation: { locale: 'simple' } });
    await collection('folded').createIndex({ y: 1 });
    expect(await replicateNow()).toMatchObject({
      lagMs: 0,
      backlog: 0,
      copy: { phase: 'done', documents: 11, totalDocuments: 11, indexes: 6, totalIndexes: 6 },
    });
    await expectIdentical();
    expect(await collection('capped', target).distinct('_id')).toEqual(expect.arrayContaining([3, 1, 2]));
    expect(await collection('capped', target).find().toArray()).toEqual([{ _id: 3 }, { _id: 1 }, { _id: 2 }]);
    await collection('a').insertOne({ _id: 3 });
    await collection('folded').createIndex({ z: 1 }, { collation: { locale: 'simple' } });
    expect(await replicateNow()).toMatchObject({ inserts: 1, copy: null });
    await expectIdentical();
  });

  test('a copy under load ends identical, while collections are renamed, dropped and replaced', async () => {
    await fill('large');
    await fill('moved', LARGE);
    await collection('large').createIndex({ n: 1 });
    await collection('large').createIndex(
      { key: 1 },
      { unique: true, partialFilterExpression: { key: { $exists: true } } },
    );
    const stopWriting = keepWriting();
    const { figures, done } = await replicate({ ...options, workers: 1 });
    await until('the begin of the copy', () => Number(figures().copy?.totalBytes) > 0);
    await collection('large').createIndex({ other: 1 }, { unique: true, sparse: true });
    await until('documents', () => Number(figures().copy?.documents) > 0);
    await collection('moved').rename('moved-elsewhere');
    await collection('moved').insertOne({ _id: 'new' });
    await collection('moved')
      .aggregate([{ $out: 'replaced' }])
      .toArray();
    await until('the end of the copy', () => figures().copy?.phase !== 'copying', 60_000);
    await stopWriting();
    await done;
    await expectIdentical();
  });

  test('a copy that is killed again and again continues, and nobody takes half of it for the whole', async () => {
    await Promise.all(['large', 'other'].map((name) => fill(name)));
    await collection('large').createIndex({ n: 1 });
    await collection('large').createIndex({ key: 1 }, { unique: true, sparse: true });
    const stopWriting = keepWriting();
    const copies = target.db(CHECKPOINT_DATABASE).collection('copies');
    const countDone = () => copies.countDocuments({ isDone: true });
    let doneBefore = 0;
    for (let kills = 0; kills < KILLS; kills++) {
      const child = fork(REPLICATOR, [JSON.stringify({ ...options, workers: 1 })]);
      cleanUp(() => child.kill('SIGKILL'));
      const ended = once(child, 'exit');
      await until('another range', async () => (await countDone()) > doneBefore, 60_000);
      child.kill('SIGKILL');
      await ended;
      expect(await countDone()).toBeGreaterThanOrEqual(doneBefore);
      doneBefore = await countDone();
      await expect(replicate({ ...options, from: 'checkpoint' })).rejects.toThrow(
        /^the target 127\S+ has a copy that is not complete\. It continues with from: 'snapshot'$/,
      );
    }
    await stopWriting();
    await replicateNow();
    await expectIdentical();
  });

  test(
    'a copy that was interrupted between its indexes builds all of them again, because the ' +
      'source may have dropped some',
    async () => {
      await collection('a').insertOne({ _id: 1, x: 1 });
      await collection('a').createIndex({ x: 1 }, { unique: true });
      await replicateNow();
      await target
        .db(CHECKPOINT_DATABASE)
        .collection('copies')
        .updateOne({ phase: 'done' }, { $set: { phase: 'catching up' } });
      await collection('a').dropIndex('x_1');
      await collection('a').insertOne({ _id: 2, x: 1 });
      expect(await replicateNow()).toMatchObject({ copy: { phase: 'done' } });
      await expectIdentical();
    },
  );

  test('a copy that is stopped says that it is not complete, and continues', async () => {
    await fill('large');
    const { figures, stop, done } = await replicate(options);
    await until('documents', () => Number(figures().copy?.documents) > 0);
    await stop();
    const { copy } = await done;
    expect(copy?.phase).toBe('copying');
    expect(await replicateNow()).toMatchObject({ copy: { phase: 'done' } });
    await expectIdentical();
  });

  test('reports what it does not copy', async () => {
    const db = source.db('shop');
    await collection('a').insertOne({ _id: 1 });
    await db.createCollection('view', { viewOn: 'a', pipeline: [] });
    await db.createCollection('excluded', { viewOn: 'a', pipeline: [] });
    await db.createCollection('series', { timeseries: { timeField: 'at' } });
    await collection('system.js').insertOne({ _id: 'one', value: 1 });
    await source.db('admin').command({ createUser: 'user', pwd: 'secret', roles: [] });
    /** @type {import('../src/collections/collection-info.js').Unsupported[]} */
    const reported = [];
    await replicateNow({
      namespaces: { exclude: ['shop.excluded'] },
      onUnsupported: (unsupported) => reported.push(unsupported),
    });
    await source.db('admin').command({ dropUser: 'user' });
    expect(reported).toEqual(
      expect.arrayContaining([
        { kind: 'view', name: 'shop.view' },
        { kind: 'time series', name: 'shop.series' },
        { kind: 'stored JavaScript', name: 'shop.system.js' },
        { kind: 'users', name: 'admin.system.users' },
      ]),
    );
    expect(reported).toHaveLength(4);
    expect(Object.keys(await describeData(target))).toEqual(['shop.a']);
  });

  describe('a copy is refused', () => {
    test('where the target already has one of the collections', async () => {
      await collection('a').insertOne({ _id: 1 });
      await collection('a', target).insertOne({ _id: 2 });
      await expect(replicateNow()).rejects.toThrow(
        /^the target 127\S+ already has the collection shop\.a, and no copy of this source began there\. Drop it, or/,
      );
      expect(await replicateNow({ namespaces: { exclude: ['shop.a'] } })).toMatchObject({ copy: { phase: 'done' } });
      await expect(replicateNow({ namespaces: { exclude: ['shop.b'] } })).rejects.toThrow(
        /began with the filter {"exclude":\["shop\.a"\]}, and this one is {"exclude":\["shop\.b"\]}/,
      );
    });

    test.each([{ target: null }, { sources: ['mongodb://127.0.0.1:1', 'mongodb://127.0.0.1:2'] }])(
      'with %j',
      async (changes) => {
        await expect(replicateNow(changes)).rejects.toThrow(/^from is snapshot, which needs one source and a target/);
      },
    );
  });
});

describe('TTL indexes', () => {
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
      /^the target 127\S+ deletes expired documents of shop\.(sessions|clustered) by itself \((at_1|clustered)\): it/,
    );
  });
});

describe('the comparison of both sides', () => {
  /** Enough for several ranges. */
  const DOCUMENTS = 24_000;
  const TEXT = 'x'.repeat(1000);

  /** @type {string[]} */
  let urls;
  /** @type {Db} */
  let source;
  /** @type {Db} */
  let target;
  beforeAll(async () => {
    ({ urls } = two);
    [source, target] = two.clients.map((client) => client.db('shop'));
    for (const db of [source, target]) {
      await db.dropDatabase();
      await collection(db, 'a').insertMany(
        Array.from({ length: DOCUMENTS }, (_, n) => ({ _id: n % 2 ? n : `${n}`, n, TEXT })),
      );
      await db.createCollection('capped', { capped: true, size: 4096 });
      await collection(db, 'b').insertMany([{ _id: 1 }, { _id: { k: 1, 1: 2 } }]);
    }
  });

  /** @param {Db} db @param {string} name @returns {Collection<any>} */
  function collection(db, name) {
    return db.collection(name);
  }

  /** @param {Partial<Parameters<typeof verify>[0]>} options */
  const check = (options) =>
    verify({ source: urls[0], target: urls[1], namespaces: { include: ['shop'] }, ...options });

  test('the same data is identical, wherever TTL is off', async () => {
    await source.collection('b').createIndex({ at: 1 }, { expireAfterSeconds: 3600 });
    await target.collection('b').createIndex({ at: 1 });
    /** @type {import('../src/verify/verify.js').VerifyProgress[]} */
    const progress = [];
    const found = await check({ onProgress: (each) => progress.push(each) });
    expect(found).toMatchObject({ collections: 3, documents: DOCUMENTS + 2, differences: [] });
    expect(progress.length).toBeGreaterThan(3);
    expect(progress.at(-1)).toEqual({ bytes: found.bytes, totalBytes: found.bytes });
  });

  test('names every kind of difference', async () => {
    await collection(target, 'a').updateOne({ _id: 777 }, { $set: { n: new Double(777.5) } });
    await collection(target, 'a').deleteOne({ _id: '20000' });
    await source.collection('a').createIndex({ n: 1 }, { unique: true });
    await Promise.all(
      [source, target].map((db, index) =>
        collection(db, 'capped').insertMany([{ _id: index + 1 }, { _id: 2 - index }]),
      ),
    );
    await source.command({ collMod: 'b', validator: { x: 1 } });
    await target.collection('extra').insertOne({});
    await source.collection('missing').insertOne({});
    const { differences } = await check({ settleMs: 500 });
    expect(differences).toHaveLength(7);
    expect(differences).toEqual(
      expect.arrayContaining([
        { name: 'shop.a', problem: 'only one of them has the index {"v":2,"key":{"n":1},"name":"n_1","unique":true}' },
        ...['777', '"20000"'].map((id) => ({
          name: 'shop.a',
          problem: expect.stringMatching(
            new RegExp(`^documents .+: \\d+ on the source, \\d+ on the target; 1 different: {"_id":${id}}$`),
          ),
        })),
        {
          name: 'shop.b',
          problem: expect.stringMatching(/^options: {"validator":{"x":1}.*} on the source, {} on the target$/),
        },
        {
          name: 'shop.capped',
          problem: 'all documents: 2 on the source, 2 on the target; the order of the documents differs',
        },
        { name: 'shop.extra', problem: 'the source does not have this collection' },
        { name: 'shop.missing', problem: 'the target does not have this collection' },
      ]),
    );
  });
});
