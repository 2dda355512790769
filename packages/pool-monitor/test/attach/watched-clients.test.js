import { expect, test } from '@jest/globals';
import { MongoClient } from 'mongodb';
import { sharedMongoUrl } from 'test-support/mongod.js';
import { EventBatch } from '../../src/core/event-batch.js';
import { WatchedClients } from '../../src/attach/watched-clients.js';

/** @param {number} [maxPoolSize] that replaces the client's */
function watch(maxPoolSize) {
  const clients = new WatchedClients({
    guard: (work) => work,
    batch: new EventBatch({}),
    maxPoolSize,
    onClient: () => () => {},
    onChange() {},
  });
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

test('a client that has connected keeps its own', async () => {
  const client = await new MongoClient(sharedMongoUrl(), { maxPoolSize: 50 }).connect();
  expect(watch(4)(client)).toEqual({ replacedMaxPoolSize: null, max: 50, min: 0 });
  await client.close();
});
