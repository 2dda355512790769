// @ts-nocheck The library is not a dependency of the project.
import express from 'express';
import { MongoClient } from 'mongodb';
import { reportUsage } from './report-usage.mjs';

const client = await MongoClient.connect(process.env.MONGO_URL, { maxPoolSize: 10 });
const users = client.db('shop').collection('users');

const app = express();
app.get('/users/:id', async (req, res) => {
  res.json(await users.findOne({ _id: Number(req.params.id) }));
});
// Heavier, as most requests of real apps are.
app.get('/users', async (req, res) => {
  res.json(await users.find().limit(100).toArray());
});
const server = app.listen(0, '127.0.0.1', () => reportUsage(server));
