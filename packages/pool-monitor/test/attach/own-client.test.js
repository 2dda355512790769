import { expect, test } from '@jest/globals';
import { MongoClient } from 'mongodb';
import { cleanUp } from 'test-support/cleanup.js';
import { sharedMongoUrl } from 'test-support/mongod.js';
import { createOwnClient, isOwnClient } from '../../src/attach/own-client.js';
import { createServerWatch } from '../../src/core/server-watch.js';

/** @param {MongoClient} client */
const watched = (client) => /** @type {any} */ ({ client });

test("it has the app's options, also those that only its code has, but a pool of its own", () => {
  const app = new MongoClient('mongodb://localhost:1,localhost:2/?replicaSet=rs', {
    appName: 'shop',
    maxPoolSize: 7,
    minPoolSize: 3,
    waitQueueTimeoutMS: 5,
    auth: { username: 'user', password: 'secret' },
    tls: true,
  });
  const own = createOwnClient([watched(app)]);
  expect(own.options).toMatchObject({
    appName: 'shop',
    maxPoolSize: 1,
    minPoolSize: 0,
    waitQueueTimeoutMS: 0,
    replicaSet: 'rs',
    credentials: { username: 'user', password: 'secret' },
    tls: true,
  });
  expect([app, own].map(isOwnClient)).toEqual([false, true]);
  expect(app.options).toMatchObject({ maxPoolSize: 7, minPoolSize: 3 });
  expect(() => createOwnClient([])).toThrow('the app has closed its clients');
});

test('the server is asked over it, and readings at the same time are one', async () => {
  const app = new MongoClient(sharedMongoUrl());
  cleanUp(() => app.close());
  let created = 0;
  const watch = createServerWatch(() => {
    created += 1;
    return createOwnClient([watched(app)]);
  });
  const [first, second] = await Promise.all([watch.read(), watch.read()]);
  expect(second).toBe(first);
  expect(first).toMatchObject({
    version: expect.stringMatching(/^\d+\.\d+/),
    cores: expect.any(Number),
    ticketsTotal: expect.any(Number),
    queued: expect.any(Number),
  });
  await watch.read();
  expect(created).toBe(1);
  // It opens again for who asks later.
  await watch.close();
  await watch.read();
  expect(created).toBe(2);
  await watch.close();
});
