import { expect, test } from '@jest/globals';
import { MongoClient, ObjectId } from 'mongodb';
import { findDifferences } from '../../../src/labs/replication/testbed.js';
import { cleanUp } from '../../support/cleanup.js';
import { sharedMongoUrl } from '../../support/environment.js';

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
