import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { afterEach, beforeAll, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { Long, Timestamp } from 'mongodb';
import { cleanUp, startMongod } from 'test-support/cleanup.js';
import { runningOperations, sharedMongoUrl } from 'test-support/mongod.js';
import { isTransient } from '../src/base/errors.js';
import { replicate } from '../src/replication/replicate.js';
import { createDriverTail } from '../src/source/driver-tail.js';
import { assertReachesBack } from '../src/source/oplog.js';
import { positionAt } from '../src/source/position.js';
import { SocketTail } from '../src/source/socket-tail.js';
import { openClient, openDeployment } from './connections.js';
import { Lag } from '../src/source/lag.js';

/** @import { MongoClient } from 'mongodb' */
/** @import { OplogTail } from '../src/source/oplog.js' */

describe('the tail of an oplog', () => {
  const url = sharedMongoUrl();
  const address = { host: new URL(url).hostname, port: Number(new URL(url).port) };

  /** A server without a replica set, and an oplog that we write. @type {{ host: string, port: number }} */
  let standalone;
  /** @type {import('mongodb').Collection} */
  let oplog;
  beforeAll(async () => {
    const { port } = await startMongod();
    standalone = { host: '127.0.0.1', port };
    const local = openClient(`mongodb://127.0.0.1:${port}/?directConnection=true`).db('local');
    oplog = await local.createCollection('oplog.rs', { capped: true, size: 1 << 20 });
  });
  const openStandalone = () => openSource(`mongodb://127.0.0.1:${standalone.port}/?directConnection=true`);

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
    const [expected, ...others] = await Promise.all(
      tails.map(async (tail) => (await read(tail, count)).slice(0, count)),
    );
    expect(expected).toHaveLength(count);
    for (const entries of others) expect(Buffer.concat(entries).equals(Buffer.concat(expected))).toBe(true);
    await Promise.all(tails.map((tail) => tail.close()));
  });

  test.each(['driver', 'socket'])(
    'the tail of the %s waits for entries, and returns null once closed',
    async (kind) => {
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
    },
  );

  test('a standalone server is no source', async () => {
    const sources = [`mongodb://127.0.0.1:${standalone.port}`];
    await expect(replicate({ sources, target: null, workers: 1, hash: 'id', from: 'start' })).rejects.toThrow(
      `the source 127.0.0.1:${standalone.port} is a standalone server, which has no oplog`,
    );
  });

  // A server that has just started shows an empty oplog until it knows what a majority has, and then ends the cursor.
  test('an oplog that looks empty is tried again', async () => {
    const deployment = openStandalone();
    const options = { from: { seconds: 1, increment: 1, term: 1 }, batchSize: 10 };
    for (const tail of [
      new SocketTail(deployment, { ...options, address: standalone }),
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
    await oplog.insertOne(entry);
    const deployment = openStandalone();
    const from = { seconds: 2, increment: 1, term: 1 };
    const tail = new SocketTail(deployment, { from, batchSize: 10, address: standalone });
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
});

describe('a deployment', () => {
  const HASTY = { maxSilenceMs: 300 };

  test('a command to a silent server ends, and so does closing', async () => {
    const silent = createServer((socket) => {
      cleanUp(() => socket.destroy());
    }).listen(0, '127.0.0.1');
    cleanUp(() => silent.close());
    await once(silent, 'listening');
    const { port } = /** @type {import('node:net').AddressInfo} */ (silent.address());
    const deployment = openDeployment(`mongodb://127.0.0.1:${port}`, HASTY);
    const failure = await deployment.reach().catch((error) => error);
    expect(failure.message).toMatch(/^the target 127\.0\.0\.1:\d+: no answer within 300 ms/);
    expect(isTransient(failure)).toBe(true);
    await deployment.close();
  });

  test('a command written to a socket that the server has just ended is worth another try', async () => {
    const server = createServer((socket) => socket.end()).listen(0, '127.0.0.1');
    cleanUp(() => server.close());
    await once(server, 'listening');
    const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
    const socket = connect(port, '127.0.0.1').resume();
    await once(socket, 'end');
    socket.write('a command');
    const [failure] = await once(socket, 'error');
    expect(failure.syscall).toBeUndefined();
    expect(isTransient(failure)).toBe(true);
  });

  test('a command may take long while the server executes it', async () => {
    const deployment = openDeployment(sharedMongoUrl(), { ...HASTY, driver: { connectTimeoutMS: 30_000 } });
    const client = openClient(sharedMongoUrl());
    const comment = 'a slow command';
    const sleep = { $function: { body: 'function () { sleep(600000); }', args: [], lang: 'js' } };
    const slow = { aggregate: 1, cursor: {}, comment, pipeline: [{ $documents: [{}] }, { $project: { sleep } }] };
    await expect(deployment.command('admin', slow)).rejects.toThrow('no answer within 300 ms');
    let asked = 0;
    const isRunning = async () => {
      asked++;
      if (asked < 2) return true;
      for (const { opid } of await runningOperations(client, { 'command.comment': comment })) {
        await client.db('admin').command({ killOp: 1, op: opid });
      }
      return true;
    };
    await expect(deployment.command('admin', slow, { isRunning })).rejects.toThrow('interrupted');
    expect(asked).toBeGreaterThan(1);
  });

  test('an error names its end', async () => {
    const deployment = openDeployment(sharedMongoUrl());
    await expect(deployment.command('admin', { nonsense: 1 })).rejects.toThrow(
      /^the target 127\.0\.0\.1:\d+: no such command: 'nonsense'/,
    );
  });

  test("the connection string's own options win over the defaults", () => {
    const optionsOf = (/** @type {string} */ query) => openDeployment(`mongodb://127.0.0.1/${query}`).options;
    expect(optionsOf('')).toMatchObject({ appName: 'mongodb-pool-lab', connectTimeoutMS: 10_000 });
    expect(optionsOf('?appname=shop&connectTimeoutMS=700&serverSelectionTimeoutMS=800')).toMatchObject({
      appName: 'shop',
      connectTimeoutMS: 700,
      serverSelectionTimeoutMS: 800,
    });
  });
});

describe('the lag', () => {
  const NOW_MS = 1_000_000;
  beforeEach(() => {
    jest.spyOn(Date, 'now').mockReturnValue(NOW_MS);
  });
  afterEach(() => {
    jest.restoreAllMocks();
  });

  /** @param {number} ms */
  const secondsAgo = (ms) => ({ seconds: (NOW_MS - ms) / 1000, increment: 0, term: 1 });

  test('lag counts from the last known position until the source is heard', () => {
    const lag = new Lag(secondsAgo(5000));
    expect(lag.measure()).toBe(5000);
    lag.beginSession(() => Infinity);
    expect(lag.measure()).toBe(5000);
    lag.hear();
    expect(lag.measure()).toBe(0);
  });

  test('lag counts from the oldest operation that is not written, and grows between sessions', () => {
    const lag = new Lag(secondsAgo(0));
    lag.beginSession(() => NOW_MS - 3000);
    lag.hear();
    expect(lag.measure()).toBe(3000);
    lag.endSession();
    expect(lag.measure()).toBe(3000);
    lag.beginSession(() => Infinity);
    lag.hear();
    expect(lag.measure()).toBe(0);
  });

  test('lag is 0 once everything that was asked for is written', () => {
    const lag = new Lag(secondsAgo(5000));
    lag.end();
    expect(lag.measure()).toBe(0);
  });
});
