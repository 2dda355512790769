// Watches the pool of any MongoClient while it is too small for its work.
//
//   node examples/monitor-your-own-client.js mongodb://localhost:27017
import { MongoClient } from 'mongodb';
import { monitorPool } from 'mongodb-pool-lab';

const client = new MongoClient(process.argv[2] ?? 'mongodb://localhost:27017', { maxPoolSize: 2 });
const monitor = monitorPool(client);

const work = Array.from({ length: 100 }, () => client.db('example').collection('customers').findOne({}));
await Promise.all(work);

const { totals } = monitor.snapshot();
process.stdout.write(`${totals.checkedOut} checkouts over ${totals.total} connections, `
  + `up to ${totals.peakWaiting} callers waiting\n`
  + `half of them waited ${totals.wait.p50Ms} ms or longer, the longest ${totals.wait.maxMs} ms\n`);
await client.close();
