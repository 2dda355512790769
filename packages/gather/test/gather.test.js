import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { Decimal128, Long, MongoClient, ObjectId } from 'mongodb';
import { cleanUp, startReplicaSet } from 'test-support/cleanup.js';
import { runningOperations, sharedMongoUrl } from 'test-support/mongod.js';
import { openTcpProxy } from 'test-support/network.js';
import { until } from 'test-support/waiting.js';
import { gatherInserts, gatherLookups, OutcomeUnknownError } from '../src/index.js';

describe('inserts', () => {
  /** @typedef {import('mongodb').Document} Document */

  const REQUIRES_KEY = { $jsonSchema: { required: ['key'] } };

  /** Client of a server that only these tests use, because they make it fail. @type {MongoClient} */
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

    test.each([
      ['a duplicate key', {}, { key: 2 }, { code: 11000, keyPattern: { key: 1 }, keyValue: { key: 2 } }],
      ['against the validator', { validator: REQUIRES_KEY }, { lock: 1 }, { code: 121, errInfo: expect.anything() }],
      ['too large', {}, { key: 3, large: 'x'.repeat(16 * 2 ** 20) }, { message: expect.stringContaining('too large') }],
      ['no document at all', {}, null, expect.any(TypeError)],
    ])('%s', async (_, options, bad, error) => {
      const plain = await insertAmongGood(await createCollection(options), bad);
      if (bad) expect(plain).toMatchObject(error);
      else expect(plain).toEqual(error);
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
    expect(outcomes.map(({ result }) => result.writeErrors?.[0].code)).toEqual([
      undefined,
      11000,
      undefined,
      undefined,
    ]);
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
      const { insert } = gatherInserts(await createCollection(), { maxBatchSize: 2 });
      await failInserts({ times: 4 }, { closeConnection: true });
      const outcomes = reasons(await Promise.allSettled([1, 2, 3, 4, 5].map((key) => insert({ key }))));
      expect(outcomes).toEqual([...Array(4).fill(expect.any(OutcomeUnknownError)), 'stored']);
      expect(outcomes[0]).toMatchObject({
        message: expect.stringMatching(/^the document may or may not be stored: .*clos/),
        cause: expect.any(Error),
      });
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
        serverSelectionTimeoutMS: 500,
      });
      await until('it is connected', () => proxied.connect().catch(() => null));
      const { insert } = gatherInserts(proxied.db('test').collection(collection.collectionName));
      await failInserts('alwaysOn', { blockConnection: true, blockTimeMS: 600_000 });
      const inserts = Promise.allSettled([1, 2, 3].map((key) => insert({ key })));
      const [{ opid }] = await until('the server has them', async () => {
        const found = await runningOperations(client, { 'command.insert': collection.collectionName });
        return found.length > 0 ? found : null;
      });
      proxy.cut();
      expect(reasons(await inserts)).toEqual(Array(3).fill(expect.any(OutcomeUnknownError)));
      await client.db('admin').command({ killOp: 1, op: opid });
      await failNoMore();
    });
  });

  test('an unauthorized command: each document is sent alone', async () => {
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

  const unreachable = { errorCode: 6, errorLabels: ['RetryableWriteError'] };
  test.each([
    ['an interrupted command', [1, 2], 1, { errorCode: 11601 }],
    ['a lone caller whose connection breaks twice', [1], 2, { closeConnection: true }],
    ['a lone caller whose server stays unreachable', [1], 2, unreachable],
  ])('the outcome is unknown: %s', async (_, keys, times, data) => {
    const { insert } = gatherInserts(await createCollection());
    await failInserts({ times }, data);
    const outcomes = reasons(await Promise.allSettled(keys.map((key) => insert({ key }))));
    expect(outcomes).toEqual(keys.map(() => expect.any(OutcomeUnknownError)));
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
});

describe('the order of inserts', () => {
  /** @typedef {{ keys: number[], end: () => void, fail: (error: Error) => void }} Batch */

  /**
   * A writer to a collection whose answers the test gives.
   * @param {Parameters<typeof gatherInserts>[1]} [options]
   */
  function setUp(options) {
    /** @type {Batch[]} */
    const batches = [];
    /** @param {any[]} documents */
    const insertMany = (documents) =>
      new Promise((resolve, fail) => {
        const keys = documents.map(({ _id }) => _id);
        batches.push({ keys, end: () => resolve({ acknowledged: true, insertedId: keys[0] }), fail });
      });
    const collection = { insertMany, insertOne: (/** @type {any} */ document) => insertMany([document]) };
    const writer = gatherInserts(/** @type {any} */ (collection), options);
    const insert = async (/** @type {number} */ _id) => (await writer.insert(/** @type {any} */ ({ _id }))).insertedId;
    return { batches, writer, insert, keys: () => batches.map((batch) => batch.keys) };
  }

  test('the document of a lone caller is sent within the turn of the event loop', async () => {
    const { insert, keys } = setUp();
    insert(1);
    await new Promise((resolve) => {
      process.nextTick(resolve);
    });
    expect(keys()).toEqual([[1]]);
  });

  test('concurrent callers share a batch, and those that come while it runs share the next', async () => {
    const { insert, batches, keys } = setUp({ maxBatchSize: 3 });
    const first = Promise.all([1, 2].map(insert));
    await nextTurn();
    const later = Promise.all([3, 4, 5, 6].map(insert));
    await nextTurn();
    expect(keys()).toEqual([[1, 2]]);
    batches[0].end();
    expect(await first).toEqual([1, 2]);
    await nextTurn();
    expect(keys()).toEqual([
      [1, 2],
      [3, 4, 5],
    ]);
    batches[1].end();
    await nextTurn();
    expect(keys()).toEqual([[1, 2], [3, 4, 5], [6]]);
    batches[2].end();
    expect(await later).toEqual([3, 4, 5, 6]);
  });

  test('callers that continue after the same batch share the next one, however they wait', async () => {
    const { insert, batches, keys } = setUp();
    insert(1).then(() => insert(11));
    (async () => {
      await (async () => insert(2))();
      await insert(12);
    })();
    await nextTurn();
    batches[0].end();
    await nextTurn();
    expect(keys()).toEqual([
      [1, 2],
      [11, 12],
    ]);
  });

  test('a failed batch fails its own documents only', async () => {
    const { insert, batches } = setUp({ maxBatchSize: 2 });
    const outcomes = Promise.allSettled([1, 2, 3].map(insert));
    await nextTurn();
    batches[0].fail(Object.assign(new Error('no server'), { name: 'MongoServerSelectionError' }));
    await nextTurn();
    batches[1].end();
    expect((await outcomes).map(({ status }) => status)).toEqual(['rejected', 'rejected', 'fulfilled']);
  });

  test('ready waits while too many documents have no outcome', async () => {
    const { writer, insert, batches } = setUp({ maxBatchSize: 2, maxPending: 3 });
    let added = 0;
    const producer = (async () => {
      for (; added < 6; added++) {
        await writer.ready();
        insert(added);
      }
    })();
    await nextTurn();
    expect(added).toBe(3);
    batches[0].end();
    await nextTurn();
    expect(added).toBe(5);
    batches[1].end();
    await producer;
  });

  test('close waits for all outcomes and rejects new documents', async () => {
    const { writer, insert, batches } = setUp({ maxBatchSize: 1 });
    insert(1);
    insert(2);
    let isClosed = false;
    const closing = writer.close().then(() => {
      isClosed = true;
    });
    await expect(insert(3)).rejects.toThrow('this gatherer is closed');
    await nextTurn();
    batches[0].end();
    await nextTurn();
    expect(isClosed).toBe(false);
    batches[1].end();
    await closing;
    expect(batches).toHaveLength(2);
  });
});

describe('lookups', () => {
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
    expect(await Promise.all(ids.map(lookUp))).toEqual(
      await Promise.all(ids.map((_id) => collection.findOne({ _id }))),
    );
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
});
