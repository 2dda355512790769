// An app with two clients, each with a pool of its own.
import http from 'node:http';
import { MongoClient } from 'mongodb';

const [web, reports] = ['web', 'reports'].map(
  (appName) => new MongoClient(process.env.MONGODB_URI ?? '', { appName, maxPoolSize: 5 }),
);
await Promise.all([web.connect(), reports.connect()]);
http
  .createServer(async (req, res) => {
    const client = req.url === '/web' ? web : reports;
    const items = client.db('two_clients').collection('items');
    await items.findOneAndUpdate({}, { $set: { seen: true } }, { upsert: true });
    await items.find({ $where: 'sleep(50) || true' }).toArray();
    res.end();
  })
  .listen(0, '127.0.0.1');
