// @ts-nocheck The libraries are not dependencies of the project.
// Written as an ES module. The type can be read by a compiler alone.
import express from 'express';
import { MongoClient } from 'mongodb';

const url: string = process.env.MONGODB_URI;
const users = new MongoClient(url, { maxPoolSize: 1 }).db('start_scripts').collection('users');
const app = express();
app.get('/users/:id', async (req, res) => {
  res.json(await users.find({}).toArray());
});
app.listen(process.env.PORT, '127.0.0.1');
