import { beforeAll, expect, test } from '@jest/globals';
import { Double } from 'mongodb';
import { verify } from '../src/verify/verify.js';
import { startTwoSets } from './connections.js';

/** @import { Collection, Db } from 'mongodb' */

/** Enough for several ranges. */
const DOCUMENTS = 40_000;
const TEXT = 'x'.repeat(1000);

/** @type {string[]} */
let urls;
/** @type {Db} */
let source;
/** @type {Db} */
let target;
beforeAll(async () => {
  const sets = await startTwoSets();
  urls = sets.urls;
  [source, target] = sets.clients.map((client) => client.db('shop'));
  for (const db of [source, target]) {
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
const check = (options) => verify({ source: urls[0], target: urls[1], namespaces: { include: ['shop'] }, ...options });

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
    [source, target].map((db, index) => collection(db, 'capped').insertMany([{ _id: index + 1 }, { _id: 2 - index }])),
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
