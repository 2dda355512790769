const SHORT_MS = 5;
const TURNS = 9;
/**
 * How much later than asked Linux wakes up whoever waits in poll, as mongod does, to wake up seldom: 0.1 % of the time. With
 * MongoDB 6.0.5, queries of 5 s ended 6.0 to 7.9 ms late on an idle machine, and those of 10 ms 0.8 to 1.2 ms.
 * https://github.com/torvalds/linux/blob/master/fs/select.c (__estimate_accuracy)
 */
const LINUX_SLACK = 0.001;

/** How late the server answers: so much at least, and beyond that a share of the time. @typedef {{ ms: number, share: number }} Lateness */

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
 * @param {Lateness} [late] it asks for that much less, in whole milliseconds of each
 * @returns {(ms: number, options?: { signal?: AbortSignal }) => Promise<void>} resolves after `ms`, to some milliseconds;
 *   `signal` aborts it, on the server too
 */
export function createSlowQuery(client, late = { ms: 0, share: 0 }) {
  const admin = client.db('admin');
  /** @type {Hello['topologyVersion'] | undefined} */
  let known;

  return async function runSlowQuery(ms, { signal } = {}) {
    const maxAwaitTimeMS = Math.max(0, ms - Math.floor(late.ms) - Math.floor(ms * late.share));
    for (;;) {
      const sent = known;
      const command = sent ? { hello: 1, topologyVersion: sent, maxAwaitTimeMS } : { hello: 1 };
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

/**
 * Measures how late the server answers. Of nine turns the shortest counts, so that no slow query ends too early.
 *
 * @param {import('mongodb').MongoClient} client to an idle server
 * @returns {Promise<Lateness>}
 */
export async function measureLateness(client) {
  const { buildEnvironment } = await client.db('admin').command({ buildInfo: 1 });
  const runSlowQuery = createSlowQuery(client);
  await runSlowQuery(SHORT_MS);
  let tookMs = Infinity;
  for (let turn = 0; turn < TURNS; turn += 1) {
    const startedAtMs = performance.now();
    await runSlowQuery(SHORT_MS);
    tookMs = Math.min(tookMs, performance.now() - startedAtMs);
  }
  return { ms: Math.max(0, tookMs - SHORT_MS), share: buildEnvironment?.target_os === 'linux' ? LINUX_SLACK : 0 };
}
