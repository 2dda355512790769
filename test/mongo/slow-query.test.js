import { expect, test } from '@jest/globals';
import { createClient } from '../../src/mongo/client.js';
import { seedCustomers } from '../../src/mongo/demo-data.js';
import { createSlowQueries, createSlowQuery, measureLateness } from '../../src/mongo/slow-query.js';
import { createWorkQuery } from '../../src/mongo/work-query.js';
import { cleanUp } from 'test-support/cleanup.js';
import { runningOperations, sharedMongoUrl } from 'test-support/mongod.js';
import { until } from 'test-support/waiting.js';

const [client, observer] = ['works', 'watches'].map((appName) =>
  createClient(sharedMongoUrl(), { poolSize: 2, serverSelectionTimeoutMs: 5000, appName }),
);
cleanUp(() => Promise.all([client, observer].map((each) => each.close())));
await seedCustomers(client);

/** How many operations of these fields the server works on. @param {Record<string, unknown>} filter */
const countRunning = async (filter) => (await runningOperations(observer, filter)).length;

/** A client of a server that answers each `hello` with one topology version. @param {string[]} versions */
function createFake(versions) {
  /** @type {object[]} */
  const sent = [];
  const command = async (/** @type {object} */ each) => {
    sent.push(each);
    return { topologyVersion: versions[sent.length - 1] };
  };
  return { sent, fake: /** @type {any} */ ({ db: () => ({ command }) }) };
}

test('it asks the server to wait, and again when a topology change makes it answer early', async () => {
  const { sent, fake } = createFake(['a', 'a', 'b', 'b', 'c', 'c']);
  const runSlowQuery = createSlowQuery(fake);
  await runSlowQuery(1);
  expect(sent).toEqual([{ hello: 1 }, { hello: 1, topologyVersion: 'a', maxAwaitTimeMS: 1 }]);
  await runSlowQuery(300);
  expect(sent.slice(2)).toEqual(
    ['a', 'b'].map((topologyVersion) => ({ hello: 1, topologyVersion, maxAwaitTimeMS: 300 })),
  );
});

test('it asks for less time, by as much as the server is late', async () => {
  const { sent, fake } = createFake(['a', 'a']);
  await createSlowQuery(fake, { ms: 100.9, share: 0.3 })(300);
  expect(sent.at(-1)).toMatchObject({ maxAwaitTimeMS: 110 });

  const late = await measureLateness(client);
  const { buildEnvironment } = await client.db('admin').command({ buildInfo: 1 });
  expect(late).toEqual({ ms: expect.any(Number), share: buildEnvironment.target_os === 'linux' ? 0.001 : 0 });
});

test('it keeps one connection until it is done, or its caller leaves', async () => {
  let held = 0;
  client.on('connectionCheckedOut', () => {
    held += 1;
  });
  client.on('connectionCheckedIn', () => {
    held -= 1;
  });
  const runSlowQuery = createSlowQuery(client);
  await runSlowQuery(1);
  expect(held).toBe(0);

  const ms = 60_503;
  const leaving = new AbortController();
  const slow = runSlowQuery(ms, leaving).catch(({ name }) => name);
  await until('the server works on it', async () => (await countRunning({ 'command.maxAwaitTimeMS': ms })) === 1);
  expect(held).toBe(1);
  leaving.abort();
  expect(await slow).toBe('AbortError');
  expect(held).toBe(0);
});

test('when the caller of a work query leaves, the server stops', async () => {
  const leaving = new AbortController();
  // A query that takes minutes takes long on every machine.
  const work = createWorkQuery(client, { baseMs: 2, roundsPerMs: 7 })(100_000, leaving);
  const isWorking = async () => (await countRunning({ appName: 'works', 'command.aggregate': 'customers' })) > 0;
  const failing = expect(work).rejects.toThrow(/abort/);
  await until('the server works', isWorking);
  leaving.abort();
  await failing;
  await until('the server has stopped', async () => !(await isWorking()));
});

test('the first client measures the server, and the next ones do not', async () => {
  let checkouts = 0;
  observer.on('connectionCheckedOut', () => {
    checkouts += 1;
  });
  const createQuery = createSlowQueries('work');
  const work = await createQuery(client);
  await createQuery(observer);
  expect(checkouts).toBe(0);
  await work(20);
});
