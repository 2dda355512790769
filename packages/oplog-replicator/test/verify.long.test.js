import { beforeAll, expect, test } from '@jest/globals';
import { Double, MongoClient } from 'mongodb';
import { verify } from '../src/verify/verify.js';
import { cleanUp } from '../../../test/support/cleanup.js';
import { startReplicaSet } from '../../../test/support/mongod-process.js';

/** @import { Db } from 'mongodb' */

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
  urls = (await Promise.all([startReplicaSet(), startReplicaSet()])).map(({ url }) => url);
  const clients = urls.map((url) => new MongoClient(url));
  cleanUp(() => Promise.all(clients.map((client) => client.close())));
  [source, target] = clients.map((client) => client.db('shop'));
  for (const db of [source, target]) {
    await db.collection('a').insertMany(Array.from({ length: DOCUMENTS }, (_, n) => ({ _id: /** @type {any} */ (n % 2 ? n : `${n}`), n, TEXT })));
    await db.createCollection('capped', { capped: true, size: 4096 });
    await db.collection('b').insertMany([{ _id: /** @type {any} */ (1) }, { _id: /** @type {any} */ ({ k: 1, 1: 2 }) }]);
  }
});

const check = () => verify({ source: urls[0], target: urls[1], namespaces: { include: ['shop'] }, settleMs: 500 });

test('the same data is identical, wherever TTL is off', async () => {
  await source.collection('b').createIndex({ at: 1 }, { expireAfterSeconds: 3600 });
  await target.collection('b').createIndex({ at: 1 });
  /** @type {import('../src/verify/verify.js').VerifyProgress[]} */
  const progress = [];
  const found = await verify({
    source: urls[0], target: urls[1], namespaces: { include: ['shop'] }, onProgress: (each) => progress.push(each),
  });
  expect(found).toMatchObject({ collections: 3, documents: DOCUMENTS + 2, differences: [] });
  expect(progress.length).toBeGreaterThan(3);
  expect(progress.at(-1)).toEqual({ bytes: found.bytes, totalBytes: found.bytes });
});

test('names every kind of difference', async () => {
  /** @type {any} */
  const _id = 777;
  await target.collection('a').updateOne({ _id }, { $set: { n: new Double(777.5) } });
  await target.collection('a').deleteOne({ _id: /** @type {any} */ ('20000') });
  await source.collection('a').createIndex({ n: 1 }, { unique: true });
  await Promise.all([source, target].map((db, index) => db.collection('capped').insertMany(
    [index + 1, 2 - index].map((id) => ({ _id: /** @type {any} */ (id) })))));
  await source.command({ collMod: 'b', validator: { x: 1 } });
  await target.collection('extra').insertOne({});
  await source.collection('missing').insertOne({});
  const { differences } = await check();
  expect(differences).toHaveLength(7);
  expect(differences).toEqual(expect.arrayContaining([
    { name: 'shop.a', problem: 'only one of them has the index {"v":2,"key":{"n":1},"name":"n_1","unique":true}' },
    { name: 'shop.a', problem: expect.stringMatching(
      /^documents .+: \d+ on the source, \d+ on the target; 1 different: {"_id":777}$/) },
    { name: 'shop.a', problem: expect.stringMatching(
      /^documents .+: \d+ on the source, \d+ on the target; 1 different: {"_id":"20000"}$/) },
    { name: 'shop.b', problem: expect.stringMatching(/^options: {"validator":{"x":1}.*} on the source, {} on the target$/) },
    { name: 'shop.capped', problem: 'all documents: 2 on the source, 2 on the target; the order of the documents differs' },
    { name: 'shop.extra', problem: 'the source does not have this collection' },
    { name: 'shop.missing', problem: 'the target does not have this collection' },
  ]));
});
