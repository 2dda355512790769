import { setTimeout as sleep } from 'node:timers/promises';
import { settle } from './recovery.js';
import { APP_NAME } from './test-bed.js';

/** @import { MongoClient } from 'mongodb' */
/** @import { App } from './test-bed.js' */

const EVERY_MS = 100;
/** The driver monitors each server over one or two connections outside the pool. */
const MAX_MONITORING = 2;
const WITHIN_MS = 5000;

/** Counts the app's connections as the servers see them. @param {MongoClient[]} admins */
async function countAtServers(admins) {
  const counts = await Promise.all(admins.map(async (client) => {
    const [{ connections } = { connections: 0 }] = await client.db('admin').aggregate([
      { $currentOp: { allUsers: true, idleConnections: true } }, { $match: { appName: APP_NAME } }, { $count: 'connections' },
    ]).toArray();
    return Number(connections);
  }));
  return counts.reduce((sum, count) => sum + count, 0);
}

/**
 * Polls the gauges until the returned function is called. Whatever happens, they must not contradict each other.
 * @param {App} app
 * @param {MongoClient[]} admins
 */
export function watchGauges(app, admins) {
  /** @type {string[]} */
  const problems = [];
  /** @type {number[]} */
  const rssMB = [];
  let maxRequests = 0;
  let isOver = false;
  async function watch() {
    while (!isOver) {
      const { total, idle, active, connecting, waiting, max = Infinity, requests } = await app.readPool();
      maxRequests = Math.max(maxRequests, requests.running);
      const usage = await app.readProcess();
      if (usage) rssMB.push(usage.rssMB);
      // The gauges are sums over one pool for each server, and `max` is the limit of one pool.
      if (total !== idle + active + connecting || total > max * admins.length || waiting < 0 || waiting > requests.running) {
        problems.push(`gauges: ${JSON.stringify({ total, idle, active, connecting, waiting, requests })}`);
      }
      await sleep(EVERY_MS);
    }
  }
  const watching = watch();
  return async () => {
    isOver = true;
    await watching;
    return { problems, maxRequests, rssMB };
  };
}

/**
 * Waits until the gauges show an idle pool with as many connections as the servers count.
 * @param {App} app
 * @param {MongoClient[]} admins
 * @returns {Promise<string[]>} the problem, where they do not
 */
export function checkAtRest(app, admins) {
  return settle(WITHIN_MS, async () => {
    const { total, active, connecting, waiting, requests } = await app.readPool();
    const monitoring = await countAtServers(admins) - total;
    const isRight = active + connecting + waiting + requests.running === 0
      && monitoring >= admins.length && monitoring <= MAX_MONITORING * admins.length;
    return isRight ? '' : `at rest: ${JSON.stringify({ total, active, connecting, waiting, running: requests.running, monitoring })}`;
  });
}
