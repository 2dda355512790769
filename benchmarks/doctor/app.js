// An app whose requests wait for one reason or another. APP_CASE says which; see AppCase in cases.js. It knows nothing
// of the lab.
import { setTimeout as sleep } from 'node:timers/promises';
import express from 'express';
import { Long, MongoClient } from 'mongodb';

/** @type {import('./cases.js').AppCase} */
const { options, routes, streams = 0, jobs = [], reportOptions } = JSON.parse(String(process.env.APP_CASE));
const url = String(process.env.MONGO_URL);
const clients = { main: new MongoClient(url, options), reports: new MongoClient(url, reportOptions ?? options) };
const articles = () => clients.main.db('doctor').collection('articles');
/** @returns {import('mongodb').Collection<any>} */
const counters = () => clients.main.db('doctor').collection('counters');
/** @returns {import('mongodb').Collection<{ _id: number, balance: number }>} */
const accounts = () => clients.main.db('doctor').collection('accounts');
/** @type {import('mongodb').Document} */
let topologyVersion;
clients.main.on('serverHeartbeatSucceeded', ({ reply: { topologyVersion: last } }) => {
  topologyVersion = { ...last, counter: Long.fromValue(last.counter) };
});
await clients.main.connect();

/**
 * Keeps a connection for `ms`: the server answers once its topology is another, which it never is, or after that time.
 * A `sleep` in `$where` would need CPU, for an engine of JavaScript for each query at once.
 *
 * @param {MongoClient} client
 * @param {number} ms
 */
const keep = (client, ms) => client.db('admin').command({ hello: 1, topologyVersion, maxAwaitTimeMS: ms });

/** @type {Record<string, (amount: number) => Promise<unknown>>} */
const STEPS = {
  find: () => articles().findOne({}),
  /** A query that keeps its connection for `ms` and needs no CPU. */
  hold: (ms) => keep(clients.main, ms),
  /** The same by a query that the driver tries again when it loses its server. */
  sleep: (ms) => articles().findOne({ $where: `sleep(${ms}) || true` }),
  /** The same of the second client. */
  report: (ms) => keep(clients.reports, ms),
  /** A query that needs CPU for about so many ms. */
  compute: (ms) =>
    articles().findOne({
      $where: `const end = ${ms} * 25000; let sum = 0; for (let i = 0; i < end; i++) sum += i % 7; return sum >= 0`,
    }),
  atOnce: (count) => Promise.all(Array.from({ length: count }, () => STEPS.hold(20))),
  /** One find that asks for its 12 documents in four batches, each of which keeps a connection for three times `ms`. */
  batches: (ms) =>
    clients.main
      .db('doctor')
      .collection('pages')
      .find({ $where: `sleep(${ms}) || true` })
      .batchSize(3)
      .toArray(),
  /** A cursor over 12 documents, a batch each, with a pause of `ms` before the next one; each batch takes as long. */
  async exportAll(ms) {
    const cursor = clients.main
      .db('doctor')
      .collection('pages')
      .find({ $where: `sleep(${ms}) || true` })
      .batchSize(1);
    for await (const document of cursor) await sleep(document ? ms : 0);
  },
  /** All change one document. */
  increment: () => counters().updateOne({ _id: 0 }, { $inc: { count: 1 } }, { upsert: true }),
  /** Waits for a majority of the members, and for their journals. */
  insert: () => counters().insertOne({ atMs: Date.now() }, { writeConcern: { w: 'majority', journal: true } }),
  /** A transaction that changes two of four documents, `ms` after each other. */
  async transfer(ms) {
    const [from, to] = [Math.floor(Math.random() * 4), Math.floor(Math.random() * 4)];
    await clients.main.withSession((session) =>
      session.withTransaction(async () => {
        await accounts().updateOne({ _id: from }, { $inc: { balance: -1 } }, { session, upsert: true });
        await sleep(ms);
        await accounts().updateOne({ _id: to }, { $inc: { balance: 1 } }, { session, upsert: true });
      }),
    );
  },
  elsewhere: (ms) => sleep(ms),
  async block(ms) {
    const end = performance.now() + ms;
    while (performance.now() < end);
  },
};

for (let stream = 0; stream < streams; stream++)
  articles()
    .watch([{ $match: { 'fullDocument.stream': stream } }], { maxAwaitTimeMS: 500 })
    .on('change', () => {})
    .on('error', () => {});

for (const { everyMs, count, step } of jobs)
  setInterval(() => {
    for (let query = 0; query < count; query++) STEPS[step[0]](step[1]).catch(() => {});
  }, everyMs);

const app = express();
for (const [path, { steps, limit = Infinity, cached = 0 }] of Object.entries(routes)) {
  let running = 0;
  let hits = 0;
  /** @type {(() => void)[]} */
  const waiting = [];
  app.get(path, async (req, res) => {
    hits += cached;
    if (hits >= 1) {
      hits -= 1;
      res.json({});
      return;
    }
    if (running >= limit) await new Promise((resolve) => waiting.push(() => resolve(undefined)));
    running += 1;
    try {
      for (const [step, amount] of steps) await STEPS[step](amount);
      res.json({});
    } finally {
      running -= 1;
      waiting.shift()?.();
    }
  });
}
app.listen(0, '127.0.0.1');
