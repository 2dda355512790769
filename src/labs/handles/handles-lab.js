import { fileURLToPath } from 'node:url';
import { startApp } from '../../harness/app-process.js';
import { runHttpLoad } from '../../harness/http-load.js';
import { createChoicesParser, parseDelay, parseInteger, parseIntegers } from '../../harness/lab-options.js';
import { connectClient, createClient } from '../../mongo/client.js';
import { documentsOf, seedDocuments } from './documents.js';
import { handlesView } from './handles-view.js';

const SERVER = fileURLToPath(new URL('./handles-server.js', import.meta.url));

/**
 * Measured with wrk, by its number of connections: the better of two runs of 10 s. The published experiment saved a round
 * trip in two ways; `gathered` is the one without prepared statements.
 */
const PUBLISHED = new Map(Object.entries({
  'one 128': { ratePerSec: 68334.78, avgMs: 1.87, stdevMs: 1.62, maxMs: 15.02 },
  'one 256': { ratePerSec: 69599.49, avgMs: 3.66, stdevMs: 3.42, maxMs: 37.08 },
  'several 128': { ratePerSec: 159898.21, avgMs: 0.79394, stdevMs: 0.77168, maxMs: 12.34 },
  'several 256': { ratePerSec: 57539.94, avgMs: 4.65, stdevMs: 5.64, maxMs: 51.7 },
  'gathered 128': { ratePerSec: 162323.89, avgMs: 0.76927, stdevMs: 0.66783, maxMs: 9.48 },
  'gathered 256': { ratePerSec: 70596.93, avgMs: 3.8, stdevMs: 4.64, maxMs: 45.44 },
}));
const PUBLISHED_CONNECTIONS = [128, 256];
const PUBLISHED_DURATION_MS = 10_000;

/** What each adds to one client in one process. @type {Record<string, string[]>} */
const FLAGS = { one: [], several: [], processes: [], gathered: ['--gather'], bare: ['--gather', '--bare'] };
const HANDLES = Object.keys(FLAGS);

/** Estimate for the progress bar: starting and stopping the app and the load tool. */
const OVERHEAD_MS = 1500;

/** @import { Context, Lab, Plan, PlannedVariant } from '../../harness/run-lab.js' */
/** @import { HandlesFigures, HandlesSettings } from './handles-view.js' */

/**
 * @typedef {object} HandlesOptions
 * @property {string[]} handles
 * @property {number[]} connections of the load
 * @property {number} poolSize of all clients together
 * @property {number} clients
 * @property {number} processes
 * @property {number} warmUpMs
 * @property {number} durationMs
 *
 * @typedef {Plan<HandlesSettings, HandlesFigures> & { settings: HandlesOptions }} HandlesPlan
 */

/** @type {Lab<HandlesOptions, HandlesSettings, HandlesFigures, HandlesPlan>} */
export const handles = {
  name: 'handles',
  ...handlesView,
  summary: 'requests per second with one client, several, several processes, or gathered lookups',
  options: {
    handles: {
      value: 'list', about: `which of ${HANDLES.join(', ')}`, parse: createChoicesParser(HANDLES), default: HANDLES,
    },
    connections: {
      value: 'list', about: 'connections of the load: a closed loop each', parse: parseIntegers,
      default: PUBLISHED_CONNECTIONS, published: PUBLISHED_CONNECTIONS,
    },
    poolSize: { value: 'n', about: 'maxPoolSize of all clients together', parse: parseInteger, default: 20 },
    clients: { value: 'n', about: 'clients of the variant "several"', parse: parseInteger, default: 4 },
    processes: { value: 'n', about: 'processes of the variant "processes"', parse: parseInteger, default: 2 },
    warmUpMs: {
      value: 'ms', about: 'how long the load runs before it counts', parse: parseDelay, default: 2000,
    },
    durationMs: {
      value: 'ms', about: 'how long the load counts', parse: parseDelay, default: 4000, published: PUBLISHED_DURATION_MS,
    },
  },
  plan,
  prepare,
  measure,
};

/**
 * @param {HandlesOptions} options
 * @returns {Promise<HandlesPlan>}
 * @throws {Error} when the clients of a variant can't share the pool evenly
 */
async function plan({ handles, connections, poolSize, clients, processes, warmUpMs, durationMs }) {
  /** @type {Record<string, { clients: number, processes: number }>} */
  const scales = { several: { clients, processes: 1 }, processes: { clients: 1, processes } };
  return {
    settings: { handles, connections, poolSize, clients, processes, warmUpMs, durationMs },
    variants: connections.flatMap((count) => handles.map((handle) => {
      const scale = scales[handle] ?? { clients: 1, processes: 1 };
      return {
        name: `c${count} ${handle}`,
        settings: { handle, connections: count, ...scale, poolSizeOfEach: share(poolSize, scale) },
        published: PUBLISHED.get(`${handle} ${count}`) ?? null,
        estimateMs: OVERHEAD_MS + warmUpMs + durationMs,
      };
    })),
  };
}

/** @param {number} poolSize @param {{ clients: number, processes: number }} scale */
function share(poolSize, { clients, processes }) {
  const each = poolSize / (clients * processes);
  if (Number.isInteger(each)) return each;
  throw new Error(`--pool-size ${poolSize} can't be shared evenly by ${clients * processes}: `
    + 'it must be a multiple of --clients and of --processes');
}

/** @param {HandlesPlan} plan @param {Context} context */
async function prepare(plan, { mongoUrl, settings }) {
  const client = createClient(mongoUrl, settings);
  const documents = documentsOf(client);
  const undo = async () => {
    await documents.drop().finally(() => client.close());
  };
  try {
    await connectClient(client);
    await seedDocuments(documents);
    return { undo };
  } catch (error) {
    await client.close();
    throw error;
  }
}

/**
 * @param {PlannedVariant<HandlesSettings, HandlesFigures>} variant
 * @param {HandlesPlan} plan
 * @param {Context} context
 */
async function measure({ settings }, plan, { mongoUrl, signal }) {
  const { handle, connections, clients, processes, poolSizeOfEach } = settings;
  const { warmUpMs, durationMs } = plan.settings;
  const app = await startApp({ MONGO_URL: mongoUrl, MONGO_POOLSIZE: String(poolSizeOfEach) }, {
    script: SERVER,
    args: ['--clients', String(clients), '--processes', String(processes), ...FLAGS[handle]],
    signal,
  });
  try {
    return await runHttpLoad({ url: `${app.url}/db`, connections, warmUpMs, durationMs }, app);
  } finally {
    await app.stop();
  }
}
