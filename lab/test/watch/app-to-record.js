// An app with four clients in each of two processes, as anyone might write it: one has a change stream, one has two
// connections, one has connections that do not last. It knows nothing of the lab. Its port is its first line of output.
import cluster from 'node:cluster';
import { once } from 'node:events';
import express from 'express';
import { MongoClient } from 'mongodb';

if (cluster.isPrimary) {
  const [worker] = [cluster.fork(), cluster.fork()];
  const [{ port }] = await once(worker, 'listening').then(([address]) => [address]);
  process.stdout.write(`${port}\n`);
  process.once('SIGTERM', () => process.exit());
} else {
  const url = new URL(String(process.env.APP_MONGO_URL));
  url.searchParams.set('maxPoolSize', '4');
  const main = new MongoClient(url.href, { appName: 'shop' });
  const reports = new MongoClient(url.href, { appName: 'reports', maxPoolSize: 2 });
  const audit = new MongoClient(url.href, { appName: 'audit', maxPoolSize: 1 });
  const brief = new MongoClient(url.href, { appName: 'brief', maxIdleTimeMS: 20 });
  for (const client of [main, reports, audit, brief]) await client.connect();
  const articlesOf = (/** @type {MongoClient} */ client) => client.db('app_to_record').collection('articles');
  articlesOf(main)
    .watch([], { maxAwaitTimeMS: 200 })
    .on('change', () => {});
  const app = express();
  app.get('/articles/:id', async (req, res) => {
    res.json(await articlesOf(main).findOne({}));
  });
  app.get('/report', async (req, res) => {
    const article = await articlesOf(reports).findOne({ $where: 'sleep(15) || true' });
    await audit.db('app_to_record').collection('log').insertOne({ reported: article?._id });
    res.json(article);
  });
  app.get('/brief', async (req, res) => {
    res.json(await articlesOf(brief).findOne({}));
  });
  app.listen(0, '127.0.0.1');
}
