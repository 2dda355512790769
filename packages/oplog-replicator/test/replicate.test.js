import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { MongoClient, Timestamp } from 'mongodb';
import { cleanUp, scratchFolder, startMongod, startReplicaSet } from 'test-support/cleanup.js';
import { sharedMongoUrl } from 'test-support/mongod.js';
import { until } from 'test-support/waiting.js';
import { CHECKPOINT_DATABASE } from '../src/base/namespaces.js';
import { replicate } from '../src/replication/replicate.js';
import { verify } from '../src/verify/verify.js';
import { ConflictError } from '../src/base/errors.js';
import { startTwoSets, describeData } from './connections.js';

/** @import { Collection } from 'mongodb' */

describe('users, versions and other sets', () => {
  const source = sharedMongoUrl();

  /** @type {string} a replica set that requires authentication */
  let secured;
  /** @type {MongoClient} connected as its superuser */
  let superuser;
  beforeAll(async () => {
    const keyFile = path.join(await scratchFolder(), 'key');
    await writeFile(keyFile, 'secret', { mode: 0o600 });
    secured = (await startReplicaSet(['--keyFile', keyFile])).url;
    const anonymous = new MongoClient(secured);
    // From localhost, the first user can be created without authentication.
    await anonymous.db('admin').command({ createUser: 'root', pwd: 'secret', roles: ['root'] });
    await anonymous.close();
    superuser = new MongoClient(as('root'));
    cleanUp(() => superuser.close());
    await superuser.db('admin').command({ createUser: 'reader', pwd: 'secret', roles: ['readAnyDatabase'] });
  });

  /** @param {string} user */
  function as(user) {
    return secured.replace('//', `//${user}:secret@`);
  }

  /** @param {Partial<import('../src/replication/replicate.js').ReplicateOptions>} options */
  async function tryToReplicate(options) {
    const { done } = await replicate({
      sources: [source],
      target: as('root'),
      workers: 2,
      hash: 'id',
      from: 'start',
      ...options,
    });
    await done;
  }

  afterEach(async () => {
    const { databases } = await superuser.db('admin').admin().listDatabases({ nameOnly: true });
    expect(databases.map(({ name }) => name)).toEqual(['admin', 'config', 'local']);
  });

  test.each([
    ['source', { sources: ['mongodb://127.0.0.1:1/?serverSelectionTimeoutMS=2000'] }],
    ['target', { target: 'mongodb://127.0.0.1:1/?serverSelectionTimeoutMS=2000' }],
  ])('an unreachable %s is named', async (role, options) => {
    await expect(tryToReplicate(options)).rejects.toThrow(
      new RegExp(`^the ${role} 127\\.0\\.0\\.1:1: no MongoDB was found within 2000 ms: .*ECONNREFUSED`),
    );
  });

  test('an invalid connection string is refused', async () => {
    await expect(tryToReplicate({ target: '127.0.0.1' })).rejects.toThrow(
      'the driver refuses the connection string of the target: Invalid scheme, expected ' +
        'connection string to start with',
    );
    await expect(tryToReplicate({ target: 'mongodb://127.0.0.1/?color=red' })).rejects.toThrow(
      'the driver refuses the connection string of the target: option color is not supported',
    );
    await expect(tryToReplicate({ sources: ['mongodb://user:p@hunter2/x@127.0.0.1/'] })).rejects.toThrow(
      /^the connection string of the source can't be read(?!.*hunter2)/,
    );
  });

  test('a standalone server has no oplog', async () => {
    const { port } = await startMongod();
    await expect(tryToReplicate({ sources: [`mongodb://127.0.0.1:${port}`] })).rejects.toThrow(
      `the source 127.0.0.1:${port} is a standalone server, which has no oplog; a source must be a replica set`,
    );
  });

  test('a source is refused as its own target, even under another host name', async () => {
    const { host, port } = new URL(secured);
    await expect(
      tryToReplicate({ sources: [as('root')], target: as('root').replace('127.0.0.1', 'localhost') }),
    ).rejects.toThrow(`the target localhost:${port} is the source ${host}; they must be different servers`);
  });

  test('the same source twice is refused', async () => {
    await expect(tryToReplicate({ sources: [source, source] })).rejects.toThrow(/^the source .* is the source .*/);
  });

  test('a user who may not read the oplog gets an error that names the roles', async () => {
    await expect(tryToReplicate({ sources: [as('reader')], target: source })).rejects.toThrow(
      /^the source 127.* the user needs the role "read" on the database local, and the role "clusterMonitor" .* not authorized/,
    );
  });

  test('a user with these roles can read the oplog', async () => {
    await superuser.db('admin').command({
      createUser: 'follower',
      pwd: 'secret',
      roles: [{ role: 'read', db: 'local' }, 'clusterMonitor'],
    });
    const { figures, stop } = await replicate({
      sources: [as('follower')],
      target: null,
      workers: 2,
      hash: 'id',
      from: 'start',
    });
    await until('entries of the oplog', () => figures().noops > 0);
    await stop();
    await superuser.db('admin').command({ dropUser: 'follower' });
  });

  test('a user who may also read all databases can copy and compare', async () => {
    const documents = superuser.db('copied').collection('a');
    await documents.insertOne({ x: 1 });
    await documents.createIndex({ x: 1 }, { unique: true });
    await superuser.db('admin').command({
      createUser: 'copier',
      pwd: 'secret',
      roles: [{ role: 'read', db: 'local' }, 'clusterMonitor', 'readAnyDatabase'],
    });
    const target = new MongoClient(source);
    const namespaces = { include: ['copied'] };
    try {
      const { done } = await replicate({
        sources: [as('copier')],
        target: source,
        workers: 2,
        hash: 'id',
        from: 'snapshot',
        until: 'caught up',
        namespaces,
        checkpointId: 'copied',
      });
      expect((await done).copy).toMatchObject({ phase: 'done', documents: 1, indexes: 1 });
      expect(await verify({ source: as('copier'), target: source, namespaces })).toMatchObject({
        documents: 1,
        differences: [],
      });
    } finally {
      await Promise.all([target, superuser].map((client) => client.db('copied').dropDatabase()));
      for (const name of ['checkpoints', 'copies']) {
        await target
          .db(CHECKPOINT_DATABASE)
          .collection(name)
          .deleteMany(/** @type {any} */ ({ '_id.name': 'copied' }));
      }
      await target.close();
      await superuser.db('admin').command({ dropUser: 'copier' });
    }
  });

  test('a user who may not write to the target gets an error', async () => {
    await expect(tryToReplicate({ target: as('reader') })).rejects.toThrow(
      /^the target refused a write to pool_lab_replication\.checkpoints: not authorized/,
    );
  });

  test('an oplog that no longer reaches back far enough is an error', async () => {
    await expect(tryToReplicate({ from: new Timestamp({ t: 1, i: 1 }) })).rejects.toThrow(
      /^the oplog of the source .* no longer reaches back to Timestamp\(1, 1\): it begins at Timestamp\(\d+, 1\)/,
    );
  });

  test.each([
    [{ workers: 0 }, 'workers is 0; it must be an integer of at least 1, one for each source'],
    [{ sources: [] }, 'sources is empty; it must have at least one connection string'],
    [{ target: undefined }, 'target is missing; it must be a connection string, or null for a dry run'],
    [{ hash: /** @type {any} */ ('name') }, 'hash is name; it must be id or collection'],
    [{ maxSilenceMs: 1000 }, 'maxSilenceMs is 1000; it must be at least 3000'],
  ])('invalid options are refused: %j', async (options, message) => {
    await expect(tryToReplicate(options)).rejects.toThrow(message);
  });
});

