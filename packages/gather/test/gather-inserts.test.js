import { beforeAll, describe, expect, test } from '@jest/globals';
import { MongoClient } from 'mongodb';
import { gatherInserts, OutcomeUnknownError } from '../src/index.js';
import { cleanUp, startReplicaSet } from 'test-support/cleanup.js';
import { runningOperations } from 'test-support/mongod.js';
import { openTcpProxy } from 'test-support/network.js';
import { until } from 'test-support/waiting.js';

/** @typedef {import('mongodb').Document} Document */

/** Of a server that only these tests use, because they make it fail. @type {MongoClient} */
let client;
/** @type {Awaited<ReturnType<typeof startReplicaSet>>} */
let mongo;
beforeAll(async () => {
  mongo = await startReplicaSet(['--setParameter', 'enableTestCommands=1']);
  client = connect(mongo.url);
  await client.connect();
});

/** @param {string} url @param {import('mongodb').MongoClientOptions} [options] */
function connect(url, options) {
  const opened = new MongoClient(url, { monitorCommands: true, ...options });
  cleanUp(() => opened.close());
  return opened;
}

let collections = 0;
/**
 * Creates a collection with a unique index on `key`.
 * @param {import('mongodb').CreateCollectionOptions} [options]
 */
async function createCollection(options) {
  const collection = await client.db('test').createCollection(`inserts${++collections}`, options);
  await collection.createIndex({ key: 1 }, { unique: true });
  return collection;
}

/** @param {import('mongodb').Collection} collection */
const keysOf = async (collection) => (await collection.find().toArray()).map(({ key }) => key);

/** Collects the number of documents of each insert command. */
function watchCommands() {
  /** @type {number[]} */
  const sizes = [];
  client.on('commandStarted', ({ commandName, command }) => {
    if (commandName === 'insert') sizes.push(command.documents.length ?? command.documents.documents.length);
  });
  return sizes;
}

/**
 * Makes insert commands fail.
 * @param {Document | string} mode
 * @param {Document} data
 */
async function failInserts(mode, data) {
  await client
    .db('admin')
    .command({ configureFailPoint: 'failCommand', mode, data: { failCommands: ['insert'], ...data } });
}
const failNoMore = () => client.db('admin').command({ configureFailPoint: 'failCommand', mode: 'off' });

/** @param {PromiseSettledResult<unknown>[]} outcomes */
const reasons = (outcomes) => outcomes.map((outcome) => (outcome.status === 'rejected' ? outcome.reason : 'stored'));

test('concurrent inserts are one command, and each is stored and acknowledged', async () => {
  const collection = await createCollection();
  const { insert } = gatherInserts(collection);
  const sizes = watchCommands();
  const answers = await Promise.all(Array.from({ length: 50 }, (_, key) => insert({ key })));
  expect(sizes).toEqual([50]);
  const stored = await collection.find().sort({ key: 1 }).toArray();
  expect(answers).toEqual(stored.map(({ _id }) => ({ acknowledged: true, insertedId: _id })));
  expect(stored.map(({ key }) => key)).toEqual([...answers.keys()]);
});

test('the documents of a caller that does not wait are stored in the order of its calls', async () => {
  const collection = await createCollection();
  const { insert } = gatherInserts(collection, { maxBatchSize: 7 });
  const sizes = watchCommands();
  // If the order were not kept, small ones would overtake large ones.
  const large = 'x'.repeat(2 ** 20);
  await Promise.all(Array.from({ length: 50 }, (_, key) => insert(key < 7 ? { key, large } : { key })));
  expect(sizes).toEqual([7, 7, 7, 7, 7, 7, 7, 1]);
  expect(await keysOf(collection)).toEqual([...Array(50).keys()]);
});

