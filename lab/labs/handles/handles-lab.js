import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { startApp } from '../../harness/app-process.js';
import { runHttpLoad } from '../../harness/loads/http.js';
import { COUNT, COUNTS, DELAY, listOption } from '../../harness/lab-options.js';
import { connectClient, createClient } from '../../../src/mongo/client.js';
import { documentsOf, seedDocuments } from './handles-app.js';
import { findPublished, PUBLISHED } from './handles-published.js';
import { handlesView } from './handles-view.js';

const SERVER = fileURLToPath(new URL('./handles-server.js', import.meta.url));

/** What each adds to one client in one process. @type {Record<string, string[]>} */
const FLAGS = { one: [], several: [], processes: [], gathered: ['--gather'], bare: ['--gather', '--bare'] };
const HANDLES = Object.keys(FLAGS);
const ALONE = { clients: 1, processes: 1 };
/** What differs from one client in one process. @type {Record<string, { clients: number, processes: number }>} */
const SCALES = { several: { ...ALONE, clients: 4 }, processes: { ...ALONE, processes: 2 } };

/** Estimate for the progress bar: starting and stopping the app and the load tool. */
const OVERHEAD_MS = 1500;

/** @import { Context, Lab, Plan, PlannedVariant } from '../../harness/run-lab.js' */
/** @import { HandlesFigures, HandlesSettings } from './handles-view.js' */

/**
 * @typedef {object} HandlesOptions
 * @property {string[]} handles
 * @property {number[]} connections of the load
 * @property {number} poolSize of all clients together
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
    handles: { ...listOption(HANDLES), about: `which of ${HANDLES.join(', ')}` },
    connections: {
      ...COUNTS,
      about: 'connections of the load: a closed loop each',
      default: PUBLISHED.connections,
      published: PUBLISHED.connections,
    },
    poolSize: {
      ...COUNT,
      about: 'maxPoolSize of all clients together',
      default: 20,
      published: PUBLISHED.poolSize,
    },
    warmUpMs: { ...DELAY, about: 'how long the load runs before it counts', default: 2000 },
    durationMs: { ...DELAY, about: 'how long the load counts', default: 4000, published: PUBLISHED.durationMs },
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
async function plan({ handles, connections, poolSize, warmUpMs, durationMs }) {
  return {
    settings: { handles, connections, poolSize, warmUpMs, durationMs },
    variants: connections.flatMap((count) => [
      ...handles.map((handle) => {
        const scale = SCALES[handle] ?? ALONE;
        return {
          name: `c${count} ${handle}`,
          settings: { handle, connections: count, ...scale, poolSizeOfEach: share(poolSize, scale) },
          published: findPublished(handle, count),
          estimateMs: OVERHEAD_MS + warmUpMs + durationMs,
        };
      }),
      ...(handles.includes('one') ? PUBLISHED.handles : []).flatMap((handle) => listUnmeasured(handle, count)),
    ]),
  };
}

/** @param {string} handle @param {number} connections @returns {HandlesPlan['variants']} what only the document has */
function listUnmeasured(handle, connections) {
  const published = findPublished(handle, connections);
  const settings = { handle, connections, ...ALONE, poolSizeOfEach: null };
  return published
    ? [{ name: `c${connections} ${handle}`, settings, published, estimateMs: 0, isPublishedOnly: true }]
    : [];
}

/** @param {number} poolSize @param {{ clients: number, processes: number }} scale */
function share(poolSize, { clients, processes }) {
  const count = clients * processes;
  if (poolSize % count === 0) return poolSize / count;
  throw new Error(`--pool-size ${poolSize} can't be shared evenly by ${count}: it must be a multiple of ${count}`);
}

/** @param {HandlesPlan} plan @param {Context} context */
async function prepare(plan, { mongoUrl, settings, onEnd }) {
  const client = createClient(mongoUrl, settings);
  onEnd(() => client.close());
  await connectClient(client);
  const documents = documentsOf(client);
  onEnd(() => documents.drop());
  await seedDocuments(documents);
}

/**
 * @param {PlannedVariant<HandlesSettings, HandlesFigures>} variant
 * @param {HandlesPlan} plan
 * @param {Context} context
 */
async function measure({ settings }, plan, { mongoUrl, signal }) {
  const { handle, connections, clients, processes, poolSizeOfEach } = settings;
  const { warmUpMs, durationMs } = plan.settings;
  const env = { MONGO_URL: mongoUrl, MONGO_POOLSIZE: String(poolSizeOfEach) };
  const args = ['--clients', String(clients), '--processes', String(processes), ...FLAGS[handle]];
  const app = await startApp(env, { script: SERVER, args, signal });
  try {
    // The warm-up compiles the app's code, which costs CPU time once.
    const [measurement, before] = await Promise.all([
      runHttpLoad({ url: `${app.url}/db`, connections, warmUpMs, durationMs }, app),
      sleep(warmUpMs, undefined, { signal: app.signal }).then(() => app.ask('usage')),
    ]);
    const after = await app.ask('usage');
    const cpuUs = (after.cpuUs - before.cpuUs) / (after.requests - before.requests);
    return { ...measurement, measured: { ...measurement.measured, cpuUs } };
  } finally {
    await app.stop();
  }
}
