// @ts-nocheck The libraries are not dependencies of the project.
const express = require('express');
const { MongoClient } = require('mongodb');

const client = new MongoClient(process.env.MONGODB_URI, { maxPoolSize: 1 });
const app = express();
app.get('/users/:id', async (req, res) => {
  res.json(await client.db('start_scripts').collection('users').find({}).toArray());
});
client.connect().then(() => app.listen(process.env.PORT, '127.0.0.1'));
