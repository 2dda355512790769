import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { createClient } from '../../src/mongo/client.js';

/**
 * Adds network latency in front of a MongoDB: a delay proxy before its primary.
 * @param {string} mongoUrl
 * @param {import('../../src/settings.js').Settings} settings
 * @param {number} rttMs how much longer a round trip takes
 * @param {{ connectMs?: number }} [options] connectMs: how much longer it takes to open a connection
 * @returns {Promise<{ url: string, close: () => Promise<unknown> }>} connection string of the primary behind the proxy
 * @throws {Error} for a mongodb+srv URL
 */
export async function addLatency(mongoUrl, settings, rttMs, { connectMs = 0 } = {}) {
  if (rttMs === 0 && connectMs === 0) return { url: mongoUrl, close: async () => {} };
  if (!mongoUrl.startsWith('mongodb://')) throw new Error('added latency needs a URL that starts with mongodb://');
  const primary = await findPrimary(mongoUrl, settings);
  const colon = primary.lastIndexOf(':');
  const workerData = {
    host: primary.slice(0, colon).replace(/^\[|\]$/g, ''),
    port: Number(primary.slice(colon + 1)),
    delayMs: rttMs / 2,
    connectMs,
  };
  // In a separate thread: a busy client must not add to the delay.
  const proxy = new Worker(new URL('./delay-proxy-thread.js', import.meta.url), { workerData });
  const [port] = await once(proxy, 'message');
  return { url: replaceHosts(mongoUrl, `127.0.0.1:${port}`), close: () => proxy.terminate() };
}

/**
 * @param {string} mongoUrl
 * @param {import('../../src/settings.js').Settings} settings
 * @returns {Promise<string>} its host:port
 */
async function findPrimary(mongoUrl, settings) {
  const client = createClient(mongoUrl, settings);
  try {
    const { primary } = await client.db('admin').command({ hello: 1 });
    // A server outside of a replica set names no primary.
    return primary ?? String(client.options.hosts[0]);
  } finally {
    await client.close();
  }
}

/** @param {string} mongoUrl @param {string} host */
function replaceHosts(mongoUrl, host) {
  // URL accepts one host only.
  const url = new URL(mongoUrl.replace(/^(mongodb:\/\/(?:[^/@]*@)?)[^/?]+/, (_, start) => start + host));
  url.pathname ||= '/';
  // Otherwise the driver would connect to the members that the primary names, past the proxy.
  url.searchParams.set('directConnection', 'true');
  return url.href;
}
