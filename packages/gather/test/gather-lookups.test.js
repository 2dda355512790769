import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, beforeAll, expect, test } from '@jest/globals';
import { Decimal128, Long, MongoClient, ObjectId } from 'mongodb';
import { gatherLookups } from '../src/index.js';
import { cleanUp } from 'test-support/cleanup.js';
import { sharedMongoUrl } from 'test-support/mongod.js';
import { until } from 'test-support/waiting.js';

const client = new MongoClient(sharedMongoUrl(), { monitorCommands: true });
cleanUp(() => client.close());
/** @type {import('mongodb').Collection<any>} */
const collection = client.db('gather_lookups').collection('documents');
const objectId = new ObjectId();
const others = [
  { _id: '7', kind: 'text' },
  { _id: objectId, kind: 'object id' },
  { _id: 'late', at: new Date(5) },
];

/**
 * Accepts ids of any type.
 * @param {{ maxBatchSize?: number }} [options]
 * @returns {(id: any) => Promise<any>}
 */
const gather = (options) => gatherLookups(collection, options);

/** @type {string[]} */
const commands = [];
client.on('commandStarted', ({ commandName }) => {
  commands.push(commandName);
});

beforeAll(async () => {
  await collection.drop();
  await collection.insertMany([...Array.from({ length: 400 }, (_, _id) => ({ _id, square: _id ** 2 })), ...others]);
  commands.length = 0;
});
afterEach(() => {
  commands.length = 0;
});

test('concurrent lookups are one query, and each caller gets its own document', async () => {
  const lookUp = gather();
  const ids = Array.from({ length: 300 }, (_, index) => (index * 7) % 401);
  const documents = await Promise.all(ids.map(lookUp));
  expect(documents).toEqual(ids.map((_id) => (_id < 400 ? { _id, square: _id ** 2 } : null)));
  expect(ids).toContain(400);
  expect(commands).toEqual(['find']);
});

test('two callers of one document do not share an object', async () => {
  const lookUp = gather();
  const [first, missing, second] = await Promise.all(['late', 'never', 'late'].map(lookUp));
  expect(missing).toBeNull();
  expect(second).toEqual(others[2]);
  first.at = 'changed';
  expect(second).toEqual(others[2]);
  expect(commands).toEqual(['find']);
});

test('a query has no more lookups than allowed', async () => {
  const lookUp = gather({ maxBatchSize: 2 });
  expect(await Promise.all([1, 2, 3].map(lookUp))).toMatchObject([{ _id: 1 }, { _id: 2 }, { _id: 3 }]);
  expect(commands).toEqual(['find', 'find']);
});

test('ids of different types are different', async () => {
  const lookUp = gather();
  const documents = await Promise.all([7, '7', objectId, objectId.toHexString()].map(lookUp));
  expect(documents).toEqual([{ _id: 7, square: 49 }, others[0], others[1], null]);
});

test('ids that MongoDB considers equal are found, as with findOne', async () => {
  const lookUp = gather();
  const ids = [Long.fromNumber(7), 8, Decimal128.fromString('7.0'), 'never'];
  expect(await Promise.all(ids.map(lookUp))).toEqual(await Promise.all(ids.map((_id) => collection.findOne({ _id }))));
  expect(await lookUp(Long.fromNumber(7))).toMatchObject({ _id: 7 });
});

test('null is an id like any other', async () => {
  // The driver's insert replaces a null.
  const document = { _id: null, kind: 'null' };
  await collection.db.command({ insert: collection.collectionName, documents: [document] });
  expect(await gather()(null)).toEqual(document);
});

test('lookups that come while a query runs form the next one', async () => {
  const lookUp = gather();
  const first = lookUp(1);
  await until('the first query is sent', () => commands.length > 0);
  const later = [2, 3].map(lookUp);
  await nextTurn();
  later.push(lookUp(4));
  expect(await Promise.all([first, ...later])).toMatchObject([{ _id: 1 }, { _id: 2 }, { _id: 3 }, { _id: 4 }]);
  expect(commands).toEqual(['find', 'find']);
});

test('an error reaches every caller of its query, and no one else', async () => {
  const lookUp = gather();
  const outcomes = await Promise.allSettled([1, { $gt: 1 }, 3].map(lookUp));
  expect(outcomes.map((outcome) => outcome.status === 'rejected' && outcome.reason.message)).toEqual(
    Array(3).fill(expect.stringMatching(/cannot nest \$ under \$in/)),
  );
  expect(await lookUp(1)).toMatchObject({ _id: 1 });
});