describe('commands', () => {
  test('a restart runs no command again, although a document holds the checkpoint back', async () => {
    const { clients, urls } = await startTwoSets();
    const [source, target] = clients.map((client) => client.db('shop'));
    /** @param {string} name @returns {Collection<any>} */
    const collection = (name, db = source) => db.collection(name);
    const now = async () => (await source.admin().command({ ping: 1 })).operationTime;
    const run = async (/** @type {Partial<import('../src/index.js').ReplicateOptions>} */ changes) => {
      const { done } = await replicate({
        sources: [urls[0]],
        target: urls[1],
        workers: 2,
        hash: 'id',
        from: 'checkpoint',
        ...changes,
      });
      await done;
    };

    for (const name of ['deleted', 'moved', 'renamed', 'replacing', 'replaced', 'swapped', 'other', 'indexed']) {
      await collection(name).insertOne({ _id: 1, in: name });
    }
    await collection('moved').createIndex({ x: 1 }, { unique: true });
    const copied = await now();
    await run({ until: copied });
    // As if these had been copied later: after their last changes below.
    await collection('deleted', target).deleteOne({});
    await collection('moved', target).insertOne({ _id: 2, x: 1 });

    await collection('deleted').updateOne({}, { $set: { x: 1 } });
    await collection('moved').updateOne({}, { $set: { x: 1, y: 1 } });
    await collection('renamed').rename('now');
    await collection('renamed').insertOne({ _id: 2 });
    await collection('replaced').insertOne({ _id: 2 });
    await collection('replacing').rename('replaced', { dropTarget: true });
    await collection('replacing').insertOne({ _id: 3 });
    await collection('swapped').updateOne({}, { $set: { x: 1 } });
    await collection('swapped').rename('free');
    await collection('other').rename('swapped');
    await collection('free').rename('other');
    await collection('indexed').createIndex({ x: 1 }, { unique: true, name: 'x' });
    await collection('indexed').dropIndexes();
    await collection('indexed').insertMany([{ x: 1 }, { x: 1 }]);
    await collection('indexed').createIndex({ y: 1 }, { name: 'x' });
    await collection('moved').rename('moved on');
    await collection('renamed').insertOne({ _id: 3 });
    const until = await now();
    await collection('deleted').deleteOne({});
    await collection('moved on').updateOne({}, { $set: { x: 2 } });
    await collection('moved on').insertOne({ _id: 2, x: 1 });

    for (const from of /** @type {const} */ ([copied, 'checkpoint'])) {
      await expect(run({ from, until })).rejects.toThrow(ConflictError);
    }
    await run({ until: await now() });
    const [expected, found] = await Promise.all(clients.map(describeData));
    expect(found).toEqual(expected);
    expect(await clients[1].db(CHECKPOINT_DATABASE).collection('deferred').countDocuments()).toBe(0);
  });
});
