import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { MongoClient } from 'mongodb';
import { scratchFolder } from 'test-support/cleanup.js';
import { sharedMongoUrl } from 'test-support/mongod.js';
import { Checkouts } from '../../src/core/checkouts.js';
import { monitorPool } from '../../src/core/monitor.js';
import { createTraceWriter } from '../../src/core/trace-writer.js';

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
    const text = await readFile(file, 'utf8');
    return text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
  };
  /** With the names of their routes. */
  const readCheckouts = async () => {
    const lines = await readLines();
    const routes = lines.filter(({ define }) => define === 'route').map(({ name }) => name);
    return lines.filter(({ waitMs }) => waitMs >= 0).map((line) => ({ ...line, route: routes[line.route] }));
  };

  beforeEach(async () => {
    file = path.join(folder, `${++files}.jsonl`);
    trace = await createTraceWriter(file);
    client = new MongoClient(sharedMongoUrl(), { maxPoolSize: 1, monitorCommands: true });
    checkouts = new Checkouts();
    checkouts.watch(monitorPool(client, { record: trace }));
    await client.connect();
  });
  afterEach(() => client.close());

  test('a trace names the route and the number of each request, whichever waited for which', async () => {
    await users().findOne({});
    await Promise.all(
      ['/a', '/b', '/c'].map((route) =>
        checkouts.run({ route }, async () => {
          await users().findOne({});
          await users().findOne({});
        }),
      ),
    );
    const lines = await readCheckouts();
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
    const named = (await readCheckouts()).filter(({ route }) => route);
    expect(named.map(({ route, outcome }) => [route, outcome])).toEqual([
      ['/bad', 'operationFailed'],
      ['/good', undefined],
    ]);
  });
});

test.each([
  ['the disk is too slow for', {}, 'missed'],
  ['does not fit', { maxBytes: 2 ** 20 }, 'dropped'],
])('what %s is counted apart, and the rest is whole', async (_, options, lost) => {
  const file = path.join(folder, `${++files}.jsonl`);
  const trace = await createTraceWriter(file, options);
  // More than it keeps in memory: in one turn, nothing reaches the disk.
  const reason = 'x'.repeat(20_000);
  for (let index = 0; index < 1000; index += 1) {
    const at = { checkOutStartedAtMs: index, checkedOutAtMs: index, checkedInAtMs: index };
    trace.write({ ...at, reason, route: `/${index}` });
  }
  const written = await trace.close();
  const { checkouts } = written;
  expect(written).toEqual({
    checkouts: expect.any(Number),
    failed: 0,
    refused: 0,
    requests: 0,
    dropped: 0,
    missed: 0,
    isFull: lost === 'dropped',
    [lost]: 1000 - checkouts,
  });
  expect(checkouts).toBeGreaterThan(0);
  expect(checkouts).toBeLessThan(1000);
  const lines = (await readFile(file, 'utf8'))
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(lines.filter(({ waitMs }) => waitMs === 0)).toHaveLength(checkouts);
  expect(lines.filter(({ define }) => define === 'route').map(({ id }) => id)).toEqual([...Array(checkouts).keys()]);
});
