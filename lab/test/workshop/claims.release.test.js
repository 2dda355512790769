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