describe('a document that is refused fails its own caller alone, as insertOne would', () => {
  /** @param {import('mongodb').Collection} collection @param {unknown} bad */
  async function insertAmongGood(collection, bad) {
    const documents = [{ key: 1 }, { key: 2 }, bad, { key: 4 }, { key: 5 }];
    const { insert } = gatherInserts(collection);
    const outcomes = reasons(
      await Promise.allSettled(documents.map((document) => insert(/** @type {any} */ (document)))),
    );
    const plain = await collection.insertOne(/** @type {any} */ (bad)).catch((error) => error);
    expect(outcomes).toEqual(['stored', 'stored', plain, 'stored', 'stored']);
    expect(await keysOf(collection)).toEqual([1, 2, 4, 5]);
    const factsOf = (/** @type {any} */ { name, message, code, keyPattern, keyValue, errInfo }) => [
      name,
      message,
      code,
      keyPattern,
      keyValue,
      errInfo,
    ];
    expect(factsOf(outcomes[2])).toEqual(factsOf(plain));
    return plain;
  }

  test('a duplicate key', async () => {
    const error = await insertAmongGood(await createCollection(), { key: 2 });
    expect(error).toMatchObject({ code: 11000, keyPattern: { key: 1 }, keyValue: { key: 2 } });
  });

  test('against the validator', async () => {
    const collection = await createCollection({ validator: { $jsonSchema: { required: ['key'] } } });
    const error = await insertAmongGood(collection, { lock: 1 });
    expect(error).toMatchObject({ code: 121, errInfo: { details: expect.anything() } });
  });

  test('too large for BSON', async () => {
    const error = await insertAmongGood(await createCollection(), { key: 3, large: 'x'.repeat(16 * 2 ** 20) });
    expect(error.message).toContain('too large');
  });

  test('no document at all', async () => {
    expect(await insertAmongGood(await createCollection(), null)).toBeInstanceOf(TypeError);
  });
});

test('a write concern that is not met fails the callers whose documents are stored', async () => {
  const collection = await createCollection();
  const { insert } = gatherInserts(
    client.db('test').collection(collection.collectionName, {
      writeConcern: { w: 2, wtimeoutMS: 100 },
    }),
  );
  // Too large for one command.
  const large = 'x'.repeat(7 * 2 ** 20);
  const documents = [{ key: 1, large }, { key: 1 }, { key: 2, large }, { key: 3, large }];
  const outcomes = reasons(await Promise.allSettled(documents.map(insert)));
  expect(outcomes.map(({ code }) => code)).toEqual([100, 100, 100, 100]);
  // insertOne reports this error inside the other.
  expect(outcomes.map(({ result }) => result.writeErrors?.[0].code)).toEqual([undefined, 11000, undefined, undefined]);
  expect(await keysOf(collection)).toEqual([1, 2, 3]);
});

