import { setTimeout as delay } from 'node:timers/promises';
import { expect } from '@jest/globals';
import { MongoClient } from 'mongodb';
import { cleanUp, startReplicaSet } from 'test-support/cleanup.js';
import { until } from 'test-support/waiting.js';

/** @import { AttachedApp } from './attached-app.js' */

/** Less than a test may take, so that it says what differs. */
const SETTLE_MS = 40_000;

/**
 * @typedef {{ appName: string, max: number, holding: number, counts: Record<string, number> }} AppClient what the app
 *   says of a client
 */

/**
 * Start a MongoDB for apps under a monitor: it cuts the connection of each `distinct`, and says what it knows of each
 * client.
 */
export async function startServer() {
  const { url } = await startReplicaSet(['--setParameter', 'enableTestCommands=1']);
  const client = await MongoClient.connect(url, { maxPoolSize: 4 });
  cleanUp(() => client.close());
  const admin = client.db('admin');
  await admin.command({
    configureFailPoint: 'failCommand',
    mode: 'alwaysOn',
    data: { failCommands: ['distinct'], closeConnection: true },
  });
  const database = client.db('attach');
  await database.collection('orders').insertMany([{ n: 1 }, { n: 2 }, { n: 3 }]);
  const news = await database.createCollection('news', { capped: true, size: 4096 });
  await news.insertOne({ text: 'open' });

  /** @param {string} appName */
  async function look(appName) {
    const connections = await admin
      // An idle session is a transaction that nobody ended, not a connection.
      .aggregate([
        { $currentOp: { allUsers: true, idleConnections: true, idleSessions: false } },
        { $match: { appName } },
      ])
      .toArray();
    const held = connections.filter(({ command }) => command?.comment === 'held');
    // One connection watches the server and does not belong to the pool.
    return { total: connections.length - 1, held };
  }

  return {
    url,

    /**
     * Compare the gauges of all clients of an app with the truth, until they agree: both change while we ask.
     * @param {AttachedApp} app
     * @param {'held' | 'quiet'} state held: operations keep all connections, and the rest waits
     */
    async compare(app, state) {
      const endsAtMs = performance.now() + SETTLE_MS;
      for (;;) {
        const clients = /** @type {AppClient[]} */ (await app.ask('clients'));
        const truth = await Promise.all(
          clients.map(async ({ appName, max, holding, counts: { checkedOut } }) => {
            const {
              total,
              held: { length: active },
            } = await look(appName);
            return { max, total, active, idle: total - active, waiting: holding - active, checkedOut };
          }),
        );
        const gauges = await readGauges(app);
        const isSettled = truth.every(({ active, max, waiting }) =>
          state === 'held' ? active === max : waiting === 0,
        );
        if (isSettled && JSON.stringify(gauges) === JSON.stringify(truth)) return truth;
        if (performance.now() > endsAtMs) expect({ isSettled, gauges }).toEqual({ isSettled: true, gauges: truth });
        await delay(10);
      }
    },

    /** End the operations that an app holds, also those that then get a connection. @param {AttachedApp} app */
    async release(app) {
      await until('no operation is held', async () => {
        const clients = /** @type {AppClient[]} */ (await app.ask('clients'));
        for (const { appName } of clients) {
          const { held } = await look(appName);
          await Promise.all(held.map(({ opid }) => admin.command({ killOp: 1, op: opid })));
        }
        return clients.every(({ holding }) => holding === 0);
      });
    },
  };
}

/** All clients as the monitor sees them, the smallest pool first. @param {AttachedApp} app */
async function readGauges(app) {
  const { clients } = await app.watch('pool');
  return clients
    .map((/** @type {Record<string, number>} */ { max, total, active, idle, waiting, checkedOut }) => ({
      max,
      total,
      active,
      idle,
      waiting,
      checkedOut,
    }))
    .toSorted((/** @type {any} */ a, /** @type {any} */ b) => a.max - b.max);
}
