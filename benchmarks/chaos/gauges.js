import { settle } from './measure.js';

const APP_NAME = 'chaos-app';
const EVERY_MS = 100;
/** The driver watches each server over one or two connections that are not of the pool. */
const MOST_WATCHING = 2;
const WITHIN_MS = 5000;

/** What an app has to be told, so that its connections can be counted at the server. */
export const NAMED = { MONGO_APP_NAME: APP_NAME };

/** How many connections the app has at these servers, as they see it. */
export async function countAtServers(admins) {
  const counts = await Promise.all(admins.map(async (client) => {
    const [{ connections } = { connections: 0 }] = await client.db('admin').aggregate([
      { $currentOp: { allUsers: true, idleConnections: true } }, { $match: { appName: APP_NAME } }, { $count: 'connections' },
    ]).toArray();
    return connections;
  }));
  return counts.reduce((sum, count) => sum + count, 0);
}

/** Look at the gauges all the while that something happens: whatever it is, they can't contradict each other. */
export function watchGauges(app) {
  const problems = [];
  const rssMB = [];
  let mostRequests = 0;
  let isOver = false;
  async function watch() {
    while (!isOver) {
      const pool = await app.readPool();
      const { total, idle, active, connecting, waiting, max, requests } = pool;
      mostRequests = Math.max(mostRequests, requests.running);
      rssMB.push((await app.readProcess()).rssMB ?? 0);
      if (total !== idle + active + connecting || total > max || waiting < 0 || waiting > requests.running) {
        problems.push(`gauges: ${JSON.stringify({ total, idle, active, connecting, waiting, requests })}`);
      }
      await new Promise((resolve) => { setTimeout(resolve, EVERY_MS); });
    }
  }
  const watching = watch();
  return async () => {
    isOver = true;
    await watching;
    return { problems, mostRequests, rssMB };
  };
}

/** With nothing under way the gauges have to be those of an empty pool, and as many as the server counts. */
export function checkAtRest(app, admins) {
  return settle(WITHIN_MS, async () => {
    const { total, active, connecting, waiting, requests } = await app.readPool();
    const watching = await countAtServers(admins) - total;
    const isRight = active + connecting + waiting + requests.running === 0
      && watching >= admins.length && watching <= MOST_WATCHING * admins.length;
    return isRight ? '' : `at rest: ${JSON.stringify({ total, active, connecting, waiting, running: requests.running, watching })}`;
  });
}
