/** In ms. The driver's own default is 10 s, which is how long nobody would notice that a server hangs. */
const HEARTBEAT_MS = 2000;
/** How much later than that an answer may come before the server counts as hanging, in ms. */
const LATE_MS = 3000;

/** @typedef {{ reachable: boolean, reason: string | null }} DatabaseStatus reason: for people; it names no address */

/**
 * How often the driver shall hear from each server, unless the connection string says so itself.
 * @param {string} url
 * @returns {number | undefined} ms
 */
export function heartbeatOf(url) {
  return /[?&]heartbeatFrequencyMS=/i.test(url) ? undefined : HEARTBEAT_MS;
}

/**
 * Follow whether queries could be served now. The answer comes from the driver's monitoring connections, which are not
 * part of the pool: asking never waits behind a query. A server that is killed closes them, and that shows at once; one
 * that hangs, or a line that is dead, shows when a heartbeat is missing. What it can't know: a server that answers
 * heartbeats but no queries.
 *
 * @param {import('mongodb').MongoClient} client not connected yet
 * @param {() => number} [now] in ms
 * @returns {() => DatabaseStatus} reachable: a server that takes writes is known and answers
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
  const mostMs = client.options.heartbeatFrequencyMS + LATE_MS;

  return () => {
    const known = servers.filter(({ type }) => type !== 'Unknown');
    const writable = known.filter(({ isWritable }) => isWritable);
    if (known.length === 0) return { reachable: false, reason: 'no server answers' };
    if (writable.length === 0) return { reachable: false, reason: 'the replica set has no primary' };
    const silentMs = Math.min(...writable.map(({ address }) => now() - (heardAtMs.get(address) ?? now())));
    if (silentMs <= mostMs) return { reachable: true, reason: null };
    return { reachable: false, reason: `the server has not answered for ${Math.round(silentMs / 1000)} s` };
  };
}
