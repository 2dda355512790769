import { beforeAll, describe, expect, test } from '@jest/globals';
import { MongoClient } from 'mongodb';
import { openDelayProxy } from '../../../src/harness/delay-proxy.js';
import { gatherInserts } from '../src/gather-inserts.js';
import { OutcomeUnknownError } from '../src/outcome-unknown-error.js';
import { startEmbeddedMongo } from '../../../src/mongo/embedded.js';
import { readSettings } from '../../../src/settings.js';
import { cleanUp } from '../../../test/support/cleanup.js';
import { runningOperations } from '../../../test/support/running-operations.js';
import { until } from '../../../test/support/until.js';

/** @typedef {import('mongodb').Document} Document */

/** Its server can be told to fail, and nobody else uses it. @type {MongoClient} */
let client;
/** @type {import('../../../src/mongo/embedded.js').EmbeddedMongo} */
let mongo;
beforeAll(async () => {
  mongo = await startEmbeddedMongo({ ...readSettings(), args: ['--setParameter', 'enableTestCommands=1'] });
  cleanUp(mongo.stop);
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
 * A collection that nobody else uses, of documents with a unique key.
 * @param {import('mongodb').CreateCollectionOptions} [options]
 */
async function createCollection(options) {
  const collection = await client.db('test').createCollection(`inserts${++collections}`, options);
  await collection.createIndex({ key: 1 }, { unique: true });
  return collection;
}

/** @param {import('mongodb').Collection} collection */
const keysOf = async (collection) => (await collection.find().toArray()).map(({ key }) => key);

/** How many documents each insert command brings from now on. */
function watchCommands() {
  /** @type {number[]} */
  const sizes = [];
  client.on('commandStarted', ({ commandName, command }) => {
    if (commandName === 'insert') sizes.push(command.documents.length ?? command.documents.documents.length);
  });
  return sizes;
}

/**
 * Have insert commands fail.
 * @param {Document | string} mode
 * @param {Document} data
 */
async function failInserts(mode, data) {
  await client.db('admin').command({ configureFailPoint: 'failCommand', mode, data: { failCommands: ['insert'], ...data } });
}
const failNoMore = () => client.db('admin').command({ configureFailPoint: 'failCommand', mode: 'off' });

/** @param {PromiseSettledResult<unknown>[]} outcomes */
const reasons = (outcomes) => outcomes.map((outcome) => (outcome.status === 'rejected' ? outcome.reason : 'stored'));

test('inserts of the moment are one command, each is answered and stored', async () => {
  const collection = await createCollection();
  const { insert } = gatherInserts(collection);
  const sizes = watchCommands();
  const answers = await Promise.all(Array.from({ length: 50 }, (_, key) => insert({ key })));
  expect(sizes).toEqual([50]);
  const stored = await collection.find().sort({ key: 1 }).toArray();
  expect(answers).toEqual(stored.map(({ _id }) => ({ acknowledged: true, insertedId: _id })));
  expect(stored.map(({ key }) => key)).toEqual([...answers.keys()]);
});

test('a caller that does not wait has its documents stored in the order of its calls', async () => {
  const collection = await createCollection();
  const { insert } = gatherInserts(collection, { maxBatch: 7 });
  const sizes = watchCommands();
  // Small ones would overtake the large ones before them.
  const large = 'x'.repeat(2 ** 20);
  await Promise.all(Array.from({ length: 50 }, (_, key) => insert(key < 7 ? { key, large } : { key })));
  expect(sizes).toEqual([7, 7, 7, 7, 7, 7, 7, 1]);
  expect(await keysOf(collection)).toEqual([...Array(50).keys()]);
});

describe('a document that is refused fails its own caller alone, as insertOne would', () => {
  /**
   * @param {import('mongodb').Collection} collection
   * @param {unknown} bad
   */
  async function insertAmongGood(collection, bad) {
    const documents = [{ key: 1 }, { key: 2 }, bad, { key: 4 }, { key: 5 }];
    const { insert } = gatherInserts(collection);
    const outcomes = reasons(await Promise.allSettled(documents.map((document) => insert(/** @type {any} */ (document)))));
    const plain = await collection.insertOne(/** @type {any} */ (bad)).catch((error) => error);
    expect(outcomes).toEqual(['stored', 'stored', plain, 'stored', 'stored']);
    expect(await keysOf(collection)).toEqual([1, 2, 4, 5]);
    const { name, message, code, keyPattern, keyValue, errInfo } = /** @type {any} */ (outcomes[2]);
    expect({ name, message, code, keyPattern, keyValue, errInfo }).toEqual({
      name: plain.name, message: plain.message, code: plain.code, keyPattern: plain.keyPattern, keyValue: plain.keyValue,
      errInfo: plain.errInfo,
    });
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

test('a write concern that is not met is told to those whose documents are stored', async () => {
  const collection = await createCollection();
  const { insert } = gatherInserts(client.db('test').collection(collection.collectionName, {
    writeConcern: { w: 2, wtimeoutMS: 100 },
  }));
  // Two commands, as they are too large for one.
  const large = 'x'.repeat(7 * 2 ** 20);
  const documents = [{ key: 1, large }, { key: 1 }, { key: 2, large }, { key: 3, large }];
  const outcomes = reasons(await Promise.allSettled(documents.map(insert)));
  expect(outcomes.map(({ code }) => code)).toEqual([100, 100, 100, 100]);
  // insertOne has this one within the other.
  expect(outcomes.map(({ result }) => result.writeErrors?.[0].code)).toEqual([undefined, 11000, undefined, undefined]);
  expect(await keysOf(collection)).toEqual([1, 2, 3]);
});

describe('a connection that breaks in the middle', () => {
  test('once: the driver tries again, and all is stored once', async () => {
    const collection = await createCollection();
    const { insert } = gatherInserts(collection);
    await failInserts({ times: 1 }, { closeConnection: true });
    await Promise.all([1, 2, 3].map((key) => insert({ key })));
    expect(await keysOf(collection)).toEqual([1, 2, 3]);
  });

  test('twice: nobody knows, and each caller is told so; the next insert is none the worse', async () => {
    const collection = await createCollection();
    const { insert } = gatherInserts(collection, { maxBatch: 2 });
    await failInserts({ times: 4 }, { closeConnection: true });
    const outcomes = reasons(await Promise.allSettled([1, 2, 3, 4, 5].map((key) => insert({ key }))));
    expect(outcomes.slice(0, 4)).toEqual(Array(4).fill(expect.any(OutcomeUnknownError)));
    expect(outcomes[0]).toMatchObject({
      message: expect.stringMatching(/^it is not known whether the document is stored: .*clos/),
      cause: expect.any(Error),
    });
    expect(outcomes[4]).toBe('stored');
  });

  test('a lone caller is told the same', async () => {
    const { insert } = gatherInserts(await createCollection());
    await failInserts({ times: 2 }, { closeConnection: true });
    await expect(insert({ key: 1 })).rejects.toThrow(OutcomeUnknownError);
  });

  test('between two commands of an insertMany: what was answered before is known', async () => {
    const collection = await createCollection();
    const { insert } = gatherInserts(collection);
    const large = 'x'.repeat(7 * 2 ** 20);
    await failInserts({ skip: 1 }, { closeConnection: true });
    const documents = [{ key: 1, large }, { key: 2, large }, { key: 3, large }];
    const outcomes = reasons(await Promise.allSettled(documents.map(insert)));
    await failNoMore();
    expect(outcomes).toEqual(['stored', 'stored', expect.any(OutcomeUnknownError)]);
    expect(await keysOf(collection)).toEqual([1, 2]);
  });

  test('while the server works on them: they may be stored, and that is what is said', async () => {
    const collection = await createCollection();
    const hop = await openDelayProxy({ host: '127.0.0.1', port: Number(new URL(mongo.url).port) });
    cleanUp(hop.close);
    const far = connect(`mongodb://127.0.0.1:${hop.port}/?directConnection=true`, { serverSelectionTimeoutMS: 300 });
    const { insert } = gatherInserts(far.db('test').collection(collection.collectionName));
    await failInserts('alwaysOn', { blockConnection: true, blockTimeMS: 300 });
    const inserts = Promise.allSettled([1, 2, 3].map((key) => insert({ key })));
    await until('the server has them', async () => (
      (await runningOperations(client, { 'command.insert': collection.collectionName })).length));
    hop.cut();
    expect(reasons(await inserts)).toEqual(Array(3).fill(expect.any(OutcomeUnknownError)));
    await failNoMore();
  });
});

describe('a command that the server fails as a whole', () => {
  test('by right: each document is tried by itself', async () => {
    const { insert } = gatherInserts(await createCollection());
    const unauthorized = 13;
    await failInserts({ times: 3 }, { errorCode: unauthorized });
    const outcomes = reasons(await Promise.allSettled([1, 2, 3].map((key) => insert({ key }))));
    expect(outcomes.filter((outcome) => outcome === 'stored')).toHaveLength(1);
    expect(outcomes.filter(({ name, code }) => name === 'MongoServerError' && code === unauthorized)).toHaveLength(2);
  });

  test('in the middle: nobody knows', async () => {
    const { insert } = gatherInserts(await createCollection());
    const interrupted = 11601;
    await failInserts({ times: 1 }, { errorCode: interrupted });
    const outcomes = reasons(await Promise.allSettled([1, 2].map((key) => insert({ key }))));
    expect(outcomes).toEqual(Array(2).fill(expect.any(OutcomeUnknownError)));
  });
});

test('an error that even a second try met leaves it open, also for a lone caller', async () => {
  const { insert } = gatherInserts(await createCollection());
  const hostUnreachable = 6;
  await failInserts({ times: 2 }, { errorCode: hostUnreachable, errorLabels: ['RetryableWriteError'] });
  await expect(insert({ key: 1 })).rejects.toThrow(OutcomeUnknownError);
});

test('without a server nothing was sent, so that the driver can be believed', async () => {
  const nowhere = connect('mongodb://127.0.0.1:1', { serverSelectionTimeoutMS: 100 });
  const { insert } = gatherInserts(nowhere.db('test').collection('inserts'));
  const outcomes = reasons(await Promise.allSettled([1, 2].map((key) => insert({ key }))));
  expect(outcomes.map(({ name }) => name)).toEqual(Array(2).fill('MongoServerSelectionError'));
});

test('a producer that awaits ready has no more without an answer than it may', async () => {
  const collection = await createCollection();
  const { insert, ready, close } = gatherInserts(collection, { maxBatch: 10, maxPending: 30 });
  let pending = 0;
  let most = 0;
  for (let key = 0; key < 200; key++) {
    await ready();
    most = Math.max(most, ++pending);
    insert({ key }).finally(() => { pending -= 1; });
  }
  expect(most).toBe(30);
  await close();
  expect(await collection.countDocuments()).toBe(200);
});

test('closing waits for the answers, after it nothing is taken', async () => {
  const collection = await createCollection();
  const { insert, close } = gatherInserts(collection);
  insert({ key: 1 });
  const closing = close();
  await expect(insert({ key: 2 })).rejects.toThrow('this gatherer is closed');
  await closing;
  expect(await keysOf(collection)).toEqual([1]);
});

test.each([{ maxBatch: 0 }, { maxPending: NaN }])('a limit that is none is refused: %j', (options) => {
  const [name] = Object.keys(options);
  expect(() => gatherInserts(client.db('test').collection('inserts'), options)).toThrow(
    new RangeError(`${name} is ${Object.values(options)[0]}; it must be a number from 1`));
});
