import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { MongoClient } from 'mongodb';
import { scratchFolder } from '../../../test/support/scratch-folder.js';
import { Checkouts } from '../src/checkouts.js';
import { monitorPool } from '../src/monitor.js';
import { createTraceWriter } from '../src/trace-writer.js';

const folder = await scratchFolder();
let files = 0;

describe('with the monitor alone, on a real client', () => {
  /** @type {MongoClient} */
  let client;
  /** @type {Awaited<ReturnType<typeof createTraceWriter>>} */
  let trace;
  let file = '';
  /** @type {Checkouts} */
  let checkouts;
  const users = () => client.db('example').collection('users');
  const readLines = async () => {
    await client.close();
    await trace.close();
    return (await readFile(file, 'utf8')).trim().split('\n').slice(1, -1).map((line) => JSON.parse(line));
  };

  beforeEach(async () => {
    file = path.join(folder, `${++files}.jsonl`);
    trace = await createTraceWriter(file);
    client = new MongoClient(String(process.env.TEST_MONGO_URL), { maxPoolSize: 1, monitorCommands: true });
    checkouts = new Checkouts();
    checkouts.watch(monitorPool(client, { record: trace }));
    await client.connect();
  });
  afterEach(() => client.close());

  test('a trace names the route and the number of each request, whichever waited for which', async () => {
    await users().findOne({});
    await Promise.all(['/a', '/b', '/c'].map((route) => checkouts.run({ route }, async () => {
      await users().findOne({});
      await users().findOne({});
    })));
    const lines = await readLines();
    expect(lines.flatMap(({ route = [] }) => route).toSorted()).toEqual(['/a', '/a', '/b', '/b', '/c', '/c']);
    for (const number of [1, 2, 3]) {
      const own = lines.filter(({ request }) => request === number);
      expect(own.map(({ route }) => route)).toEqual([own[0]?.route, own[0]?.route]);
    }
    // The first query, and what the client does by itself, belong to no request.
    expect(lines.length).toBeGreaterThan(6);
  });

  test('a trace marks operations that failed', async () => {
    await checkouts.run({ route: '/bad' }, () => users().findOne({ $nonsense: 1 })).catch(() => {});
    await checkouts.run({ route: '/good' }, () => users().findOne({}));
    const named = (await readLines()).filter(({ route }) => route);
    expect(named.map(({ route, failed }) => [route, failed])).toEqual([['/bad', true], ['/good', undefined]]);
  });
});
