import { setTimeout as sleep } from 'node:timers/promises';
import { findLastingProblem } from './recovery.js';
import { APP_NAME } from './test-bed.js';

/** @import { MongoClient } from 'mongodb' */
/** @import { App } from './test-bed.js' */

const EVERY_MS = 100;
/** The driver monitors each server over one or two connections outside the pool. */
const MAX_MONITORING = 2;
const WITHIN_MS = 5000;

/**
 * Counts the app's connections as each server sees them.
 * @param {MongoClient[]} admins
 * @returns {Promise<{ isPrimary: boolean, connections: number }[]>}
 */
function countAtServers(admins) {
  return Promise.all(
    admins.map(async (client) => {
      const admin = client.db('admin');
      const { isWritablePrimary: isPrimary } = await admin.command({ hello: 1 });
      const [{ connections } = { connections: 0 }] = await admin
        .aggregate([
          { $currentOp: { allUsers: true, idleConnections: true } },
          { $match: { appName: APP_NAME } },
          { $count: 'connections' },
        ])
        .toArray();
      return { isPrimary, connections: Number(connections) };
    }),
  );
}

/**
 * Polls the gauges until the returned function is called. Whatever happens, they must not contradict each other.
 * @param {App} app
 */
export function watchGauges(app) {
  /** @type {string[]} */
  const problems = [];
  /** @type {number[]} */
  const rssMB = [];
  let maxRequests = 0;
  let wasLeaving = false;
  let isOver = false;
  async function watch() {
    while (!isOver) {
      const { total, idle, active, connecting, waiting, max, retiring, requests } = await app.readPool();
      maxRequests = Math.max(maxRequests, requests.running);
      const usage = await app.readProcess();
      if (usage) rssMB.push(usage.rssMB);
      // A request whose client left no longer runs, and its query is aborted a moment later.
      const isLeaving = waiting > requests.running;
      const isWrong =
        total !== idle + active + connecting || total > max + retiring || waiting < 0 || (isLeaving && wasLeaving);
      wasLeaving = isLeaving;
      if (isWrong) {
        problems.push(
          `gauges: ${JSON.stringify({ total, idle, active, connecting, waiting, max, retiring, requests })}`,
        );
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
 * Waits until the gauges show an idle pool with as many connections as the primary counts. The gauges leave out what is
 * idle on a former primary, because no new query goes there. The driver keeps those connections open.
 * @param {App} app
 * @param {MongoClient[]} admins
 * @returns {Promise<string[]>} the problem, where they do not
 */
export function checkAtRest(app, admins) {
  return findLastingProblem(WITHIN_MS, async () => {
    const { total, active, connecting, waiting, max, requests } = await app.readPool();
    const counts = await countAtServers(admins);
    const isRight =
      active + connecting + waiting + requests.running === 0 &&
      counts.filter(({ isPrimary }) => isPrimary).length === 1 &&
      counts.every(({ isPrimary, connections }) => {
        const beside = connections - (isPrimary ? total : 0);
        return beside >= 1 && beside <= MAX_MONITORING + (isPrimary ? 0 : max);
      });
    return isRight
      ? ''
      : `at rest: ${JSON.stringify({ total, active, connecting, waiting, running: requests.running, counts })}`;
  });
}
