import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { BSON, MongoClient, ObjectId } from 'mongodb';
import { findDifferences } from '../../../labs/replication/testbed.js';
import { CASES } from '../../../labs/replication/cases.js';
import { fillSource, listCollections, makeDocument } from '../../../labs/replication/fill-source.js';
import { measureLatency } from '../../../labs/replication/measure-single-inserts.js';
import { createReportFormatter } from '../../../labs/replication/start-replicator.js';
import { cleanUp } from 'test-support/cleanup.js';
import { sharedMongoUrl } from 'test-support/mongod.js';

const client = new MongoClient(sharedMongoUrl());
cleanUp(() => client.close());
const [one, other] = ['one', 'other'].map((name) => client.db(`pool_lab_differences_${name}`));
for (const db of [one, other]) cleanUp(() => db.dropDatabase());
const documents = [1, 2, 3].map((n) => ({ _id: new ObjectId(), n }));

test('findDifferences finds a different field, a missing document and a missing collection', async () => {
  for (const db of [one, other]) {
    for (const name of ['a', 'b']) await db.collection(name).insertMany(documents.map((document) => ({ ...document })));
  }
  expect(await findDifferences(one, other)).toEqual([]);
  await other.collection('a').updateOne({ n: 1 }, { $set: { n: 9 } });
  expect(await findDifferences(one, other)).toEqual(['a']);
  await one.collection('b').deleteOne({});
  await other.createCollection('c');
  expect(await findDifferences(one, other)).toEqual(['a', 'b', 'c']);
});

/** @param {Omit<Parameters<typeof fillSource>[1], 'database'>} options */
async function fill(options) {
  const { collections, fields } = options.shape;
  const database = `pool_lab_replication_${collections}x${fields}`;
  cleanUp(() => client.db(database).dropDatabase());
  const { from, until } = await fillSource(client, { database, ...options });
  return client
    .db('local')
    .collection('oplog.rs')
    .find({ ts: { $gt: from, $lte: until }, ns: new RegExp(`^${database}\\.`) })
    .sort({ $natural: 1 })
    .toArray();
}

test('the oplog has one insert for each document, and the collections take turns', async () => {
  const shape = { collections: 5, fields: 5 };
  const entries = await fill({ shape, ops: 23 });
  expect(entries.map(({ op }) => op).join('')).toBe('i'.repeat(23));
  expect(entries.map(({ ns }) => ns.split('.')[1]).slice(0, 6)).toEqual([...listCollections(shape), 'c_000']);
  expect(entries.map(({ o }) => o)).toEqual(Array.from({ length: 23 }, (_, index) => makeDocument(index, shape)));
});

test('entries are about as large as the published ones', async () => {
  for (const [number, published] of [
    [5, 180],
    [3, 220],
    [7, 220],
  ]) {
    const [entry] = await fill({ shape: CASES[number - 1], ops: 1 });
    expect(Math.abs(BSON.calculateObjectSize(entry) / published - 1)).toBeLessThan(0.03);
  }
});

test('a mix has operations of all kinds in random order, on documents of 1 KB', async () => {
  const shape = { collections: 5, fields: 5, mix: { inserts: 60, updates: 30, deletes: 10 } };
  const entries = await fill({ shape, ops: 1000 });
  const count = (/** @type {string} */ kind) => entries.filter(({ op }) => op === kind).length;
  expect(entries).toHaveLength(1000);
  expect([count('i'), count('u'), count('d')].map((each) => Math.round(each / 100))).toEqual([6, 3, 1]);
  expect(new Set(entries.map(({ ns }) => ns)).size).toBe(5);
  expect(BSON.calculateObjectSize(entries[0].o)).toBeGreaterThan(1000);
  const updates = entries.filter(({ op }) => op === 'u').map(({ o }) => Object.keys(o.diff ?? { replacement: o })[0]);
  expect([...new Set(updates)].sort()).toEqual(['d', 'replacement', 'stags', 'u']);
});

test('a hot document gets all updates', async () => {
  const mix = { inserts: 60, updates: 30, deletes: 10 };
  const entries = await fill({ shape: { collections: 1, fields: 5, mix, hot: true }, ops: 200 });
  const updated = entries.filter(({ op }) => op === 'u').map(({ o2 }) => String(o2._id));
  expect(updated.length).toBeGreaterThan(30);
  expect(new Set(updated)).toEqual(new Set([String(entries[0].o._id)]));
});

test('two shards have each document once', async () => {
  const shape = { collections: 5, fields: 1 };
  const parts = [];
  for (const part of [0, 1]) parts.push(await fill({ shape, ops: 20, part, of: 2 }));
  expect(parts.map((entries) => entries.length)).toEqual([10, 10]);
  expect(parts.map((entries) => new Set(entries.map(({ ns }) => ns)).size)).toEqual([5, 5]);
  const ids = parts.flat().map(({ o }) => String(o._id));
  expect(ids.toSorted()).toEqual(Array.from({ length: 20 }, (_, index) => String(makeDocument(index, shape)._id)));
});

const DELAY_MS = 20;

test('a latency is at least the delay of the copy', async () => {
  const client = new MongoClient(sharedMongoUrl());
  cleanUp(() => client.close());
  const db = client.db('pool_lab_latency');
  cleanUp(() => db.dropDatabase());
  const [source, target] = ['source', 'target'].map((name) => db.collection(name));
  const insertOne = async (/** @type {any[]} */ ...args) => {
    const result = await source.insertOne(args[0]);
    sleep(DELAY_MS).then(() => target.insertOne({ _id: result.insertedId }));
    return result;
  };
  const figures = await measureLatency({
    source: /** @type {any} */ ({ insertOne }),
    target,
    makeDocument: (index) => ({ index }),
    inserts: 5,
  });
  expect(figures.count).toBe(5);
  expect(figures.p50Ms).toBeGreaterThanOrEqual(DELAY_MS - 1);
  expect(figures.p50Ms).toBeLessThan(10 * DELAY_MS);
  expect(figures.maxMs).toBeGreaterThanOrEqual(figures.p95Ms);
});

/** @param {Record<string, number>} changes */
const figuresOf = (changes) => /** @type {any} */ ({ ops: 0, backlog: 0, backlogByWorker: [], lagMs: 0, ...changes });

test('a line describes what happened since the last one', () => {
  const describe = createReportFormatter('case 3');
  describe({ figures: figuresOf({ ops: 1000 }), cpuMs: 900, elapsedMs: 1000, peakRssMB: 80 });
  const figures = { ...figuresOf({ ops: 4000, backlog: 12, lagMs: 1500 }), backlogByWorker: [5, 7] };
  expect(describe({ figures, cpuMs: 1500, elapsedMs: 3000, peakRssMB: 99.6 })).toBe(
    'case 3: 1500 ops/s · CPU 30 % · peak RSS 100 MB · backlog 12, largest of a worker 7 · lag 1500 ms',
  );
  expect(describe({ figures: figuresOf({ ops: 500 }), cpuMs: 250, elapsedMs: 1000, peakRssMB: 99.6 })).toMatch(
    /^case 3: 500 ops\/s · CPU 25 % /,
  );
});
