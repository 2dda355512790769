import { runClosedLoop } from '../../harness/closed-loop.js';
import { openDistance } from '../../harness/distance.js';
import { createChoicesParser, parseDelay, parseInteger, parseIntegers } from '../../harness/lab-options.js';
import { createClient } from '../../mongo/client.js';
import { parsePoolSizes } from 'mongodb-pool-predictor';
import { sessionsView } from './sessions-view.js';
import { dropCiphers, findNewest, seedCiphers } from './sessions-data.js';
import { planSessions } from './plan.js';
import { PUBLISHED } from './sessions-published.js';
import { measureClients, measurePool } from './ways.js';

/** @import { Lab, Plan } from '../../harness/run-lab.js' */
/** @import { SessionOptions, SessionVariant } from './plan.js' */

const STRATEGIES = ['fixed', 'copy', 'clone', 'client-per-query'];
/** After so many queries client and servers have come to speed. */
const WARM_UP_QUERIES = 5000;

/**
 * How workers come to a connection: the ways of mgo, the driver for Go that the article is about, in today's terms.
 * A session of today's driver holds no socket, so what is left of a session's choice is the client that a query goes
 * through: one with a single connection, which all share, or one with a pool.
 * @type {Lab}
 */
export const sessions = {
  name: 'sessions',
  ...sessionsView,
  summary: 'one connection for all, one from the pool for each query, or a client for each query',
  mongo: { members: 3 },
  options: {
    workers: {
      value: 'list', about: 'how many ask at once', parse: parseIntegers, default: [1, 10, 100],
      published: PUBLISHED.workers,
    },
    queries: {
      value: 'list', parse: parseIntegers, published: PUBLISHED.queries,
      about: 'queries of each worker: one number, or one for each of --workers (default: what keeps one connection '
        + 'busy for 2 s)',
    },
    poolSizes: {
      value: 'list', parse: parsePoolSizes, default: PUBLISHED.poolSizes, published: PUBLISHED.poolSizes,
      about: 'maxPoolSize of copy and clone; the largest stands for all with room for every worker',
    },
    strategies: {
      value: 'list', parse: createChoicesParser(STRATEGIES), default: STRATEGIES,
      about: 'how a query gets its connection, some of: fixed (one for all), copy (one out of a pool), clone (that of its '
        + 'parent session if that was primed, else like copy), client-per-query',
    },
    prime: { about: "clone's parent session was pinged, so that clones share its connection", default: false },
    stats: { about: 'a line each second: sockets, waits and timeouts of the pool', default: false },
    poolTimeout: {
      value: 'ms', about: 'longest wait for a connection (default: for ever)', parse: parseDelay,
    },
    rtt: { value: 'ms', about: 'distance: how much longer a round trip to the server takes', parse: parseDelay },
    leaks: { value: 'n', about: 'change streams left open in the same pool', parse: parseInteger },
    maxAwait: {
      value: 'ms', parse: parseDelay,
      about: "maxAwaitTimeMS of those change streams: how long each holds its connection (default: the server's, 1000)",
    },
    secondClient: { about: 'give those change streams a client of their own', default: false },
  },
  plan: planSessions,
  async prepare(plan, { mongoUrl, settings, signal }) {
    const client = createClient(mongoUrl, settings);
    const undo = async () => {
      await dropCiphers(client);
      await client.close();
    };
    try {
      await seedCiphers(client);
      // Else the first variant would be the slowest. A short run has no such claim.
      const total = Math.min(WARM_UP_QUERIES, countQueries(plan));
      await runClosedLoop({ workers: 1, total, task: (n) => findNewest(client, n), signal });
      return undo;
    } catch (error) {
      await undo();
      throw error;
    }
  },
  async measure(variant, plan, context) {
    const options = /** @type {SessionOptions} */ (plan.settings);
    const line = options.rtt
      ? await openDistance(context.mongoUrl, context.settings, options.rtt)
      : { url: context.mongoUrl, close: async () => {} };
    const measureIt = variant.settings.poolSize === null ? measureClients : measurePool;
    try {
      return await measureIt(/** @type {SessionVariant} */ (variant), options, { ...context, mongoUrl: line.url });
    } finally {
      await line.close();
    }
  },
};

/** @param {Plan} plan */
function countQueries({ variants }) {
  return variants.reduce((total, { settings }) => total + settings.queries, 0);
}
