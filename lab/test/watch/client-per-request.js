// An app that creates a client in each request, and closes it. It prints its port.
import http from 'node:http';
import { MongoClient } from 'mongodb';

/** @template T @param {(client: MongoClient) => Promise<T>} work */
async function withClient(work) {
  const client = new MongoClient(String(process.env.APP_MONGO_URL));
  try {
    return await work(client);
  } finally {
    await client.close();
  }
}

const server = http.createServer(async (req, res) => {
  await withClient((client) => client.db('client_per_request').collection('articles').findOne());
  res.end();
});
server.listen(0, '127.0.0.1', () => {
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  process.stdout.write(`${port}\n`);
});
