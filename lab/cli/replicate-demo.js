import { formatNumber } from 'mongodb-pool-page/universal/quantity.js';
import { createClient } from '../../src/mongo/client.js';
import { startEmbeddedMongo } from '../../src/mongo/embedded.js';
import { readSettings } from '../../src/settings.js';
import { runBusyShop } from '../workshop/busy-shop.js';
import { runUntilSignal } from './signals.js';
import { StatusLine } from './status-line.js';

/** Where they are free: the lesson on replication names them. */
const PORTS = [27117, 27118];

/** Runs two MongoDBs until Ctrl-C. A shop writes to the first one, and the other one is empty. */
export async function runReplicationDemo() {
  await runUntilSignal(run, 'Stopped: both MongoDBs have ended, and their data is removed.');
}

/** @param {AbortSignal} signal */
async function run(signal) {
  const report = (/** @type {string} */ line) => process.stderr.write(`${line}\n`);
  /** What ends what was started, the last first. @type {(() => unknown)[]} */
  const ends = [];
  try {
    const mongos = [];
    for (const port of PORTS) {
      const mongo = await startEmbeddedMongo({ ...readSettings(), ports: [port], report, signal });
      ends.push(mongo.stop);
      mongos.push(mongo);
    }
    const client = createClient(mongos[0].url, { poolSize: 2 });
    ends.push(() => client.close());
    const [source, target] = mongos.map(({ url }) => `mongodb://${new URL(url).host}`);
    report('Two MongoDBs are running. A shop writes to the first one, and the second one is empty.');
    report('Ctrl-C ends them. In another terminal:\n');
    report(`npx pool-lab replicate --source ${source} --target ${target}\n`);
    let done = 0;
    const status = new StatusLine(process.stderr, () => `the shop has done ${formatNumber(done)} operations`);
    ends.push(() => status.stop());
    const onWrite = (/** @type {number} */ operations) => {
      done = operations;
    };
    await Promise.race([
      runBusyShop(client, { signal, onWrite }),
      ...mongos.map(async ({ died }) => Promise.reject(await died)),
    ]);
    signal.throwIfAborted();
  } finally {
    for (const end of ends.toReversed()) await end();
  }
}
