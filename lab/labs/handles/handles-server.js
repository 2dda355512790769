import cluster from 'node:cluster';
import { once } from 'node:events';
import { parseArgs } from 'node:util';
import { sum } from 'mongodb-pool-predictor/statistics';
import { listen } from '../../../src/http/listen.js';
import { createLogger } from '../../../src/base/logger.js';
import { connectClient, createClient } from '../../../src/mongo/client.js';
import { onParentGone } from '../../../src/process/parent.js';
import { readSettings } from '../../../src/settings.js';
import { createApp, createBareApp, createLookUp } from './handles-app.js';

const {
  values: { processes, clients, gather, bare },
} = parseArgs({
  options: {
    processes: { type: 'string', default: '1' },
    clients: { type: 'string', default: '1' },
    gather: { type: 'boolean', default: false },
    bare: { type: 'boolean', default: false },
  },
});

let requests = 0;

/** Serves `GET /db`. */
async function startServer() {
  const settings = readSettings();
  const opened = Array.from({ length: Number(clients) }, () => createClient(String(settings.mongoUrl), settings));
  await Promise.all(opened.map((client) => connectClient(client)));
  const app = (bare ? createBareApp : createApp)(createLookUp(opened, { gather }), createLogger(settings.logLevel));
  const server = await listen((req, res) => {
    requests += 1;
    app(req, res);
  }, settings);
  return server.url;
}

/** Node.js distributes new connections of a shared port round robin: https://nodejs.org/api/cluster.html */
async function startCluster() {
  let url = '';
  for (let started = 0; started < Number(processes); started++) {
    const worker = cluster.fork();
    const exited = once(worker, 'exit').then(() => {
      throw new Error('a process of the app exited');
    });
    const [message] = await Promise.race([once(worker, 'message'), exited]);
    ({ url } = message);
  }
  return url;
}

/** @returns {Promise<Usage>} of this process and its workers, so far */
async function readUsage() {
  const { user, system } = process.cpuUsage();
  const usages = [{ requests, cpuUs: user + system }];
  for (const worker of Object.values(cluster.workers ?? {})) {
    worker?.send('usage');
    const [usage] = await once(/** @type {import('node:cluster').Worker} */ (worker), 'message');
    usages.push(usage);
  }
  return { requests: sum(usages.map((each) => each.requests)), cpuUs: sum(usages.map((each) => each.cpuUs)) };
}

/** @typedef {{ requests: number, cpuUs: number }} Usage requests that came, and CPU time in microseconds */

process.on('message', async () => process.send?.(await readUsage()));
// At any moment: nothing here needs to be closed.
onParentGone(() => process.exit());
try {
  const url = await (cluster.isPrimary && Number(processes) > 1 ? startCluster() : startServer());
  process.send?.({ url });
} catch (error) {
  process.stderr.write(`${/** @type {Error} */ (error).message}\n`, () => process.exit());
}
