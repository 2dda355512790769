// An app whose routes send queries of adjustable length. APP_ROUTES says which; see AppQuery in loads.js. It knows
// nothing of the lab.
import express from 'express';
import { MongoClient } from 'mongodb';

/** @import { AppQuery } from './loads.js' */

const client = new MongoClient(String(process.env.MONGO_URL), { maxPoolSize: Number(process.env.APP_POOL) });
await client.connect();
const db = client.db('shop');

/** How often a loop of the server turns in a ms, about. */
const TURNS_PER_MS = 25_000;
const SAMPLES = 9;
/** What each query takes beside its sleep or its loop, above all to start a JavaScript engine. */
let fixedMs = 0;

/** @param {AppQuery} query @param {number} stretch its length beside the usual one */
function send([command, collection, usualMs, isBusy], stretch) {
  const ms = Math.max(0, usualMs * stretch - fixedMs);
  const waits = `sleep(${Math.round(ms)}) || true`;
  const works = `let sum = 0; for (let i = 0; i < ${ms * TURNS_PER_MS}; i++) sum += i % 7; return sum >= 0`;
  const filter = { $where: isBusy ? works : waits };
  const documents = db.collection(collection);
  return command === 'find' ? documents.findOne(filter) : documents.distinct('_id', filter);
}

/** @type {Record<string, AppQuery[]>} */
const routes = JSON.parse(String(process.env.APP_ROUTES));
const tookMs = [];
for (let sample = 0; sample < SAMPLES; sample++) {
  const startedAtMs = performance.now();
  await send(Object.values(routes)[0][0], 0);
  tookMs.push(performance.now() - startedAtMs);
}
fixedMs = tookMs.sort((a, b) => a - b)[(SAMPLES - 1) / 2];

const app = express();
for (const [path, queries] of Object.entries(routes))
  app.get(path, async (req, res) => {
    for (const query of queries) await send(query, Number(req.query.stretch));
    res.json({});
  });
app.listen(0, '127.0.0.1');
