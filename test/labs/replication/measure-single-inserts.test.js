import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { MongoClient } from 'mongodb';
import { measureLatency } from '../../../src/labs/replication/measure-single-inserts.js';
import { cleanUp } from '../../support/cleanup.js';
import { sharedMongoUrl } from '../../support/environment.js';

const DELAY_MS = 20;

test('a latency is at least the delay of the copy', async () => {
  const client = new MongoClient(sharedMongoUrl());
  cleanUp(() => client.close());
  const db = client.db('pool_lab_latency');
  cleanUp(() => db.dropDatabase());
  const [source, target] = ['source', 'target'].map((name) => db.collection(name));
  const insertOne = async (/** @type {any[]} */ ...args) => {
    const result = await source.insertOne(args[0]);
    sleep(DELAY_MS).then(() => target.insertOne({ _id: result.insertedId }));
    return result;
  };
  const figures = await measureLatency({
    source: /** @type {any} */ ({ insertOne }), target, makeDocument: (index) => ({ index }), inserts: 5,
  });
  expect(figures.count).toBe(5);
  expect(figures.p50Ms).toBeGreaterThanOrEqual(DELAY_MS - 1);
  expect(figures.p50Ms).toBeLessThan(10 * DELAY_MS);
  expect(figures.maxMs).toBeGreaterThanOrEqual(figures.p95Ms);
});
