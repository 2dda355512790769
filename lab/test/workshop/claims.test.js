import { createRequire } from 'node:module';
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { MongoClient } from 'mongodb';
import { poolOfApp, simulate } from 'mongodb-pool-predictor';
import { readScenario } from 'mongodb-pool-predictor/node';
import { MIXED_SCENARIO } from '../../../src/load-tests/load-test-runner.js';
import { PUBLISHED_USE_RATIO } from '../../labs/saturation/saturation-findings.js';
import { createClient } from '../../../src/mongo/client.js';
import { createSlowQuery } from '../../../src/mongo/slow-query.js';
import { readLessons } from '../../workshop/lessons.js';
import { cleanUp } from 'test-support/cleanup.js';
import { sharedMongoUrl } from 'test-support/mongod.js';
import { inOrder, until } from 'test-support/waiting.js';

/** @import { Document } from 'mongodb' */

/** @param {Partial<import('../../../src/settings.js').Settings>} [settings] */
function openClient(settings) {
  const client = createClient(sharedMongoUrl(), { serverSelectionTimeoutMs: 5000, ...settings });
  cleanUp(() => client.close());
  return client;
}

/** A page as one line, so that it does not matter where lines break. @param {string} name */
const readPage = async (name) => (await readFile(`lessons/${name}`, 'utf8')).replaceAll(/\s+/g, ' ');

describe('lesson 2: what the log of the database shows', () => {
  const documents = () => client.db('pool_lab').collection('claims');
  /** @type {MongoClient} */
  let client;
  beforeAll(async () => {
    client = openClient({ poolSize: 1, appName: 'the claims of lesson 2' });
    await documents().insertOne({});
  });
  afterAll(() => documents().drop());

  test('queries that run for longer than 100 ms, and not one that waits for a connection', async () => {
    expect(await readPage('02-one-lane/README.md')).toContain('each query that runs for longer than 100 ms');
    expect((await client.db('pool_lab').command({ profile: -1 })).slowms).toBe(100);
    await createSlowQuery(client)(300);
    const bus = documents().findOne({ $where: 'sleep(300) || true' }, { comment: 'a bus' });
    const ferrari = documents().findOne({}, { comment: 'a Ferrari' });
    expect(await inOrder([ferrari.then(() => 'Ferrari'), bus.then(() => 'bus')])).toEqual(['bus', 'Ferrari']);
    const slow = await until('the log has the bus', async () => {
      const { log } = await client.db('admin').command({ getLog: 'global' });
      const lines = log.filter(
        (/** @type {string} */ line) => line.includes('Slow query') && line.includes('the claims of lesson 2'),
      );
      return lines.length > 0 ? lines.join('\n') : undefined;
    });
    expect(slow).toContain('a bus');
    expect(slow).not.toMatch(/a Ferrari|maxAwaitTimeMS/);
  });
});

test("lesson 2: what today's driver does with a pool size that is text, misspelt or not there", async () => {
  const page = await readPage('02-one-lane/README.md');
  expect(page).toContain("reads `'1'` as 1, and it refuses `'one'` as well as names that it doesn't know");
  expect(page).toContain('`maxPoolSize: undefined` gives you 100 connections');
  const sizeOf = (/** @type {any} */ options) => new MongoClient(sharedMongoUrl(), options).options.maxPoolSize;
  expect(sizeOf({ maxPoolSize: '1' })).toBe(1);
  expect(() => sizeOf({ maxPoolSize: 'one' })).toThrow('Expected maxPoolSize to be stringified int value, got: one');
  expect(() => sizeOf({ poolSize: 1 })).toThrow('option poolsize is not supported');
  expect(sizeOf({ maxPoolSize: undefined })).toBe(100);
});

describe('lesson 5: who is served in one lane', () => {
  /** @param {number} [waitQueueTimeoutMs] */
  async function listServed(waitQueueTimeoutMs) {
    const { records = [] } = simulate({
      workload: await readScenario(MIXED_SCENARIO),
      pool: poolOfApp({ poolSize: 1, waitQueueTimeoutMs }),
      keepRequests: true,
      services: { '/slow': { kind: 'fixed', ms: 5000 }, '/fast': { kind: 'fixed', ms: 2 } },
    });
    const beginMs = Math.min(...records.map(({ arrivedAtMs }) => arrivedAtMs));
    const served = records.filter(({ outcome }) => outcome === 'ok');
    return {
      all: records.length,
      routes: served.map(({ route }) => route).toSorted(),
      lastSecond: Math.round((Math.max(...served.map(({ finishedAtMs }) => finishedAtMs)) - beginMs) / 1000),
    };
  }

  test('all ten without a limit, for 25 s; two buses and one Ferrari with 2.5 s, until second 10', async () => {
    const page = await readPage('05-wait-queue/README.md');
    expect(page).toMatch(
      /Without it all ten are served.+busy for 25 seconds\. With it, two buses and one Ferrari .+, and after 10 seconds/,
    );
    const unlimited = await listServed();
    expect(unlimited.routes).toHaveLength(10);
    expect(unlimited).toMatchObject({ all: 10, lastSecond: 25 });
    expect(await listServed(2500)).toEqual({ all: 10, routes: ['/fast', '/slow', '/slow'], lastSecond: 10 });
  });

  test('the twist: one user alone with 100 ms', async () => {
    expect(await listServed(100)).toMatchObject({ routes: ['/fast', '/slow'] });
  });
});

