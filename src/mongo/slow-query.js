/** @typedef {{ topologyVersion: object }} Hello opaque; the next `hello` sends it back unchanged */

/**
 * Create a slow query: one command that keeps its connection for a given time, costs no CPU and needs no server-side
 * JavaScript.
 *
 * It is an awaitable `hello` (MongoDB 4.4 and later): when the client sends the current topology version, the server
 * answers after `maxAwaitTimeMS`, or earlier if the topology changes. `$where: sleep(…)` would be the obvious way, but on
 * MongoDB 6.0.5 twenty of those at once took up to 350 ms too long, since each starts a JavaScript engine. Servers may
 * also have JavaScript turned off.
 * https://github.com/mongodb/specifications/blob/master/source/server-discovery-and-monitoring/server-monitoring.md
 *
 * @param {import('mongodb').MongoClient} client
 * @returns {(ms: number, options?: { signal?: AbortSignal }) => Promise<void>} resolves `ms` after the server received the
 *   command; `signal` aborts it, on the server too
 */
export function createSlowQuery(client) {
  const admin = client.db('admin');
  /** @type {Hello['topologyVersion'] | undefined} */
  let known;

  return async function runSlowQuery(ms, { signal } = {}) {
    for (;;) {
      const sent = known;
      const command = sent ? { hello: 1, topologyVersion: sent, maxAwaitTimeMS: ms } : { hello: 1 };
      // The version's counter must remain a 64-bit integer.
      const answer = /** @type {import('mongodb').Document & Hello} */ (
        await admin.command(command, { promoteLongs: false, signal }));
      known = answer.topologyVersion;
      if (!known) throw new Error('/slow needs MongoDB 4.4 or later, which has awaitable hello');
      // With another version, the server answered early, for example because of an election: try again.
      if (sent && JSON.stringify(sent) === JSON.stringify(known)) return;
    }
  };
}
