// Between a bare Express and the lab's app: the same route, with the first so many of the things that the lab's app adds.
import { once } from 'node:events';
import express from 'express';
import { MongoClient } from 'mongodb';
import { Checkouts, createRequests, monitorPool } from 'mongodb-pool-monitor';
import { createConcurrencyLimit } from '../../src/http/concurrency-limit.js';
import { createExpress } from '../../src/http/create-express.js';
import { RequestDeadline } from '../../src/http/request-deadline.js';
import { customersOf, pickEmail } from '../../src/mongo/demo-data.js';
import { onParentGone } from '../../src/process/parent.js';
import { LAYERS } from './layers.js';

/** @import { RequestHandler } from 'express' */

const TIMEOUT_MS = 150_000;

onParentGone(() => process.exit());
const has = (/** @type {keyof typeof LAYERS} */ name) => Object.keys(LAYERS).indexOf(name) < Number(process.argv[2]);
const client = await MongoClient.connect(String(process.env.MONGO_URL), { maxPoolSize: Number(process.env.MONGO_POOLSIZE) });
const checkouts = new Checkouts();
const requests = createRequests(checkouts, { serverTiming: has('serverTiming') });
const limit = createConcurrencyLimit(10_000);
if (has('monitor')) {
  const monitor = monitorPool(client);
  if (has('record')) checkouts.watch(monitor);
}

const app = has('headers') ? createExpress() : express();
app.disable('etag');
/** @type {RequestHandler} */
const follow = (req, res, next) => {
  const deadline = has('deadline') ? new RequestDeadline(res, TIMEOUT_MS) : undefined;
  const signal = has('signal') ? deadline?.signal : undefined;
  res.locals.signal = signal;
  const work = () => {
    deadline?.enter(limit);
    next();
  };
  if (has('requests')) requests.run(req, res, { route: '/fast', signal }, work);
  else work();
};
const customers = customersOf(client);
app.get('/fast', follow, async (req, res) => {
  const { signal } = res.locals;
  res.json({ query: 'fast', customer: await customers.findOne({ email: pickEmail() }, signal && { signal }) });
});
const server = app.listen(0, '127.0.0.1');
await once(server, 'listening');
const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
process.send?.({ url: `http://127.0.0.1:${port}` });
