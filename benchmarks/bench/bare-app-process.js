// What the lab's app is compared with: the same query behind node:http or a bare Express, with one client.
import { once } from 'node:events';
import { createServer } from 'node:http';
import express from 'express';
import { MongoClient } from 'mongodb';
import { customersOf, pickEmail } from '../../src/mongo/demo-data.js';
import { onParentGone } from '../../src/process/parent.js';

onParentGone(() => process.exit());
const { MONGO_URL, MONGO_POOLSIZE } = process.env;
const client = await MongoClient.connect(String(MONGO_URL), { maxPoolSize: Number(MONGO_POOLSIZE) });
const customers = customersOf(client);
const findOne = async () => ({ query: 'fast', customer: await customers.findOne({ email: pickEmail() }) });

const server = createServer(process.argv[2] === 'express' ? createApp() : answerBare).listen(0, '127.0.0.1');
await once(server, 'listening');
const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
process.send?.({ url: `http://127.0.0.1:${port}` });

function createApp() {
  const app = express();
  app.disable('etag');
  app.get('/fast', async (req, res) => res.json(await findOne()));
  return app;
}

/** @type {import('node:http').RequestListener} */
async function answerBare(req, res) {
  const body = JSON.stringify(await findOne());
  res
    .writeHead(200, { 'Content-Type': 'application/json; charset=utf-8', 'Content-Length': Buffer.byteLength(body) })
    .end(body);
}
