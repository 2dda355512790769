import { expect, test } from '@jest/globals';
import { busyCores } from 'mongodb-pool-monitor/live';
import { createClient } from '../../src/mongo/client.js';
import { seedCustomers } from '../../src/mongo/demo-data.js';
import { createServerLoadReader } from '../../src/mongo/server-load.js';
import { createSlowQueries } from '../../src/mongo/slow-queries.js';
import { createWorkQuery } from '../../src/mongo/work-query.js';
import { cleanUp } from '../support/cleanup.js';
import { sharedMongoUrl } from '../support/environment.js';
import { runningOperations } from '../support/running-operations.js';
import { until } from '../support/until.js';

/** Of some machine: a query that takes minutes takes long everywhere. */
const SPEED = { baseMs: 2, roundsPerMs: 7 };

const [client, observer] = ['works', 'watches'].map((appName) => (
  createClient(sharedMongoUrl(), { poolSize: 2, serverSelectionTimeoutMs: 5000, appName })));
cleanUp(() => Promise.all([client, observer].map((each) => each.close())));
await seedCustomers(client);

/** @param {() => Promise<unknown>} action */
async function timeOf(action) {
  const startedAtMs = performance.now();
  await action();
  return performance.now() - startedAtMs;
}

test('it costs the server processor time', async () => {
  const read = createServerLoadReader(observer);
  const work = createWorkQuery(client, SPEED);
  const before = await read();
  await work(400);
  const after = await read();
  // Other tests use the server as well, which only adds to it.
  expect(Number(after.cpuMs) - Number(before.cpuMs)).toBeGreaterThan(40);
  expect(busyCores(before, after)).toBeGreaterThan(0);
  expect(busyCores(after, before)).toBeNull();
});

test('when its caller leaves, the server stops', async () => {
  const leaving = new AbortController();
  const work = createWorkQuery(client, SPEED)(100_000, { signal: leaving.signal });
  const isWorking = async () => (await runningOperations(observer, { appName: 'works', 'command.aggregate': 'customers' })).length > 0;
  const failing = expect(work).rejects.toThrow(/abort/);
  await until('the server works', isWorking);
  leaving.abort();
  await failing;
  await until('the server has stopped', async () => !await isWorking());
});

test('the first client measures the server, and the next ones do not', async () => {
  let checkouts = 0;
  observer.on('connectionCheckedOut', () => { checkouts += 1; });
  const createQuery = createSlowQueries('work');
  const work = await createQuery(client);
  await createQuery(observer);
  expect(checkouts).toBe(0);
  expect(await timeOf(() => work(200))).toBeGreaterThan(20);
});
