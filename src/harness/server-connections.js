import { setTimeout as sleep } from 'node:timers/promises';
import { createClient } from '../mongo/client.js';

const POLL_MS = 200;

/**
 * Polls a server for the number of connections it has from an app while `work` runs: those of the app's pools, and those
 * over which the driver monitors the server.
 * @template T
 * @param {object} options
 * @param {string} options.mongoUrl
 * @param {import('../settings.js').Settings} options.settings
 * @param {string} options.appName prefix of the names of the app's clients
 * @param {() => Promise<T>} work
 * @returns {Promise<{ outcome: T, connections: number | null, problem?: string }>} the highest number; null, and why,
 *   where the server does not say
 * @throws what `work` throws
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
    let peak = 0;
    for (let isLast = false; !isLast;) {
      isLast = stopping.signal.aborted;
      const [{ connections } = { connections: 0 }] = await client.db('admin').aggregate(ofApp).toArray();
      peak = Math.max(peak, connections);
      await sleep(POLL_MS, undefined, { signal: stopping.signal }).catch(() => {});
    }
    return { connections: peak };
  }

  const watching = watch().catch((error) => ({ connections: null, problem: error.message }));
  const outcome = await work().finally(async () => {
    stopping.abort();
    await watching;
    await client.close();
  });
  return { outcome, ...await watching };
}
