import { once } from 'node:events';
import { createServer } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { MongoClient } from 'mongodb';
import { cleanUp } from '../../../test/support/cleanup.js';
import { until } from '../../../test/support/until.js';
import { Checkouts } from '../src/checkouts.js';
import { monitorPool } from '../src/monitor.js';
import { createRequests } from '../src/requests.js';

const client = new MongoClient(String(process.env.TEST_MONGO_URL), { maxPoolSize: 2 });
cleanUp(() => client.close());
const checkouts = new Checkouts({ outside: 'background' });
checkouts.watch(monitorPool(client));
await client.connect();
const find = (/** @type {object} */ filter = {}) => client.db('requests').collection('any').findOne(filter);

/** @param {Parameters<typeof createRequests>[1]} options @param {(res: import('node:http').ServerResponse) => Promise<void>} handle */
async function serve(options, handle) {
  const requests = createRequests(checkouts, options);
  const server = createServer((req, res) => {
    requests.enter(req, res, { route: () => `route of ${req.url}` });
    handle(res);
  });
  server.listen(0, '127.0.0.1');
  cleanUp(() => server.close());
  await once(server, 'listening');
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  return { requests, url: `http://127.0.0.1:${port}` };
}

test('a request ends with the sums of its checkouts', async () => {
  const { requests, url } = await serve({ serverTiming: true }, async (res) => {
    await find();
    await find();
    res.end();
  });
  const response = await fetch(`${url}/a`);
  await response.text();
  expect(response.headers.get('server-timing')).toMatch(/^pool;dur=[\d.]+, db;dur=[\d.]+, total;dur=[\d.]+$/);
  await until('it ended', () => requests.log.lastId === 1);
  const [ended] = requests.log.list();
  expect(ended).toMatchObject({ id: 1, method: 'GET', route: 'route of /a', status: 200 });
  expect(ended.useMs).toBeGreaterThan(0);
  expect(ended.totalMs).toBeGreaterThanOrEqual(ended.useMs);
  const own = checkouts.list().filter(({ requestId }) => requestId === ended.requestId);
  expect(own.map(({ route }) => route)).toEqual(['route of /a', 'route of /a']);
  expect(requests.sampleOverhead()?.valuesMs).toHaveLength(1);
  expect(requests.log.list({ after: 1 })).toEqual([]);
});

test('what its code does after the response is work outside requests', async () => {
  /** @type {Promise<unknown> | undefined} */
  let later;
  const { requests, url } = await serve({}, async (res) => {
    await find();
    res.end();
    later = wait(50).then(() => find());
  });
  const { lastId } = checkouts;
  const response = await fetch(`${url}/b`);
  expect(response.headers.get('server-timing')).toBeNull();
  await response.text();
  await until('it ended', () => requests.log.lastId === 1);
  await later;
  expect(checkouts.list({ after: lastId }).map(({ route }) => route)).toEqual(['route of /b', 'background']);
});

test('a client that leaves does not end the work of its request', async () => {
  const aborter = new AbortController();
  /** @type {Promise<unknown> | undefined} */
  let work;
  const { requests, url } = await serve({}, async () => {
    work = wait(50).then(() => find());
    aborter.abort();
  });
  const { lastId } = checkouts;
  await expect(fetch(`${url}/c`, { signal: aborter.signal })).rejects.toThrow();
  await until('it ended', () => requests.log.lastId === 1);
  await work;
  expect(requests.log.list()).toMatchObject([{ status: 0, route: 'route of /c' }]);
  expect(checkouts.list({ after: lastId }).map(({ route }) => route)).toEqual(['route of /c']);
});

test('a client that leaves while its request waits has waited until then', async () => {
  const { requests, url } = await serve({}, async (res) => {
    await find();
    res.end();
  });
  const admin = client.db('admin');
  const { topologyVersion } = await admin.command({ hello: 1 }, { promoteLongs: false });
  // The server answers when its time is over. Until then both connections are in use.
  const held = [1, 2].map(() => admin.command({ hello: 1, topologyVersion, maxAwaitTimeMS: 600 }, { promoteLongs: false }));
  await expect(fetch(`${url}/d`, { signal: AbortSignal.timeout(300) })).rejects.toThrow();
  await until('it ended', () => requests.log.lastId === 1);
  const [{ status, totalMs, waitMs }] = requests.log.list();
  expect(status).toBe(0);
  expect(waitMs).toBeGreaterThan(totalMs / 2);
  expect(waitMs).toBeLessThanOrEqual(totalMs);
  await Promise.all(held);
});
