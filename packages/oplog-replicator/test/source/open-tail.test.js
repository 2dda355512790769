import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from '@jest/globals';
import { Long, MongoClient, Timestamp } from 'mongodb';
import { End } from '../../src/end.js';
import { isTransient } from '../../src/errors.js';
import { createDriverTail } from '../../src/source/driver-tail.js';
import { assertReachesBack } from '../../src/source/oplog.js';
import { openTail } from '../../src/source/open-tail.js';
import { positionAt } from '../../src/source/position.js';
import { SocketTail } from '../../src/source/socket-tail.js';
import { cleanUp } from '../../../../test/support/cleanup.js';
import { startMongod, startReplicaSet } from '../../../../test/support/mongod-process.js';
import { scratchFolder } from '../../../../test/support/scratch-folder.js';

/** @import { Tail } from '../../src/source/open-tail.js' */

const url = String(process.env.TEST_MONGO_URL);
const address = { host: new URL(url).hostname, port: Number(new URL(url).port) };

/** @param {string} from */
function connect(from) {
  const client = new MongoClient(from);
  cleanUp(() => client.close());
  return client;
}

/** @param {string} from */
function openEnd(from) {
  const end = new End(from, { role: 'source', maxSilenceMs: 10_000 });
  cleanUp(() => end.close());
  return end;
}

/** @param {MongoClient} client */
async function findEnd(client) {
  const [last] = await client.db('local').collection('oplog.rs').find().sort({ $natural: -1 }).limit(1).toArray();
  return positionAt(last.ts);
}

/**
 * @param {Tail} tail
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
  const [client, end] = [connect(url), openEnd(url)];
  const from = await findEnd(client);
  const count = 500;
  await client.db('open_tail').collection('a').insertMany(Array.from({ length: count }, (_, n) => ({ n, text: 'x'.repeat(n * 20) })));
  const tails = [
    createDriverTail(end, { from, batchSize: 70 }),
    new SocketTail(end, { address, from, batchSize: 70 }),
    // Larger than its initial buffers.
    new SocketTail(end, { address, from, batchSize: 100_000 }),
  ];
  const [expected, ...others] = await Promise.all(tails.map(async (tail) => (await read(tail, count)).slice(0, count)));
  expect(expected).toHaveLength(count);
  for (const entries of others) expect(Buffer.concat(entries).equals(Buffer.concat(expected))).toBe(true);
  await Promise.all(tails.map((tail) => tail.close()));
});

test.each(['driver', 'socket'])('the tail of the %s waits for entries, and returns null once closed', async (kind) => {
  const [client, end] = [connect(url), openEnd(url)];
  const from = await findEnd(client);
  const tail = kind === 'driver'
    ? createDriverTail(end, { from, batchSize: 1000 })
    : new SocketTail(end, { address, from, batchSize: 1000 });
  await read(tail, 1);
  const marker = `marker of the ${kind}`;
  const found = (async () => {
    for (;;) if ((await read(tail, 1)).some((entry) => entry.includes(marker))) return true;
  })();
  await client.db('open_tail').collection('a').insertOne({ marker });
  expect(await found).toBe(true);
  const closed = (async () => {
    for (;;) if (!await tail.next()) return true;
  })();
  await tail.close();
  expect(await closed).toBe(true);
});

test('a source that requires authentication is read through the driver', async () => {
  const keyFile = path.join(await scratchFolder(), 'key');
  await writeFile(keyFile, 'secret', { mode: 0o600 });
  const secured = (await startReplicaSet(['--keyFile', keyFile])).url;
  await connect(secured).db('admin').command({ createUser: 'root', pwd: 'secret', roles: ['root'] });
  const withLogin = secured.replace('//', '//root:secret@');
  const [client, end] = [connect(withLogin), openEnd(withLogin)];
  const from = await findEnd(client);
  const tail = await openTail({ end, setId: /** @type {any} */ (undefined), isShard: false }, from);
  expect(await read(tail, 1)).not.toEqual([]);
  await tail.close();

  // A plain socket can't read it.
  const { host, port } = new URL(secured);
  const socket = new SocketTail(end, { address: { host: host.split(':')[0], port: Number(port) }, from, batchSize: 10 });
  await expect(socket.next()).rejects.toThrow('requires authentication');
  await socket.close();
});

// A server that has just started shows an empty oplog until it knows what a majority has, and then ends the cursor.
test('an oplog that looks empty is tried again', async () => {
  const { port } = await startMongod();
  const standalone = `mongodb://127.0.0.1:${port}/?directConnection=true`;
  await connect(standalone).db('local').createCollection('oplog.rs', { capped: true, size: 1 << 20 });
  const end = openEnd(standalone);
  const options = { from: { seconds: 1, increment: 1, term: 1 }, batchSize: 10 };
  for (const tail of [new SocketTail(end, { ...options, address: { host: '127.0.0.1', port } }), createDriverTail(end, options)]) {
    const failure = await tail.next().catch((error) => error);
    expect(failure.message).toBe(`the source 127.0.0.1:${port}: it closed the cursor on its oplog, which has no entry from there on`);
    expect(isTransient(failure)).toBe(true);
    await tail.close();
  }
});

test('an oplog that ends before the checkpoint is tried again, too', async () => {
  const { port } = await startMongod();
  const standalone = `mongodb://127.0.0.1:${port}/?directConnection=true`;
  const oplog = await connect(standalone).db('local').createCollection('oplog.rs', { capped: true, size: 1 << 20 });
  await oplog.insertOne({ ts: new Timestamp({ t: 1, i: 1 }), t: Long.fromNumber(1), op: 'n', o: { msg: 'one' } });
  const end = openEnd(standalone);
  const from = { seconds: 2, increment: 1, term: 1 };
  const tail = new SocketTail(end, { from, batchSize: 10, address: { host: '127.0.0.1', port } });
  const batch = await tail.next();
  const failure = await assertReachesBack({ end, setId: /** @type {any} */ (undefined), isShard: false }, from, /** @type {any} */ (batch)).catch((error) => error);
  expect(failure.message).toMatch(/its oplog ends before the entry at Timestamp\(2, 1\) of the checkpoint: it lost it, or this is another source/);
  expect(isTransient(failure)).toBe(true);
  await tail.close();
});
