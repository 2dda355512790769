// A plain app, as anyone might write it. It knows nothing of the lab. Its port is its first line of output.
import { getEventListeners } from 'node:events';
import { hasSubscribers } from 'node:diagnostics_channel';
import inspector from 'node:inspector';
import Module, { createRequire } from 'node:module';
import net from 'node:net';
import express from 'express';
import { MongoClient } from 'mongodb';

const client = new MongoClient(String(process.env.APP_MONGO_URL), { maxPoolSize: 3 });
const users = client.db('app_to_watch').collection('users');
if (!process.env.APP_IS_IDLE) await users.insertOne({ name: 'Ada' });
const { cache } = createRequire(import.meta.url);
if (process.env.APP_IS_BUNDLED) for (const file of Object.keys(cache)) delete cache[file];

/** The truth about checkouts, and when somebody else began to listen. */
let checkedOut = 0;
/** @type {number | null} */
let atAttach = null;
client.on('connectionCheckedOut', () => {
  checkedOut += 1;
});
client.on('newListener', (event) => {
  if (event === 'connectionCheckedOut') atAttach = checkedOut;
});

let heapSearches = 0;
const { connect } = inspector.Session.prototype;
inspector.Session.prototype.connect = function count() {
  heapSearches += 1;
  connect.call(this);
};

const original = {
  load: /** @type {any} */ (Module)._load,
  connect: MongoClient.prototype.connect,
  socket: net.Socket.prototype.connect,
};
const app = express();
app.get('/users/:id', async (req, res) => {
  res.json(await users.findOne({}));
});
app.get('/slow', async (req, res) => {
  res.json(await users.findOne({ $where: 'sleep(20) || true' }));
});
app.get('/state', (req, res) => {
  res.json({
    checkedOut,
    atAttach,
    heapSearches,
    traces: {
      listeners: client.eventNames().map((name) => [name, getEventListeners(client, name).length]),
      servers: process.getActiveResourcesInfo().filter((name) => name === 'TCPServerWrap').length,
      timers: process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length,
      inspector: inspector.url() ?? null,
      follows: hasSubscribers('http.server.request.start'),
      hooks: [
        /** @type {any} */ (Module)._load !== original.load,
        MongoClient.prototype.connect !== original.connect,
        net.Socket.prototype.connect !== original.socket,
      ],
    },
  });
});
const server = app.listen(0, '127.0.0.1', () => {
  process.stdout.write(`${/** @type {import('node:net').AddressInfo} */ (server.address()).port}\n`);
});
process.once('SIGTERM', async () => {
  server.close();
  server.closeAllConnections();
  await client.close();
});
