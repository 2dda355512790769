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

/** @import { Lab } from '../../harness/run-lab.js' */
/** @import { SessionOptions, SessionPlan, SessionSettings } from './plan.js' */
/** @import { SessionFigures } from './sessions-view.js' */

const STRATEGIES = ['fixed', 'copy', 'clone', 'client-per-query'];
/** Client and servers are at full speed after this many. */
const WARM_UP_QUERIES = 5000;

/**
 * The session kinds of mgo, the driver for Go in the article, with today's driver. Its sessions hold no socket, so the
 * choice that is left is the client: one with a single connection that all queries share, or one with a pool.
 * @type {Lab<SessionOptions, SessionSettings, SessionFigures, SessionPlan>}
 */
export const sessions = {
  name: 'sessions',
  ...sessionsView,
  summary: 'one connection for all, one from the pool for each query, or a client for each query',
  mongo: { members: 3 },
  options: {
    workers: {
      value: 'list', about: 'how many run at once', parse: parseIntegers, default: [1, 10, 100],
      published: PUBLISHED.workers,
    },
    queries: {
      value: 'list', parse: parseIntegers, published: PUBLISHED.queries,
      about: 'queries of each worker: one number, or one for each of --workers (default: enough to keep one connection '
        + 'busy for 2 s)',
    },
    poolSizes: {
      value: 'list', parse: parsePoolSizes, default: PUBLISHED.poolSizes, published: PUBLISHED.poolSizes,
      about: 'maxPoolSize of copy and clone; of the sizes with room for every worker only the largest is measured',
    },
    strategies: {
      value: 'list', parse: createChoicesParser(STRATEGIES), default: STRATEGIES,
      about: 'how a query gets its connection: fixed (one for all), copy (one from a pool), clone (the one of its parent '
        + 'session if that was primed, otherwise like copy), client-per-query',
    },
    prime: { about: "ping clone's parent session first, so that clones share its connection", default: false },
    stats: { about: 'print the sockets, waits and timeouts of the pool each second', default: false },
    poolTimeout: {
      value: 'ms', about: 'longest wait for a connection (default: no limit)', parse: parseDelay,
    },
    rtt: { value: 'ms', about: 'extra time of each round trip to the server', parse: parseDelay },
    leaks: { value: 'n', about: 'change streams left open in the same pool', parse: parseInteger },
    maxAwait: {
      value: 'ms', parse: parseDelay,
      about: "maxAwaitTimeMS of these change streams: how long each holds its connection (default: the server's, 1000)",
    },
    secondClient: { about: 'put these change streams on a second client', default: false },
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
      // Without it the first variant would be the slowest. In a short run that does not matter.
      const total = Math.min(WARM_UP_QUERIES, countQueries(plan));
      await runClosedLoop({ workers: 1, total, task: (n) => findNewest(client, n), signal });
      return { undo };
    } catch (error) {
      await undo();
      throw error;
    }
  },
  async measure(variant, plan, context) {
    const options = plan.settings;
    const distance = options.rtt
      ? await openDistance(context.mongoUrl, context.settings, options.rtt)
      : { url: context.mongoUrl, close: async () => {} };
    const measureIt = variant.settings.poolSize === null ? measureClients : measurePool;
    try {
      return await measureIt(variant, options, { ...context, mongoUrl: distance.url });
    } finally {
      await distance.close();
    }
  },
};

/** @param {SessionPlan} plan */
function countQueries({ variants }) {
  return variants.reduce((total, { settings }) => total + settings.queries, 0);
}
