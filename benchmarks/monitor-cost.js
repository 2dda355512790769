// What the monitor and the record of checkouts cost: findOne throughput of plain clients, of monitored ones and of
// ones whose checkouts are recorded too. Each kind is a process of its own, and they take turns on one mongod, since a
// machine's speed changes by the minute; the ratio is the median over the turns.
//
//   node benchmarks/monitor-cost.js [--turns 15]
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { Command } from 'commander';
import { MongoClient } from 'mongodb';
import { parsePositive } from '../src/cli/options.js';
import { startEmbeddedMongo } from '../src/mongo/embedded.js';
import { createCheckouts } from '../src/pool/checkouts.js';
import { monitorPool } from '../src/pool/monitor.js';
import { quantile } from '../src/predict/quantile.js';
import { readSettings } from '../src/settings.js';

const KINDS = ['plain', 'plain again', 'monitor', 'monitor and record'];
const OPERATIONS = 4000;
const CALLERS = 20;
const POOL_SIZE = 10;

if (process.send) await serve();
else await compare();

/** The child: runs a turn when it is asked to, and tells its operations a second. */
async function serve() {
  const [kind, url] = process.argv.slice(2);
  const client = new MongoClient(url, { maxPoolSize: POOL_SIZE });
  if (kind.startsWith('monitor')) {
    const monitor = monitorPool(client);
    if (kind.endsWith('record')) createCheckouts().watch(monitor);
  }
  const customers = client.db('lab').collection('customers');
  process.on('message', async () => {
    let left = OPERATIONS;
    const startedAtMs = performance.now();
    await Promise.all(Array.from({ length: CALLERS }, async () => {
      while (left-- > 0) await customers.findOne({});
    }));
    process.send?.(OPERATIONS / (performance.now() - startedAtMs) * 1000);
  });
  process.once('disconnect', () => client.close());
}

async function compare() {
  const { turns } = new Command('monitor-cost.js').option('--turns <n>', 'of each kind', parsePositive, 15).parse().opts();
  const mongo = await startEmbeddedMongo({ ...readSettings(), report: (line) => process.stderr.write(`${line}\n`) });
  const children = KINDS.map((each) => fork(new URL(import.meta.url), [each, mongo.url]));
  const rates = KINDS.map(() => /** @type {number[]} */ ([]));
  // The first two turns warm up the pools, the code and the cache.
  for (let turn = -2; turn < turns; turn += 1) {
    for (const [index, child] of children.entries()) {
      child.send('run');
      const [rate] = await once(child, 'message');
      if (turn >= 0) rates[index].push(rate);
    }
  }
  for (const [index, each] of KINDS.entries()) {
    const ratios = rates[index].map((rate, turn) => rate / rates[0][turn]);
    process.stdout.write(`${each.padEnd(20)} ${quantile(rates[index], 0.5).toFixed(0)} findOne/s, `
      + `median ratio to plain ${quantile(ratios, 0.5).toFixed(3)}\n`);
  }
  for (const child of children) child.disconnect();
  await Promise.all(children.map((child) => once(child, 'exit')));
  await mongo.stop();
}
