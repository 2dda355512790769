import { readFile } from 'node:fs/promises';
import { expect, test } from '@jest/globals';
import { MongoClient } from 'mongodb';
import { monitorPool } from 'mongodb-pool-monitor';
import { runClosedLoop } from '../../harness/loads/closed-loop.js';
import { startEmbeddedMongo } from '../../../src/mongo/embedded.js';
import { readSettings } from '../../../src/settings.js';
import { cleanUp } from 'test-support/cleanup.js';
import { sharedMongoUrl } from 'test-support/mongod.js';
import { until } from 'test-support/waiting.js';

/** As in lesson 14. */
const POOL = 17;
const MONITORS = 2;
const APP_NAME = 'the claims of lesson 14';

test('lesson 6: the pool fills by one connection every 100 ms, whatever maxConnecting is', async () => {
  const page = (await readFile('lessons/06-cold-start/README.md', 'utf8')).replaceAll(/\s+/g, ' ');
  expect(page).toContain('opens one, waits 100 ms and opens the next, so it takes two seconds to fill a pool of 20');
  const CONNECTIONS = 4;
  await Promise.all(
    [2, 20].map(async (maxConnecting) => {
      const client = new MongoClient(sharedMongoUrl(), { minPoolSize: CONNECTIONS, maxConnecting });
      cleanUp(() => client.close());
      /** @type {number[]} */
      const readyAtMs = [];
      client.on('connectionReady', () => readyAtMs.push(performance.now()));
      await client.connect();
      await until('the pool is full', () => readyAtMs.length === CONNECTIONS);
      // The first one is opened for the handshake, and the second may come with it. Timers may be a millisecond early.
      expect(readyAtMs[CONNECTIONS - 1] - readyAtMs[0]).toBeGreaterThan((CONNECTIONS - 2) * 99);
    }),
  );
});

test('lesson 10: most of an answer is waiting for a connection, and yet more connections answer no more', async () => {
  const page = (await readFile('lessons/10-one-client-or-several/README.md', 'utf8')).replaceAll(/\s+/g, ' ');
  expect(page).toContain("Most of an answer's time is spent waiting for a connection");
  const { url, stop } = await startEmbeddedMongo(readSettings());
  cleanUp(stop);
  const [few, many] = [20, 128].map((maxPoolSize) => {
    const client = new MongoClient(url, { maxPoolSize });
    cleanUp(() => client.close());
    return { client, monitor: monitorPool(client) };
  });
  /** @param {MongoClient} client @param {number} total */
  const load = (client, total) =>
    runClosedLoop({
      workers: 128,
      total,
      task: () =>
        client
          .db('pool_lab')
          .collection('claims')
          .findOne({ _id: /** @type {any} */ (1) }),
    });
  // The warm-up opens the connections.
  for (const { client } of [few, many]) await load(client, 300);
  const before = few.monitor.snapshot().totals;
  const [fewer, more] = [await load(few.client, 1500), await load(many.client, 1500)];
  const { wait, use } = few.monitor.snapshot().totals;
  expect(wait.sumMs - before.wait.sumMs).toBeGreaterThan(use.sumMs - before.use.sumMs);
  // 128 connections are 6.4 times as many.
  expect(more.ratePerSec).toBeLessThan(3 * fewer.ratePerSec);
});

test('lesson 14: the primary sees the pool and the monitors, a secondary the monitors alone', async () => {
  const page = (await readFile('lessons/14-fleet-budget/README.md', 'utf8')).replaceAll(/\s+/g, ' ');
  expect(page).toContain(
    `each instance opens ${POOL + MONITORS} connections to the primary and only the 2 monitoring connections to each ` +
      'secondary, unless you set `minPoolSize`',
  );

  const { url, stop } = await startEmbeddedMongo({ ...readSettings(), members: 3 });
  cleanUp(stop);
  const client = new MongoClient(url, { maxPoolSize: POOL, appName: APP_NAME });
  cleanUp(() => client.close());
  const hello = await client.db('admin').command({ hello: 1 });
  const counts = async () =>
    Object.fromEntries(
      await Promise.all(
        hello.hosts.map(async (/** @type {string} */ host) => [
          host === hello.primary ? 'primary' : host,
          await countConnections(host),
        ]),
      ),
    );
  const secondaries = hello.hosts.filter((/** @type {string} */ host) => host !== hello.primary);
  const expected = { primary: POOL + MONITORS, [secondaries[0]]: MONITORS, [secondaries[1]]: MONITORS };
  await until('every server has its connections', async () => {
    await Promise.all(Array.from({ length: 4 * POOL }, () => client.db('pool_lab').collection('claims').findOne()));
    const now = await counts();
    return Object.entries(expected).every(([name, count]) => now[name] === count);
  });
  expect(await counts()).toEqual(expected);

  // A minPoolSize is kept open at every server, though all queries go to the primary.
  expect(page).toContain(`With a \`minPoolSize\` of ${POOL}, each secondary has ${POOL + MONITORS} as well`);
  await client.close();
  const warm = new MongoClient(url, { maxPoolSize: POOL, minPoolSize: POOL, appName: APP_NAME });
  cleanUp(() => warm.close());
  await warm.connect();
  const full = POOL + MONITORS;
  await until('every server has the minPoolSize', async () =>
    Object.values(await counts()).every((count) => count === full),
  );
}, 120_000);

/** @param {string} host */
async function countConnections(host) {
  const observer = await MongoClient.connect(`mongodb://${host}/?directConnection=true&readPreference=nearest`);
  try {
    const [{ count } = { count: 0 }] = await observer
      .db('admin')
      .aggregate([
        { $currentOp: { allUsers: true, idleConnections: true } },
        { $match: { appName: APP_NAME } },
        { $count: 'count' },
      ])
      .toArray();
    return count;
  } finally {
    await observer.close();
  }
}
