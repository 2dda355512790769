// The app's two routes on the driver of 2020, for `run mixed --driver 3`. The argument is the folder where it is
// installed.
import { createRequire } from 'node:module';
import path from 'node:path';
import { createExpress } from '../../../../src/http/create-express.js';
import { listen } from '../../../../src/http/listen.js';
import { customersOf, pickEmail, seedCustomers } from '../../../../src/mongo/demo-data.js';
import { createSlowQuery, measureLateness } from '../../../../src/mongo/slow-query.js';
import { onParentGone } from '../../../../src/process/parent.js';
import { readSettings } from '../../../../src/settings.js';

const { MongoClient } = createRequire(path.join(process.argv[2], 'package.json'))('mongodb');
const settings = readSettings();

/**
 * The driver asks a connection of the pool every 10 s how the server is. While all are busy, that blocks the queue, and
 * the figures differ from run to run. So it asks less often than a load test lasts.
 */
const ASK_EVERY_MS = 300_000;

/** @param {number} [poolSize] a number: the text of an environment variable would limit nothing */
const connect = (poolSize) => MongoClient.connect(settings.mongoUrl, { poolSize, haInterval: ASK_EVERY_MS });

/** Seeds the data with another client, for the reason given below. */
async function prepare() {
  const client = await connect();
  await seedCustomers(client);
  const late = await measureLateness(client);
  await client.close();
  return late;
}

// Nothing here needs to be closed.
onParentGone(() => process.exit());
try {
  const late = await prepare();
  const client = await connect(settings.poolSize);
  const runSlowQuery = createSlowQuery(client, late);
  // A full pool sends queries down its busy connections in turn, so the number of queries that were sent before decides
  // which one waits behind which: with 3 connections the slowest request takes 7, 8 or 9 s. After these it is the
  // article's 9 s.
  await runSlowQuery(1);
  await customersOf(client).findOne({});
  const app = createExpress();
  app.get('/slow', async (req, res) => {
    await runSlowQuery(settings.slowMs);
    res.json({ query: 'slow', serverMs: settings.slowMs });
  });
  app.get('/fast', async (req, res) => {
    res.json({ query: 'fast', customer: await customersOf(client).findOne({ email: pickEmail() }) });
  });
  process.send?.({ url: (await listen(app, settings)).url });
} catch (error) {
  process.stderr.write(`${/** @type {Error} */ (error).message}\n`, () => process.exit());
}
