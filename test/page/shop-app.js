// A plain app that knows nothing of this project: some routes, two clients, work outside of requests, and a cursor that
// stays open.
import { createServer } from 'node:http';
import { MongoClient } from 'mongodb';

const url = String(process.env.MONGO_URL);
const client = new MongoClient(url, { maxPoolSize: 4 });
const jobs = new MongoClient(url, { maxPoolSize: 2, appName: 'jobs' });
const database = client.db('shop');

/** @param {MongoClient} on @param {number} ms */
const sleep = (on, ms) =>
  on
    .db('shop')
    .collection('orders')
    .findOne({ $expr: { $function: { body: `function() { sleep(${ms}); return true; }`, args: [], lang: 'js' } } });

/** @type {Record<string, () => Promise<unknown>>} */
const routes = {
  '/customers': () => database.collection('orders').findOne({}),
  '/orders': () => database.collection('orders').countDocuments(),
  '/search': () => sleep(client, 30),
  '/report': () => sleep(client, 5000),
  '/export': () => sleep(jobs, 800),
  '/a-route-that-is/quite-a-long-one/that-nobody/wants-to-read/and-has-no-space/in-its-long-name': () =>
    sleep(client, 2000),
  '/follow': async () => {
    follow().catch(() => {});
  },
  '/both': () => Promise.all([sleep(client, 1500), sleep(client, 1500)]),
};

await database.dropDatabase();
await database.collection('orders').insertOne({ number: 1 });
const news = await database.createCollection('news', { capped: true, size: 4096 });
await news.insertOne({ text: 'open' });

/** Takes a connection for good. */
async function follow() {
  for await (const { text } of news.find({}, { tailable: true, awaitData: true, maxAwaitTimeMS: 600_000 })) {
    if (text === 'over') return;
  }
}
setInterval(() => database.collection('orders').findOne({}), 500);

const server = createServer(async (req, res) => {
  const answer = routes[String(req.url)];
  if (answer)
    await answer().then(
      () => res.end('{}'),
      (error) => res.writeHead(500).end(String(error)),
    );
  else res.writeHead(404).end();
}).listen(0, '127.0.0.1', () => {
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  process.stdout.write(`http://127.0.0.1:${port}\n`);
});
