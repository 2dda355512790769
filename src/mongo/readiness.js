/** The driver's default is 10 s: for that long, nobody would notice a server that hangs. */
export const HEARTBEAT_MS = 2000;
/** How late a heartbeat may be before the server counts as hanging. */
const LATE_MS = 3000;

/** @import { DatabaseStatus } from 'mongodb-pool-page/universal/feed-shapes.js' */

/**
 * Watches whether the server could answer queries. This uses the driver's monitoring connections, which are not part of
 * the pool, so it never waits behind a query. When a server is killed, they close at once; when a server or the network
 * hangs, a heartbeat is late. It can't notice a server that answers heartbeats but no queries.
 * @param {import('mongodb').MongoClient} client not connected yet
 * @param {() => number} [now] in ms
 * @returns {() => DatabaseStatus} reachable: a server that accepts writes is known and answers; the reason contains no
 *   address
 */
export function watchReadiness(client, now = () => performance.now()) {
  /** @type {import('mongodb').ServerDescription[]} */
  let servers = [];
  /** @type {Map<string, number>} */
  const heardAtMs = new Map();
  client.on('serverHeartbeatSucceeded', ({ connectionId }) => heardAtMs.set(connectionId, now()));
  client.on('topologyDescriptionChanged', ({ newDescription }) => {
    servers = [...newDescription.servers.values()];
  });
  const maxSilenceMs = client.options.heartbeatFrequencyMS + LATE_MS;

  return () => {
    const known = servers.filter(({ type }) => type !== 'Unknown');
    const writable = known.filter(({ isWritable }) => isWritable);
    if (known.length === 0) return { reachable: false, reason: 'no server answers' };
    if (writable.length === 0) return { reachable: false, reason: 'the replica set has no primary' };
    const silentMs = Math.min(...writable.map(({ address }) => now() - (heardAtMs.get(address) ?? now())));
    if (silentMs <= maxSilenceMs) return { reachable: true, reason: null };
    return { reachable: false, reason: `the server has not answered for ${Math.round(silentMs / 1000)} s` };
  };
}
