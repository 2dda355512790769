import { setTimeout as sleep } from 'node:timers/promises';
import { createClient } from '../mongo/client.js';

const EVERY_MS = 200;

/**
 * Ask a server again and again, while something runs, how many connections it has from an app: those of its pools, and
 * those over which the driver watches the server.
 *
 * @template T
 * @param {object} options
 * @param {string} options.mongoUrl
 * @param {import('../settings.js').Settings} options.settings
 * @param {string} options.appName what the names of the app's clients begin with
 * @param {() => Promise<T>} work
 * @returns {Promise<{ outcome: T, connections: number | null, problem?: string }>} what the work resolved with, and the
 *   most connections that there were; null, and why, where the server does not tell
 * @throws what the work throws
 */
export async function countConnections({ mongoUrl, settings, appName }, work) {
  const client = createClient(mongoUrl, { ...settings, poolSize: 1, minPoolSize: 0, appName: `watches ${appName}` });
  const ofApp = [
    { $currentOp: { allUsers: true, idleConnections: true } },
    { $match: { appName: { $regex: `^${appName}` } } },
    { $count: 'connections' },
  ];
  const stopping = new AbortController();

  async function watch() {
    let most = 0;
    for (let isLast = false; !isLast;) {
      isLast = stopping.signal.aborted;
      const [{ connections } = { connections: 0 }] = await client.db('admin').aggregate(ofApp).toArray();
      most = Math.max(most, connections);
      await sleep(EVERY_MS, undefined, { signal: stopping.signal }).catch(() => {});
    }
    return { connections: most };
  }

  const watching = watch().catch((error) => ({ connections: null, problem: error.message }));
  const outcome = await work().finally(async () => {
    stopping.abort();
    await watching;
    await client.close();
  });
  return { outcome, ...await watching };
}
