import { createRequire } from 'node:module';
import path from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
import { MongoClient } from 'mongodb';
import { findTimeouts } from 'mongodb-pool-predictor';
import { install } from 'test-support/installations.js';
import { sharedMongoUrl } from 'test-support/mongod.js';

const TIMEOUT_MS = 200;
const NAMES = ['alice', 'bob'];
/** The driver sends a command, and waits for its answer, within this many microtasks after `commandStarted`. */
const MICROTASKS = 8;

const own = new MongoClient(sharedMongoUrl());
const people = own.db('timeout_warnings').collection('people');
afterAll(async () => {
  await people.drop();
  await own.close();
});

/**
 * Lets alice's query time out, because the event loop is blocked shortly after it began.
 * @param {any} driver
 * @param {number} microtasks after which it is blocked
 * @returns {Promise<unknown>} whom the next query, for bob, finds on the same connection
 */
async function findBob(driver, microtasks) {
  const options = { maxPoolSize: 1, timeoutMS: TIMEOUT_MS, monitorCommands: true };
  const client = new driver.MongoClient(sharedMongoUrl(), options);
  const { dbName, collectionName } = people;
  const find = (/** @type {string} */ _id) =>
    client
      .db(dbName)
      .collection(collectionName)
      .findOneAndUpdate({ _id }, { $inc: { seen: 1 } });
  try {
    await find('bob');
    client.once('commandStarted', async () => {
      for (let done = 0; done < microtasks; done++) await null;
      const endMs = performance.now() + TIMEOUT_MS + 1;
      while (performance.now() < endMs);
    });
    await find('alice').catch(() => {});
    return await find('bob').then(
      (/** @type {{ _id: string }} */ { _id }) => _id,
      () => 'nobody',
    );
  } finally {
    await client.close();
  }
}

// The `libraries` have driver 6.22.
test.each(
  /** @type {const} */ ([
    ['drivers', 'mongodb-6.20', ['unsafeTimeout']],
    ['drivers', 'mongodb-7.0', ['unsafeTimeout']],
    ['drivers', 'mongodb-7.5', ['unsafeTimeout']],
    ['libraries', 'mongodb6', []],
    ['libraries', 'mongodb', []],
  ]),
)('after a time-out, an operation gets the answer of another one only where it is said: %s/%s', async (...row) => {
  const [from, name, expected] = row;
  const driver = path.join(await install(from), name);
  await people.deleteMany({});
  await people.insertMany(NAMES.map((_id) => /** @type {any} */ ({ _id })));
  const found = [];
  const load = createRequire(import.meta.url);
  for (let microtasks = 0; microtasks < MICROTASKS; microtasks++) found.push(await findBob(load(driver), microtasks));
  const { version } = load(path.join(driver, 'package.json'));
  const options = { timeoutMS: { value: TIMEOUT_MS } };
  const unsafe = findTimeouts([{ name: null, driver: version, options }]).filter(
    ({ kind }) => kind === 'unsafeTimeout',
  );
  expect(unsafe.map(({ kind }) => kind)).toEqual(expected);
  expect(found.includes('alice')).toBe(expected.length > 0);
});
