import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { MongoClient, Timestamp } from 'mongodb';
import { cleanUp, scratchFolder, startReplicaSet } from 'test-support/cleanup.js';
import { sharedMongoUrl } from 'test-support/mongod.js';
import { until } from 'test-support/waiting.js';
import { CHECKPOINT_DATABASE } from '../src/base/namespaces.js';
import { replicate } from '../src/replication/replicate.js';
import { verify } from '../src/verify/verify.js';
import { openTail } from '../src/source/open-tail.js';
import { positionAt } from '../src/source/position.js';
import { SocketTail } from '../src/source/socket-tail.js';
import { openDeployment } from './connections.js';

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
    const names = databases.map(({ name }) => name).filter((name) => name !== CHECKPOINT_DATABASE);
    expect(names).toEqual(['admin', 'config', 'local']);
    // A lease leaves its empty collection.
    const state = superuser.db(CHECKPOINT_DATABASE);
    const collections = await state.listCollections({}, { nameOnly: true }).toArray();
    expect(collections.filter(({ name }) => name !== 'leases')).toEqual([]);
    expect(await state.collection('leases').countDocuments()).toBe(0);
  });

  test.each([
    ['source', { sources: ['mongodb://127.0.0.1:1/?serverSelectionTimeoutMS=300'] }],
    ['target', { target: 'mongodb://127.0.0.1:1/?serverSelectionTimeoutMS=300' }],
  ])('an unreachable %s is named', async (role, options) => {
    await expect(tryToReplicate(options)).rejects.toThrow(
      new RegExp(`^the ${role} 127\\.0\\.0\\.1:1: no MongoDB was found within 300 ms: .*ECONNREFUSED`),
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
      /^the source 127.* needs the role "read" on the database local, and the role "clusterMonitor" .* not authorized/,
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

  test('a source that requires authentication is read through the driver', async () => {
    const deployment = openDeployment(as('root'), { role: 'source' });
    const { operationTime } = await superuser.db('admin').command({ appendOplogNote: 1, data: { msg: 'from here' } });
    const from = positionAt(operationTime);
    const tail = await openTail({ deployment, setId: /** @type {any} */ (undefined), isShard: false }, from);
    expect((await tail.next())?.starts.length).toBeGreaterThan(0);
    await tail.close();

    // A plain socket can't read it.
    const { hostname: host, port } = new URL(secured);
    const socket = new SocketTail(deployment, { address: { host, port: Number(port) }, from, batchSize: 10 });
    await expect(socket.next()).rejects.toThrow('requires authentication');
    await socket.close();
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
      /^the target refused a write to pool_lab_replication\.leases: not authorized/,
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
    [{ merge: /** @type {any} */ (true) }, 'merge is true; it must be all, neighbours or none'],
    [{ maxSilenceMs: 1000 }, 'maxSilenceMs is 1000; it must be at least 3000'],
  ])('invalid options are refused: %j', async (options, message) => {
    await expect(tryToReplicate(options)).rejects.toThrow(message);
  });
});
