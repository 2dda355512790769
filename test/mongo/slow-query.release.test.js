// The times of slow queries, on a machine that does nothing else.
import { expect, test } from '@jest/globals';
import { busyCores } from 'mongodb-pool-page';
import { createServerLoadReader } from 'mongodb-pool-monitor';
import { cleanUp } from 'test-support/cleanup.js';
import { sharedMongoUrl } from 'test-support/mongod.js';
import { inOrder } from 'test-support/waiting.js';
import { createClient } from '../../src/mongo/client.js';
import { seedCustomers } from '../../src/mongo/demo-data.js';
import { createSlowQueries, createSlowQuery, measureLateness } from '../../src/mongo/slow-query.js';

const [client, observer] = [11, 2].map((poolSize) =>
  createClient(sharedMongoUrl(), { poolSize, serverSelectionTimeoutMs: 5000 }),
);
cleanUp(() => Promise.all([client, observer].map((each) => each.close())));
await seedCustomers(client);

/** @param {() => Promise<unknown>} action */
async function timeOf(action) {
  const startedAt = performance.now();
  await action();
  return performance.now() - startedAt;
}

/** The middle one of three results. @param {() => Promise<number>} measure */
async function medianOf(measure) {
  const results = [await measure(), await measure(), await measure()];
  return results.toSorted((one, other) => one - other)[1];
}

test('the very first one takes its time', async () => {
  expect(await timeOf(() => createSlowQuery(client)(300))).toBeGreaterThanOrEqual(300);
});

test('it takes the given time, never less and at most 50 ms more, even ten at once', async () => {
  const runSlowQuery = createSlowQuery(client);
  const tenAtOnce = () => inOrder(Array.from({ length: 10 }, () => timeOf(() => runSlowQuery(1000))));
  // Opens the connections.
  await tenAtOnce();
  const longestMs = await medianOf(async () => {
    const times = await tenAtOnce();
    expect(Math.min(...times)).toBeGreaterThanOrEqual(1000);
    return Math.max(...times);
  });
  expect(longestMs).toBeLessThan(1050);
});

test('asked for as much less as the server is late, it still takes its time', async () => {
  const query = createSlowQuery(client, await measureLateness(client));
  expect(await medianOf(() => timeOf(() => query(300)))).toBeGreaterThan(299);
});

test('a work query costs the server CPU time', async () => {
  const read = createServerLoadReader(observer);
  const work = await createSlowQueries('work')(client);
  const before = await read();
  expect(await timeOf(() => work(400))).toBeGreaterThan(40);
  const after = await read();
  // On an idle server the query took 400 ms of one core, by its own measurement.
  expect(Number(after.cpuMs) - Number(before.cpuMs)).toBeGreaterThan(200);
  expect(busyCores(before, after)).toBeGreaterThan(0);
  expect(busyCores(after, before)).toBeNull();
});