test('lesson 5: timeoutMS ends no wait for a connection in this version of the driver', async () => {
  const { version } = createRequire(import.meta.url)('mongodb/package.json');
  expect(await readPage('05-wait-queue/README.md')).toContain(
    '`timeoutMS`, which some guides recommend instead, has no effect in version ' +
      `${version.match(/^\d+\.\d+/)[0]} of the driver`,
  );
  const client = new MongoClient(sharedMongoUrl(), { maxPoolSize: 1, timeoutMS: 50 });
  cleanUp(() => client.close());
  const slow = createSlowQuery(client);
  await slow(1);
  const bus = slow(400).then(() => 'bus');
  const ping = client.db('admin').command({ ping: 1 });
  expect(await inOrder([ping.then(() => 'ping'), bus])).toEqual(['bus', 'ping']);
});

test('lesson 6: the pool fills by one connection after the other, whatever maxConnecting is', async () => {
  expect(await readPage('06-cold-start/README.md')).toContain('opens one, waits 100 ms and opens the next');
  const client = openClient({ minPoolSize: 4, maxConnecting: 20 });
  let [opening, most, ready] = [0, 0, 0];
  client.on('connectionCreated', () => {
    most = Math.max(most, ++opening);
  });
  client.on('connectionReady', () => {
    opening -= 1;
    ready += 1;
  });
  await client.connect();
  await until('the pool is full', () => ready === 4);
  // The first one is opened for the handshake, and the second may come with it.
  expect(most).toBeLessThanOrEqual(2);
});

test('lesson 8: the load lasts four seconds', async () => {
  expect(await readPage('08-remedies/README.md')).toContain('the same four busy seconds of requests');
  const { phases } = await readScenario('loadtests/remedies.yaml');
  expect(phases.reduce((total, { durationMs = 0 }) => total + durationMs, 0)).toBe(4000);
});

test('teaching: what Oracle measured is what the lab compares with', async () => {
  const [, largeUse, smallUse] = /** @type {RegExpExecArray} */ (
    /pool of 2048, .+? \d+ ms .+? (\d+) ms\. With a pool of 96, .+? \d+ ms .+? (\d+) ms\./.exec(
      await readPage('teaching.md'),
    )
  ).map(Number);
  expect(largeUse / smallUse).toBe(PUBLISHED_USE_RATIO);
});

test('teaching: how many reads and writes a server works on at a time', async () => {
  expect(await readPage('teaching.md')).toContain(
    'Up to MongoDB 6.0 a server works on 128 reads and 128 writes at a time',
  );
  /** @type {Document} */
  const status = await openClient().db('admin').command({ serverStatus: 1 });
  const { read, write } = status.wiredTiger?.concurrentTransactions ?? {};
  const fixed = { read: 128, write: 128 };
  expect(
    Number(status.version.split('.')[0]) < 7 ? { read: read.totalTickets, write: write.totalTickets } : fixed,
  ).toEqual(fixed);
});

test('teaching: a lesson comes after those that it relies on', async () => {
  const rows = [
    ...(await readFile('lessons/teaching.md', 'utf8')).matchAll(/^\| (\**[\d:]+).*\| ([\d, ]+?)(?:;.*)? \|$/gm),
  ];
  const order = rows.flatMap(([, , lessons]) => lessons.split(',').map(Number));
  expect(order.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 16 }, (_, index) => index + 1));
  expect(order.indexOf(14)).toBeGreaterThan(order.indexOf(13));
});

test('teaching: each slot of the plans has at least the minutes of its lessons, and ends in time', async () => {
  const minutes = (await readLessons()).map((lesson) => lesson.minutes);
  const rows = [
    ...(await readFile('lessons/teaching.md', 'utf8')).matchAll(/^\| (\d):(\d\d) \| (.+?) \| ?([\d, ]*)\|$/gm),
  ];
  const slots = rows.map(([, hours, minute, what, lessons]) => ({
    at: Number(hours) * 60 + Number(minute),
    isEnd: what === 'end',
    needed: lessons
      .split(',')
      .filter((one) => one.trim())
      .reduce((sum, one) => sum + minutes[Number(one) - 1], 0),
  }));
  expect(slots.filter(({ isEnd }) => isEnd).map(({ at }) => at)).toEqual([60, 120, 240]);
  for (const [index, { at, isEnd, needed }] of slots.entries()) {
    const next = slots[index + 1];
    if (!isEnd) expect({ at, needed, fits: next.at - at >= Math.max(1, needed) }).toEqual({ at, needed, fits: true });
    else if (next) expect(next.at).toBe(at);
  }
});

test('teaching: the puzzles are where it says', async () => {
  const numbers = (await readLessons()).flatMap(({ puzzle }, index) => (puzzle ? [index + 1] : []));
  expect(await readPage('teaching.md')).toContain(
    `the puzzle after lesson ${numbers.slice(0, -1).join(', ')} or ${numbers.at(-1)}.`,
  );
});

test('docs/scale.md: srvMaxHosts needs mongodb+srv', async () => {
  expect(await readPage('../docs/scale.md')).toMatch(/takes a `mongodb\+srv:\/\/` address[^.]+`srvMaxHosts=2`/);
  expect(() => new MongoClient('mongodb://mongos1,mongos2/?srvMaxHosts=2')).toThrow(
    'Cannot use srvMaxHosts with a non-srv connection string',
  );
  expect(new MongoClient('mongodb+srv://cluster.example/?srvMaxHosts=2').options).toMatchObject({ srvMaxHosts: 2 });
});
