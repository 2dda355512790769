import { runClosedLoop } from '../../harness/loads/closed-loop.js';
import { COUNT, COUNTS, DELAY, POOL_SIZES, listOption } from '../../harness/lab-options.js';
import { MAX_DELAY_MS } from '../../../src/base/settings-table.js';
import { createClient } from '../../../src/mongo/client.js';
import { sum } from 'mongodb-pool-predictor/statistics';
import { sessionsView } from './sessions-view.js';
import { dropCiphers, findNewest, seedCiphers } from './sessions-data.js';
import { planSessions } from './plan-sessions.js';
import { PUBLISHED } from './sessions-published.js';
import { measureClients, measurePool } from './measure-sessions.js';
import { addLatency } from '../../harness/latency.js';

/** @import { MongoClient } from 'mongodb' */
/** @import { Lab, Context } from '../../harness/run-lab.js' */
/** @import { SessionLabOptions, SessionPlan, SessionSettings } from './plan-sessions.js' */
/** @import { SessionFigures } from './sessions-view.js' */

/** The shortest of three medians, each of this many queries: the machine may be busy with something else. */
const QUERIES = 500;
const TURNS = 3;

/**
 * The network delay that the options ask for: `rtt`, or what makes one worker's query take `queryMs`.
 * @param {Pick<SessionLabOptions, 'rtt' | 'queryMs'>} options
 * @param {MongoClient} client
 * @param {Context} context
 * @returns {Promise<number>} of a round trip, in ms
 */
async function chooseDelay({ rtt = 0, queryMs }, client, { report, signal }) {
  if (!queryMs) return rtt;
  const nearMs = await timeQuery(client, signal);
  const rttMs = Math.max(0, queryMs - nearMs);
  const near = `A query takes ${nearMs.toFixed(2)} ms here`;
  report(
    rttMs > 0
      ? `${near}, and ${queryMs} ms with a network delay of ${rttMs.toFixed(2)} ms.`
      : `${near}, more than ${queryMs} ms: no network delay is added.`,
  );
  return rttMs;
}

/** @param {MongoClient} client @param {AbortSignal} signal @returns {Promise<number>} ms */
async function timeQuery(client, signal) {
  let shortestMs = Infinity;
  for (let turn = 0; turn < TURNS; turn += 1) {
    const load = { workers: 1, total: QUERIES, task: (/** @type {number} */ n) => findNewest(client, n) };
    shortestMs = Math.min(shortestMs, (await runClosedLoop(load, { signal })).p50Ms);
  }
  return shortestMs;
}

const STRATEGIES = ['fixed', 'copy', 'clone', 'client-per-query'];
/** Client and servers are at full speed after this many. */
const WARM_UP_QUERIES = 5000;

/**
 * The session kinds of mgo, the driver for Go in the article, with today's driver. Its sessions hold no socket, so the
 * choice that is left is the client: one with a single connection that all queries share, or one with a pool.
 * @type {Lab<SessionLabOptions, SessionSettings, SessionFigures, SessionPlan, { url: string }>}
 */
export const sessions = {
  name: 'sessions',
  ...sessionsView,
  summary: 'one connection for all, one from the pool for each query, or a client for each query',
  mongo: { members: 3 },
  options: {
    workers: { ...COUNTS, about: 'how many run at once', default: [1, 10, 100], published: PUBLISHED.workers },
    queries: {
      ...COUNTS,
      about:
        'queries of each worker: one number, or one for each of --workers (default: enough to keep one connection ' +
        'busy for 2 s, with --query-ms for 10 s; the article: 30000,10000,10000,5000, which takes half an hour)',
    },
    poolSizes: {
      ...POOL_SIZES,
      default: PUBLISHED.poolSizes,
      published: PUBLISHED.poolSizes,
      about: 'maxPoolSize of copy and clone; of the sizes with room for every worker only the largest is measured',
    },
    strategies: {
      ...listOption(STRATEGIES),
      published: PUBLISHED.strategies,
      about:
        'how a query gets its connection: fixed (one for all), copy (one from a pool), clone (the same code as fixed ' +
        'if its parent was primed, otherwise as copy, so it is measured once), client-per-query',
    },
    stats: { about: 'print the sockets, waits and timeouts of the pool each second', default: false },
    poolTimeout: { ...DELAY, about: 'longest wait for a connection (default: no limit)' },
    rtt: { ...DELAY, about: 'extra time of each round trip to the server' },
    queryMs: {
      value: 'ms',
      about: "add the network delay with which one worker's query takes this long",
      parse: parseQueryMs,
      published: PUBLISHED.queryMs,
    },
    leaks: { ...COUNT, about: 'change streams left open in the same pool' },
    maxAwait: {
      ...DELAY,
      about: "maxAwaitTimeMS of these change streams: how long each holds its connection (default: the server's, 1000)",
    },
    secondClient: { about: 'put these change streams on a second client', default: false },
  },
  plan: planSessions,
  async prepare(plan, context) {
    const { mongoUrl, settings, signal, onEnd } = context;
    const client = createClient(mongoUrl, settings);
    onEnd(() => client.close());
    onEnd(() => dropCiphers(client));
    await seedCiphers(client);
    // Without it the first variant would be the slowest. In a short run that does not matter.
    const total = Math.min(WARM_UP_QUERIES, countQueries(plan));
    await runClosedLoop({ workers: 1, total, task: (n) => findNewest(client, n) }, { signal });
    const rttMs = await chooseDelay(plan.settings, client, context);
    const { url, close } = await addLatency(mongoUrl, settings, rttMs);
    onEnd(close);
    return { shared: { url }, settings: { rttMs } };
  },
  async measure(variant, plan, { shared, ...context }) {
    const measureIt = variant.settings.poolSize === null ? measureClients : measurePool;
    return measureIt(variant, plan.settings, { ...context, mongoUrl: shared.url });
  },
};

/** @param {SessionPlan} plan */
function countQueries({ variants }) {
  return sum(variants.map(({ settings }) => settings.queries));
}

/** @param {string} text @returns {number} ms @throws {Error} saying what is allowed */
function parseQueryMs(text) {
  const ms = /^\d+(\.\d+)?$/.test(text) ? Number(text) : NaN;
  if (!(ms > 0 && ms <= MAX_DELAY_MS)) throw new Error('It must be a number of ms above 0, such as 1.27.');
  return ms;
}
