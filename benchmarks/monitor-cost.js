// What do the monitor and the checkout record cost? Compares the findOne throughput of plain clients, monitored clients
// and monitored clients with recorded checkouts, and the processor time of a findOne. Each kind runs in a separate process.
// They take turns on one mongod, because the speed of a machine drifts. The ratios are medians over the turns.
// monitor-work.js shows the monitor's share alone.
//
//   node benchmarks/monitor-cost.js [--turns 15]
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { Command } from 'commander';
import { MongoClient } from 'mongodb';
import { Checkouts, monitorPool } from 'mongodb-pool-monitor';
import { quantile } from 'mongodb-pool-predictor';
import { parsePositive } from '../src/cli/option-parsers.js';
import { startEmbeddedMongo } from '../src/mongo/embedded.js';
import { readSettings } from '../src/settings.js';

/** The second plain client shows the noise. */
const KINDS = ['plain', 'plain again', 'monitor', 'monitor and record'];
const OPERATIONS = 4000;
const WORKERS = 20;
const POOL_SIZE = 10;
/** They fill the pools and the cache and let the code be compiled. */
const WARM_UP_TURNS = 2;

if (process.send) await serve();
else await compare();

/** @typedef {{ ratePerSec: number, cpuUs: number }} Turn cpuUs: the process's processor time for each findOne */

/** The child: runs a turn on every message and replies with what it measured. */
async function serve() {
  const [kind, url] = process.argv.slice(2);
  const client = new MongoClient(url, { maxPoolSize: POOL_SIZE });
  if (kind.startsWith('monitor')) {
    const monitor = monitorPool(client);
    if (kind.endsWith('record')) new Checkouts().watch(monitor);
  }
  const customers = client.db('lab').collection('customers');
  process.on('message', async () => {
    let left = OPERATIONS;
    const startedAtMs = performance.now();
    const before = process.cpuUsage();
    await Promise.all(Array.from({ length: WORKERS }, async () => {
      while (left-- > 0) await customers.findOne({});
    }));
    const { user, system } = process.cpuUsage(before);
    process.send?.({ ratePerSec: OPERATIONS / (performance.now() - startedAtMs) * 1000, cpuUs: (user + system) / OPERATIONS });
  });
  process.once('disconnect', () => client.close());
}

async function compare() {
  const { turns } = new Command('monitor-cost.js')
    .description('Measures what the monitor and the checkout record cost in findOne throughput.')
    .option('--turns <n>', 'turns of each kind of client', parsePositive, 15)
    .parse().opts();
  const mongo = await startEmbeddedMongo({ ...readSettings(), report: (line) => process.stderr.write(`${line}\n`) });
  const children = KINDS.map((kind) => fork(new URL(import.meta.url), [kind, mongo.url]));
  const measured = KINDS.map(() => /** @type {Turn[]} */ ([]));
  for (let turn = -WARM_UP_TURNS; turn < turns; turn += 1) {
    for (const [index, child] of children.entries()) {
      child.send('run');
      const [message] = await once(child, 'message');
      if (turn >= 0) measured[index].push(message);
    }
  }
  for (const [index, kind] of KINDS.entries()) {
    /** @param {keyof Turn} what */
    const describe = (what) => {
      const values = measured[index].map((turn) => turn[what]);
      const ratios = values.map((value, turn) => value / measured[0][turn][what]);
      return [quantile(values, 0.5).toFixed(0), `median ratio to plain ${quantile(ratios, 0.5).toFixed(3)}`];
    };
    const [rate, rateRatio] = describe('ratePerSec');
    const [cpu, cpuRatio] = describe('cpuUs');
    process.stdout.write(`${kind.padEnd(20)} ${rate} findOne/s, ${rateRatio}; ${cpu} us of processor time each, ${cpuRatio}\n`);
  }
  for (const child of children) child.disconnect();
  await Promise.all(children.map((child) => once(child, 'exit')));
  await mongo.stop();
}
