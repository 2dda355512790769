// An app with two workers, each with the same client. They listen once both have connected.
import cluster from 'node:cluster';
import { once } from 'node:events';
import http from 'node:http';
import { MongoClient } from 'mongodb';

if (cluster.isPrimary) {
  const workers = [cluster.fork(), cluster.fork()];
  await Promise.all(workers.map((worker) => once(worker, 'message')));
  for (const worker of workers) worker.send('listen');
} else {
  const client = await MongoClient.connect(process.env.MONGODB_URI ?? '', { appName: 'shop' });
  const items = client.db('cluster').collection('items');
  await items.insertOne({});
  const server = http.createServer(async (req, res) => {
    // So long that both workers query at once, on a busy machine too.
    await items.findOne({ $where: 'sleep(100) || true' });
    // Each request comes over a connection of its own, so that the workers take turns.
    res.setHeader('Connection', 'close').end();
  });
  process.once('message', () => server.listen(0, '127.0.0.1'));
  process.send?.('connected');
}
