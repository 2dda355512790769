import { expect, test } from '@jest/globals';
import { BSON, MongoClient } from 'mongodb';
import { CASES } from '../../../src/labs/replication/cases.js';
import { fillSource, listCollections, makeDocument } from '../../../src/labs/replication/fill-source.js';
import { cleanUp } from '../../support/cleanup.js';
import { sharedMongoUrl } from '../../support/environment.js';

const client = new MongoClient(sharedMongoUrl());
cleanUp(() => client.close());

/** @param {Omit<Parameters<typeof fillSource>[1], 'database'>} options */
async function fill(options) {
  const { collections, fields } = options.shape;
  const database = `pool_lab_replication_${collections}x${fields}`;
  cleanUp(() => client.db(database).dropDatabase());
  const { from, until } = await fillSource(client, { database, ...options });
  return client.db('local').collection('oplog.rs')
    .find({ ts: { $gt: from, $lte: until }, ns: new RegExp(`^${database}\\.`) }).sort({ $natural: 1 }).toArray();
}

test('the oplog has one insert for each document, and the collections take turns', async () => {
  const shape = { collections: 5, fields: 5 };
  const entries = await fill({ shape, ops: 23 });
  expect(entries.map(({ op }) => op).join('')).toBe('i'.repeat(23));
  expect(entries.map(({ ns }) => ns.split('.')[1]).slice(0, 6)).toEqual([...listCollections(shape), 'c_000']);
  expect(entries.map(({ o }) => o)).toEqual(Array.from({ length: 23 }, (_, index) => makeDocument(index, shape)));
});

test('entries are about as large as the published ones', async () => {
  for (const [number, published] of [[5, 180], [3, 220], [7, 220]]) {
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
