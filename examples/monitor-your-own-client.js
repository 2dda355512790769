// Monitors the pool of a MongoClient that is too small for its work, and records every checkout, so that
// `pool-lab predict --trace own.jsonl` can predict what another pool size would have done.
//
//   node examples/monitor-your-own-client.js mongodb://localhost:27017 own.jsonl
import { MongoClient } from 'mongodb';
import { Checkouts, createTraceWriter, monitorPool } from 'mongodb-pool-monitor';

const client = new MongoClient(process.argv[2] ?? 'mongodb://localhost:27017', {
  maxPoolSize: 2,
  monitorCommands: true,
});
const trace = await createTraceWriter(process.argv[3] ?? 'own.jsonl');
const monitor = monitorPool(client, { record: trace });
const checkouts = new Checkouts();
checkouts.watch(monitor);

const work = Array.from({ length: 100 }, () =>
  checkouts.run({ route: '/customers' }, () => client.db('example').collection('customers').findOne({})),
);
await Promise.all(work);

const { totals } = monitor.snapshot();
process.stdout.write(
  `${totals.checkedOut} checkouts over ${totals.total} connections, ` +
    `up to ${totals.peakWaiting} callers waiting\n` +
    `half of them waited ${totals.wait.p50Ms} ms or longer, the longest ${totals.wait.maxMs} ms\n`,
);
await client.close();
await trace.close();
