import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from '@jest/globals';
import { Long, Timestamp } from 'mongodb';
import { isTransient } from '../../src/base/errors.js';
import { createDriverTail } from '../../src/source/driver-tail.js';
import { assertReachesBack } from '../../src/source/oplog.js';
import { openTail } from '../../src/source/open-tail.js';
import { positionAt } from '../../src/source/position.js';
import { SocketTail } from '../../src/source/socket-tail.js';
import { scratchFolder, startMongod, startReplicaSet } from 'test-support/cleanup.js';
import { sharedMongoUrl } from 'test-support/mongod.js';
import { openClient, openDeployment } from '../connections.js';

/** @import { Document, MongoClient } from 'mongodb' */
/** @import { OplogTail } from '../../src/source/oplog.js' */

const url = sharedMongoUrl();
const address = { host: new URL(url).hostname, port: Number(new URL(url).port) };

/** A standalone server with an oplog that we write. @param {Document[]} entries */
async function openOplog(...entries) {
  const { port } = await startMongod();
  const standalone = `mongodb://127.0.0.1:${port}/?directConnection=true`;
  const local = openClient(standalone).db('local');
  const oplog = await local.createCollection('oplog.rs', { capped: true, size: 1 << 20 });
  if (entries.length > 0) await oplog.insertMany(entries);
  return { deployment: openSource(standalone), address: { host: '127.0.0.1', port } };
}

/** @param {string} from */
const openSource = (from) => openDeployment(from, { role: 'source' });

/** @param {MongoClient} client */
async function findEnd(client) {
  const [last] = await client.db('local').collection('oplog.rs').find().sort({ $natural: -1 }).limit(1).toArray();
  return positionAt(last.ts);
}

/**
 * @param {OplogTail} tail
 * @param {number} count
 * @returns {Promise<Buffer[]>} `count` entries, and the rest of the last batch
 */
async function read(tail, count) {
  const entries = [];
  while (entries.length < count) {
    const batch = await tail.next();
    if (!batch) throw new Error('closed');
    for (const start of batch.starts) {
      entries.push(Buffer.from(batch.bytes.subarray(start, start + batch.bytes.readInt32LE(start))));
    }
  }
  return entries;
}

test('the driver and the plain socket read the same entries', async () => {
  const [client, deployment] = [openClient(url), openSource(url)];
  const from = await findEnd(client);
  const count = 500;
  await client
    .db('open_tail')
    .collection('a')
    .insertMany(Array.from({ length: count }, (_, n) => ({ n, text: 'x'.repeat(n * 20) })));
  const tails = [
    createDriverTail(deployment, { from, batchSize: 70 }),
    new SocketTail(deployment, { address, from, batchSize: 70 }),
    // Larger than its initial buffers.
    new SocketTail(deployment, { address, from, batchSize: 100_000 }),
  ];
  const [expected, ...others] = await Promise.all(tails.map(async (tail) => (await read(tail, count)).slice(0, count)));
  expect(expected).toHaveLength(count);
  for (const entries of others) expect(Buffer.concat(entries).equals(Buffer.concat(expected))).toBe(true);
  await Promise.all(tails.map((tail) => tail.close()));
});

test.each(['driver', 'socket'])('the tail of the %s waits for entries, and returns null once closed', async (kind) => {
  const [client, deployment] = [openClient(url), openSource(url)];
  const from = await findEnd(client);
  const tail =
    kind === 'driver'
      ? createDriverTail(deployment, { from, batchSize: 1000 })
      : new SocketTail(deployment, { address, from, batchSize: 1000 });
  await read(tail, 1);
  const marker = `marker of the ${kind}`;
  const found = (async () => {
    for (;;) if ((await read(tail, 1)).some((entry) => entry.includes(marker))) return true;
  })();
  await client.db('open_tail').collection('a').insertOne({ marker });
  expect(await found).toBe(true);
  const closed = (async () => {
    for (;;) if (!(await tail.next())) return true;
  })();
  await tail.close();
  expect(await closed).toBe(true);
});

test('a source that requires authentication is read through the driver', async () => {
  const keyFile = path.join(await scratchFolder(), 'key');
  await writeFile(keyFile, 'secret', { mode: 0o600 });
  const secured = (await startReplicaSet(['--keyFile', keyFile])).url;
  await openClient(secured)
    .db('admin')
    .command({ createUser: 'root', pwd: 'secret', roles: ['root'] });
  const withLogin = secured.replace('//', '//root:secret@');
  const [client, deployment] = [openClient(withLogin), openSource(withLogin)];
  const from = await findEnd(client);
  const tail = await openTail({ deployment, setId: /** @type {any} */ (undefined), isShard: false }, from);
  expect(await read(tail, 1)).not.toEqual([]);
  await tail.close();

  // A plain socket can't read it.
  const { host, port } = new URL(secured);
  const socket = new SocketTail(deployment, {
    address: { host: host.split(':')[0], port: Number(port) },
    from,
    batchSize: 10,
  });
  await expect(socket.next()).rejects.toThrow('requires authentication');
  await socket.close();
});

// A server that has just started shows an empty oplog until it knows what a majority has, and then ends the cursor.
test('an oplog that looks empty is tried again', async () => {
  const { deployment, address: ofServer } = await openOplog();
  const options = { from: { seconds: 1, increment: 1, term: 1 }, batchSize: 10 };
  for (const tail of [
    new SocketTail(deployment, { ...options, address: ofServer }),
    createDriverTail(deployment, options),
  ]) {
    const failure = await tail.next().catch((error) => error);
    expect(failure.message).toBe(
      `${deployment.name}: it closed the cursor on its oplog, which has no entry from there on`,
    );
    expect(isTransient(failure)).toBe(true);
    await tail.close();
  }
});

test('an oplog that ends before the checkpoint is tried again, too', async () => {
  const entry = { ts: new Timestamp({ t: 1, i: 1 }), t: Long.fromNumber(1), op: 'n', o: { msg: 'one' } };
  const { deployment, address: ofServer } = await openOplog(entry);
  const from = { seconds: 2, increment: 1, term: 1 };
  const tail = new SocketTail(deployment, { from, batchSize: 10, address: ofServer });
  const batch = await tail.next();
  const failure = await assertReachesBack(
    { deployment, setId: /** @type {any} */ (undefined), isShard: false },
    from,
    /** @type {any} */ (batch),
  ).catch((error) => error);
  expect(failure.message).toMatch(
    /its oplog ends before the entry at Timestamp\(2, 1\) of the checkpoint: it lost it, or this is another source/,
  );
  expect(isTransient(failure)).toBe(true);
  await tail.close();
});
