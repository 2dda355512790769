import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { createClient } from '../mongo/client.js';

/**
 * Put a distance between clients and a MongoDB: a hop in front of its primary, which answers all queries.
 *
 * @param {string} mongoUrl
 * @param {import('../settings.js').Settings} settings
 * @param {number} rttMs how much longer a round trip takes
 * @returns {Promise<{ url: string, close: () => Promise<unknown> }>} the connection string of the distant primary
 * @throws {Error} for a URL that leaves the hosts to the DNS
 */
export async function openDistance(mongoUrl, settings, rttMs) {
  if (!mongoUrl.startsWith('mongodb://')) throw new Error('a distance needs a URL that starts with mongodb://');
  const primary = await findPrimary(mongoUrl, settings);
  const colon = primary.lastIndexOf(':');
  const way = {
    host: primary.slice(0, colon).replace(/^\[|\]$/g, ''), port: Number(primary.slice(colon + 1)), delayMs: rttMs / 2,
  };
  // In a thread of its own: a busy client is no longer way.
  const hop = new Worker(new URL('./delay-proxy-thread.js', import.meta.url), { workerData: way });
  const [port] = await once(hop, 'message');
  return { url: replaceHosts(mongoUrl, `127.0.0.1:${port}`), close: () => hop.terminate() };
}

/**
 * @param {string} mongoUrl
 * @param {import('../settings.js').Settings} settings
 * @returns {Promise<string>} its host:port
 */
async function findPrimary(mongoUrl, settings) {
  const client = createClient(mongoUrl, settings);
  try {
    const { primary } = await client.db('admin').command({ hello: 1 });
    // A server of no replica set names none.
    return primary ?? String(client.options.hosts[0]);
  } finally {
    await client.close();
  }
}

/**
 * @param {string} mongoUrl
 * @param {string} host
 */
function replaceHosts(mongoUrl, host) {
  // To the platform a URL has one host.
  const url = new URL(mongoUrl.replace(/^(mongodb:\/\/(?:[^/@]*@)?)[^/?]+/, (_, start) => start + host));
  url.pathname ||= '/';
  // Or the driver would go to the members that the primary names, past the hop.
  url.searchParams.set('directConnection', 'true');
  return url.href;
}
