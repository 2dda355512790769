import { expect, test } from '@jest/globals';
import { MongoClient } from 'mongodb';
import { sharedMongoUrl } from 'test-support/mongod.js';
import { EventBatch } from '../../src/core/event-batch.js';
import { WatchedClients } from '../../src/attach/watched-clients.js';

/** @param {number} [maxPoolSize] that replaces that of each client @param {string} [onlyClient] or of this one */
function watchNone(maxPoolSize, onlyClient) {
  return new WatchedClients({
    guard: (work) => work,
    batch: new EventBatch({}),
    maxPoolSize,
    onlyClient,
    onClient: () => () => {},
    onChange() {},
  });
}

/** @param {number} [maxPoolSize] that replaces the client's */
function watch(maxPoolSize) {
  const clients = watchNone(maxPoolSize);
  return (/** @type {MongoClient} */ client) => {
    clients.add(client);
    const { replacedMaxPoolSize } = clients.list()[0];
    clients.close();
    const { maxPoolSize: max, minPoolSize: min } = client.options;
    return { replacedMaxPoolSize, max, min };
  };
}

test('a client that has not connected gets the other maxPoolSize, and its minimum fits in it', () => {
  const client = () => new MongoClient(sharedMongoUrl(), { maxPoolSize: 50, minPoolSize: 10 });
  expect(watch(4)(client())).toEqual({ replacedMaxPoolSize: 50, max: 4, min: 4 });
  expect(watch(20)(client())).toEqual({ replacedMaxPoolSize: 50, max: 20, min: 10 });
  expect(watch()(client())).toEqual({ replacedMaxPoolSize: null, max: 50, min: 10 });
});

test('only the named client gets the other maxPoolSize', () => {
  const clients = watchNone(4, 'reports');
  for (const appName of ['web', 'reports'])
    clients.add(new MongoClient(sharedMongoUrl(), { appName, maxPoolSize: 50 }));
  expect(
    clients
      .list()
      .map(({ replacedMaxPoolSize, monitor }) => [replacedMaxPoolSize, monitor.describeClient().options.maxPoolSize]),
  ).toEqual([
    [null, { value: 50, from: 'code' }],
    [50, { value: 4, from: 'lab', own: 50 }],
  ]);
  clients.close();
});

test('a client that has connected keeps its own', async () => {
  const client = await new MongoClient(sharedMongoUrl(), { maxPoolSize: 50 }).connect();
  expect(watch(4)(client)).toEqual({ replacedMaxPoolSize: null, max: 50, min: 0 });
  await client.close();
});

test('a client has the name that its app, its database or its place gives it', async () => {
  const clients = watchNone();
  /** @param {string} path @param {object} [options] */
  const add = (path, options) => clients.add(new MongoClient(`mongodb://db.example:27017/${path}`, options));
  add('shop', { appName: 'web' });
  add('shop', { appName: 'web' });
  add('shop', { appName: 'web' });
  add('orders');
  add('test');
  const connected = await new MongoClient(sharedMongoUrl()).connect();
  clients.add(connected);
  const names = clients.list().map(({ monitor }) => monitor.name);
  const [, , third, , place, last] = names;
  expect(names.slice(0, 2)).toEqual(['web', 'shop']);
  expect(names[3]).toBe('orders');
  // This file is the app.
  const here = expect.stringMatching(/^(packages\/pool-monitor\/)?test\/attach\/watched-clients\.test\.js:\d+$/);
  expect([third, place]).toEqual([here, 'db.example:27017']);
  // Anything may use it by now.
  expect(last).toBe(new URL(sharedMongoUrl()).host);
  add('', { appName: 'web' });
  expect(clients.list().at(-1)?.monitor.name).toBe('web (2)');
  clients.close();
  await connected.close();
});
