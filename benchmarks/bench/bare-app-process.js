// What the lab's app is compared with: the same query behind node:http or a bare Express, with one client.
import { once } from 'node:events';
import { createServer } from 'node:http';
import express from 'express';
import { MongoClient } from 'mongodb';
import { customersOf, pickEmail } from '../../src/mongo/demo-data.js';
import { createSlowQuery } from '../../src/mongo/slow-query.js';
import { onParentGone } from '../../src/process/parent.js';

/** Longer than any comparison. */
const SLOW_MS = 60_000;

onParentGone(() => process.exit());
const { MONGO_URL, MONGO_POOLSIZE, MONGO_WAIT_QUEUE_TIMEOUT_MS = 0 } = process.env;
const client = await MongoClient.connect(String(MONGO_URL), {
  maxPoolSize: Number(MONGO_POOLSIZE), waitQueueTimeoutMS: Number(MONGO_WAIT_QUEUE_TIMEOUT_MS),
});
const customers = customersOf(client);
const findOne = async () => ({ query: 'fast', customer: await customers.findOne({ email: pickEmail() }) });
const runSlowQuery = createSlowQuery(client);

const server = createServer(process.argv[2] === 'express' ? createApp() : answerBare).listen(0, '127.0.0.1');
await once(server, 'listening');
const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
process.send?.({ url: `http://127.0.0.1:${port}` });

function createApp() {
  const app = express();
  app.disable('etag');
  app.get('/fast', async (req, res) => {
    try {
      res.json(await findOne());
    } catch (error) {
      res.status(503).json({ error: /** @type {Error} */ (error).message });
    }
  });
  app.get('/slow', async (req, res) => res.json(await runSlowQuery(SLOW_MS)));
  return app;
}

/** @type {import('node:http').RequestListener} */
async function answerBare(req, res) {
  const body = JSON.stringify(await findOne());
  res.writeHead(200, { 'Content-Type': 'application/json; charset=utf-8', 'Content-Length': Buffer.byteLength(body) }).end(body);
}
