// The article's app in a few lines, without anything of this project. The README finds out why it is slow when
// MONGO_POOLSIZE is 2, and which size it needs.
import express from 'express';
import { MongoClient } from 'mongodb';

const { MONGODB_URI = 'mongodb://127.0.0.1:27017', MONGO_POOLSIZE = '10', SLEEP_MS = '5000', PORT = '0' } = process.env;
const client = new MongoClient(MONGODB_URI, { maxPoolSize: Number(MONGO_POOLSIZE) });
await client.connect();
const customers = client.db('article').collection('customers');
await customers.replaceOne({ name: 'Kyle' }, { name: 'Kyle' }, { upsert: true });

const app = express();
// The administrator's query.
app.get('/slow', async (req, res) => {
  res.json(await customers.find({ $where: `sleep(${Number(SLEEP_MS)}) || true` }).toArray());
});
// The customer's.
app.get('/fast', async (req, res) => {
  res.json(await customers.findOne({ name: 'Kyle' }));
});
app.listen(Number(PORT), '127.0.0.1');
