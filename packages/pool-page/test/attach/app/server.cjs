// @ts-nocheck The libraries are not dependencies of the project.
// Like the apps of shapes.mjs, with Express. What starts it differs, and it can be bundled.
const express = require('express');
const { MongoClient } = require('mongodb');

const client = new MongoClient(process.env.MONGO_URL, { maxPoolSize: 1, minPoolSize: 1, appName: 'shop' });
const users = client.db('shapes').collection('users');
const app = express();
app.get('/users/:id', async (req, res) => res.json(await Promise.all([users.findOne({}), users.findOne({})])));
const server = app.listen(0, '127.0.0.1', () => process.stdout.write(`listening ${server.address().port}\n`));
