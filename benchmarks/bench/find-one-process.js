// argv: the kind of client. It looks up a document again and again on 'run', and says how fast.
import { MongoClient } from 'mongodb';
import { Checkouts, EventBatch, monitorPool } from 'mongodb-pool-monitor';
import { onParentGone } from '../../src/process/parent.js';

const OPERATIONS = 4000;
const WORKERS = 20;
const POOL_SIZE = 10;

const [, , kind] = process.argv;
const client = new MongoClient(String(process.env.MONGO_URL), { maxPoolSize: POOL_SIZE });
if (kind.startsWith('monitor')) {
  const batch = new EventBatch({ size: kind.includes('batches') ? 64 : 1 });
  const monitor = monitorPool(client, { batch });
  if (kind.includes('record')) new Checkouts({ batch }).watch(monitor);
}
const customers = client.db('lab').collection('customers');
process.on('message', async (message) => {
  if (message !== 'run') return;
  let left = OPERATIONS;
  const startedAtMs = performance.now();
  const before = process.cpuUsage();
  await Promise.all(
    Array.from({ length: WORKERS }, async () => {
      while (left-- > 0) await customers.findOne({});
    }),
  );
  const { user, system } = process.cpuUsage(before);
  process.send?.({
    ratePerSec: (OPERATIONS / (performance.now() - startedAtMs)) * 1000,
    cpuUs: (user + system) / OPERATIONS,
  });
});
onParentGone(() => process.exit());
await customers.findOne({});
process.send?.({});
