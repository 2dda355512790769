// An app whose requests wait for one reason or another. APP_CASE says which; see AppCase in cases.js. It knows nothing
// of the lab.
import { setTimeout as sleep } from 'node:timers/promises';
import express from 'express';
import { Long, MongoClient } from 'mongodb';

/** @type {import('./cases.js').AppCase} */
const { options, routes, streams = 0, reportOptions } = JSON.parse(String(process.env.APP_CASE));
const url = String(process.env.MONGO_URL);
const clients = { main: new MongoClient(url, options), reports: new MongoClient(url, reportOptions ?? options) };
const articles = () => clients.main.db('doctor').collection('articles');
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

const app = express();
for (const [path, { steps, limit = Infinity }] of Object.entries(routes)) {
  let running = 0;
  /** @type {(() => void)[]} */
  const waiting = [];
  app.get(path, async (req, res) => {
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