describe('a connection that breaks during an insertMany', () => {
  test('once: the driver retries, and every document is stored once', async () => {
    const collection = await createCollection();
    const { insert } = gatherInserts(collection);
    await failInserts({ times: 1 }, { closeConnection: true });
    await Promise.all([1, 2, 3].map((key) => insert({ key })));
    expect(await keysOf(collection)).toEqual([1, 2, 3]);
  });

  test('twice: the outcome is unknown, and the next insert works', async () => {
    const collection = await createCollection();
    const { insert } = gatherInserts(collection, { maxBatchSize: 2 });
    await failInserts({ times: 4 }, { closeConnection: true });
    const outcomes = reasons(await Promise.allSettled([1, 2, 3, 4, 5].map((key) => insert({ key }))));
    expect(outcomes.slice(0, 4)).toEqual(Array(4).fill(expect.any(OutcomeUnknownError)));
    expect(outcomes[0]).toMatchObject({
      message: expect.stringMatching(/^the document may or may not be stored: .*clos/),
      cause: expect.any(Error),
    });
    expect(outcomes[4]).toBe('stored');
  });

  test('the outcome is unknown for a lone caller too', async () => {
    const { insert } = gatherInserts(await createCollection());
    await failInserts({ times: 2 }, { closeConnection: true });
    await expect(insert({ key: 1 })).rejects.toThrow(OutcomeUnknownError);
  });

  test('between two commands of an insertMany: the outcomes of the first are known', async () => {
    const collection = await createCollection();
    const { insert } = gatherInserts(collection);
    const large = 'x'.repeat(7 * 2 ** 20);
    await failInserts({ skip: 1 }, { closeConnection: true });
    const outcomes = reasons(await Promise.allSettled([1, 2, 3].map((key) => insert({ key, large }))));
    await failNoMore();
    expect(outcomes).toEqual(['stored', 'stored', expect.any(OutcomeUnknownError)]);
    expect(await keysOf(collection)).toEqual([1, 2]);
  });

  test('while the server is inserting: the outcomes are unknown', async () => {
    const collection = await createCollection();
    const proxy = await openTcpProxy(mongo.port);
    const proxied = connect(`mongodb://127.0.0.1:${proxy.port}/?directConnection=true`, {
      serverSelectionTimeoutMS: 1500,
    });
    const { insert } = gatherInserts(proxied.db('test').collection(collection.collectionName));
    // Longer than a busy machine takes to see it.
    await failInserts('alwaysOn', { blockConnection: true, blockTimeMS: 4000 });
    const inserts = Promise.allSettled([1, 2, 3].map((key) => insert({ key })));
    await until(
      'the server has them',
      async () => (await runningOperations(client, { 'command.insert': collection.collectionName })).length,
    );
    proxy.cut();
    expect(reasons(await inserts)).toEqual(Array(3).fill(expect.any(OutcomeUnknownError)));
    await failNoMore();
  });
});

describe('a command that fails on the server', () => {
  test('unauthorized: each document is sent alone', async () => {
    const { insert } = gatherInserts(await createCollection());
    const unauthorized = 13;
    const insertThree = async () => reasons(await Promise.allSettled([1, 2, 3].map((key) => insert({ key }))));
    const sizes = watchCommands();
    // Not a number of times: the server fails one more command if it gets several at once.
    await failInserts('alwaysOn', { errorCode: unauthorized });
    expect(await insertThree()).toEqual(
      Array(3).fill(expect.objectContaining({ name: 'MongoServerError', code: unauthorized })),
    );
    await failInserts({ times: 1 }, { errorCode: unauthorized });
    expect(await insertThree()).toEqual(Array(3).fill('stored'));
    expect(sizes).toEqual([3, 1, 1, 1, 3, 1, 1, 1]);
  });

  test('interrupted: the outcomes are unknown', async () => {
    const { insert } = gatherInserts(await createCollection());
    const interrupted = 11601;
    await failInserts({ times: 1 }, { errorCode: interrupted });
    const outcomes = reasons(await Promise.allSettled([1, 2].map((key) => insert({ key }))));
    expect(outcomes).toEqual(Array(2).fill(expect.any(OutcomeUnknownError)));
  });
});

test('an error that a retry does not solve leaves the outcome unknown, also for a lone caller', async () => {
  const { insert } = gatherInserts(await createCollection());
  const hostUnreachable = 6;
  await failInserts({ times: 2 }, { errorCode: hostUnreachable, errorLabels: ['RetryableWriteError'] });
  await expect(insert({ key: 1 })).rejects.toThrow(OutcomeUnknownError);
});

test('without a server nothing is sent, and callers get the error of the driver', async () => {
  const nowhere = connect('mongodb://127.0.0.1:1', { serverSelectionTimeoutMS: 100 });
  const { insert } = gatherInserts(nowhere.db('test').collection('inserts'));
  const outcomes = reasons(await Promise.allSettled([1, 2].map((key) => insert({ key }))));
  expect(outcomes.map(({ name }) => name)).toEqual(Array(2).fill('MongoServerSelectionError'));
});

test.each([{ maxBatchSize: 0 }, { maxPending: NaN }])('an invalid limit is refused: %j', (options) => {
  const [name] = Object.keys(options);
  expect(() => gatherInserts(client.db('test').collection('inserts'), options)).toThrow(
    new RangeError(`${name} is ${Object.values(options)[0]}; it must be a number of at least 1`),
  );
});
