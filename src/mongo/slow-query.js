import { calibrateWork, createWorkQuery } from './work-query.js';

/** @import { MongoClient } from 'mongodb' */
/** @import { Settings } from '../settings.js' */

const SHORT_MS = 5;
const TURNS = 9;
/**
 * Linux timer slack: a poll() timeout, which mongod uses here, may fire 0.1 % late. With MongoDB 6.0.5, queries of 5 s
 * ended 6.0 to 7.9 ms late on an idle machine, and those of 10 ms 0.8 to 1.2 ms.
 * https://github.com/torvalds/linux/blob/master/fs/select.c (__estimate_accuracy)
 */
const LINUX_SLACK = 0.001;

/**
 * How late the server answers: `ms`, and a share of the requested time.
 * @typedef {{ ms: number, share: number }} Lateness
 */

/** @typedef {{ topologyVersion: object }} Hello opaque; the next `hello` sends it back unchanged */

/**
 * Creates a slow query: one command that keeps its connection for a given time, costs no CPU and needs no server-side
 * JavaScript.
 *
 * It is an awaitable `hello` (MongoDB 4.4 and later): when the client sends the current topology version, the server
 * answers after `maxAwaitTimeMS`, or earlier if the topology changes. `$where: sleep(…)` would be the obvious way, but
 * on MongoDB 6.0.5 twenty of those at once took up to 350 ms too long, since each starts a JavaScript engine. Servers
 * may also have JavaScript turned off.
 * https://github.com/mongodb/specifications/blob/master/source/server-discovery-and-monitoring/server-monitoring.md
 *
 * @param {MongoClient} client
 * @param {Lateness} [late] subtracted from the requested time, each part rounded down to a millisecond
 * @returns {(ms: number, options?: { signal?: AbortSignal }) => Promise<void>} resolves after `ms`, within a few
 *   milliseconds; `signal` aborts it, on the server too
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
        await admin.command(command, { promoteLongs: false, signal })
      );
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
 * @param {MongoClient} client to an idle server
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

/** @typedef {ReturnType<typeof createSlowQuery>} SlowQuery */

/**
 * Creates the query of /slow for one client after the other. The first client measures how fast the server is, or how
 * late it answers. The others use its result, because the server may be busy later.
 *
 * @param {Settings['slowQuery']} kind
 * @returns {(client: MongoClient) => Promise<SlowQuery>} takes a client to a server with the demo data
 */
export function createSlowQueries(kind) {
  return kind === 'sleep'
    ? afterMeasuring(measureLateness, createSlowQuery)
    : afterMeasuring(calibrateWork, createWorkQuery);
}

/**
 * @template Known
 * @param {(client: MongoClient) => Promise<Known>} measure
 * @param {(client: MongoClient, known: Known) => SlowQuery} create
 */
function afterMeasuring(measure, create) {
  /** @type {Known | undefined} */
  let known;
  return async (/** @type {MongoClient} */ client) => {
    known ??= await measure(client);
    return create(client, known);
  };
}
