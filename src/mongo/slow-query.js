/**
 * @typedef {object} Hello
 * @property {object} topologyVersion opaque; the server takes it back as it gave it
 */

/**
 * Make the administrator's query: one command that the server answers only after a given time, that holds one
 * connection all the while, costs no CPU and needs no server-side JavaScript.
 *
 * It is an awaitable `hello` (MongoDB 4.4 and later): asked with the topology version it already told, the server
 * answers when that changes or after `maxAwaitTimeMS`, whichever comes first. `$where: sleep(…)` would be the
 * obvious way; on MongoDB 6.0.5 twenty at once took up to 350 ms longer than asked, since each starts a JavaScript
 * engine, and servers may have JavaScript off.
 *
 * @param {import('mongodb').MongoClient} client
 * @returns {(ms: number, options?: { signal?: AbortSignal }) => Promise<void>} resolves when the server has answered,
 *   `ms` after it got the command; `signal` gives it up, at the server too
 */
export function createSlowQuery(client) {
  const admin = client.db('admin');
  /** @type {Hello['topologyVersion'] | undefined} */
  let known;

  return async function runSlowQuery(ms, { signal } = {}) {
    for (;;) {
      const asked = known;
      const command = asked ? { hello: 1, topologyVersion: asked, maxAwaitTimeMS: ms } : { hello: 1 };
      // The version's counter is a 64-bit integer and has to stay one.
      const answer = /** @type {import('mongodb').Document & Hello} */ (
        await admin.command(command, { promoteLongs: false, signal }));
      known = answer.topologyVersion;
      if (!known) throw new Error('/slow needs a server that has awaitable hello: MongoDB 4.4 or later');
      // Another version means that the server answered early, because of an election for instance: ask again.
      if (asked && sameVersion(asked, known)) return;
    }
  };
}

/**
 * @param {object} one
 * @param {object} other
 */
function sameVersion(one, other) {
  return JSON.stringify(one) === JSON.stringify(other);
}
