// An app that writes to the primary of a replica set, and reads from its secondaries.
import { createServer } from 'node:http';
import { MongoClient } from 'mongodb';

const client = new MongoClient(String(process.env.MONGO_URL), { maxPoolSize: 2 });
const things = client.db('shop').collection('things');
await things.insertOne({ number: 1 }, { writeConcern: { w: 3 } });

/** @param {import('mongodb').ReadPreferenceMode} readPreference */
const sleep = (readPreference) =>
  things.findOne(
    { $expr: { $function: { body: 'function() { sleep(6000); return true; }', args: [], lang: 'js' } } },
    { readPreference },
  );
const quick = () =>
  Promise.all(Array.from({ length: 8 }, () => things.findOne({}, { readPreference: 'secondaryPreferred' })));

const server = createServer(async (req, res) => {
  if (req.url === '/quick') await quick();
  else await sleep(req.url === '/primary' ? 'primary' : 'secondaryPreferred');
  res.end();
}).listen(0, '127.0.0.1', () => {
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  process.stdout.write(`http://127.0.0.1:${port}\n`);
});
