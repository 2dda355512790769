import { EventEmitter, once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { Agent, get } from 'node:http';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { MongoClient } from 'mongodb';
import { cleanUp, scratchFolder } from 'test-support/cleanup.js';
import { createSlowQuery, sharedMongoUrl } from 'test-support/mongod.js';
import { serveHttp } from 'test-support/network.js';
import { until } from 'test-support/waiting.js';
import { Checkouts } from '../../src/core/checkouts.js';
import { EventBatch } from '../../src/core/event-batch.js';
import { monitorPool } from '../../src/core/monitor.js';
import { createRequests } from '../../src/core/requests.js';
import { createTraceWriter } from '../../src/core/trace-writer.js';

const folder = await scratchFolder();

const client = new MongoClient(sharedMongoUrl(), { maxPoolSize: 2 });

cleanUp(() => client.close());

const batch = new EventBatch({ size: 64 });

const checkouts = new Checkouts({ outside: 'background', batch });

const monitor = monitorPool(client, { batch });

checkouts.watch(monitor);

await client.connect();

const find = (/** @type {object} */ filter = {}) => client.db('requests').collection('any').findOne(filter);

/**
 * @param {Parameters<typeof createRequests>[1]} options
 * @param {(res: import('node:http').ServerResponse) => Promise<void>} handle
 */
async function serve(options, handle) {
  const requests = createRequests(checkouts, options);
  const url = await serveHttp((req, res) => {
    requests.enter(req, res, { route: () => `route of ${req.url}` });
    handle(res);
  });
  return { requests, url };
}

/** Uses both connections of the pool, until the returned function is called. */
async function holdAll() {
  const runSlowQuery = createSlowQuery(client);
  await runSlowQuery(1);
  const release = new AbortController();
  const held = [1, 2].map(() => runSlowQuery(60_000, { signal: release.signal }).catch(() => {}));
  await until('both are held', () => monitor.snapshot().totals.active === 2);
  return async () => {
    release.abort();
    await Promise.all(held);
  };
}

const isWaiting = () => until('a request waits', () => monitor.snapshot().totals.waiting === 1);

test('a request ends with the sums of its checkouts', async () => {
  const { requests, url } = await serve({ serverTiming: true }, async (res) => {
    await find();
    await find();
    res.end();
  });
  const response = await fetch(`${url}/a`);
  await response.text();
  const header = String(response.headers.get('server-timing'));
  const [, poolMs, dbMs, totalMs] =
    header.match(/^pool;dur=([\d.]+), db;dur=([\d.]+), total;dur=([\d.]+)$/)?.map(Number) ?? [];
  await until('it ended', () => requests.log.lastId === 1);
  const [ended] = requests.log.list();
  expect(ended).toMatchObject({ id: 1, method: 'GET', route: 'route of /a', status: 200 });
  expect(ended.useMs).toBeGreaterThan(0);
  expect(ended.totalMs).toBeGreaterThanOrEqual(ended.useMs);
  // Each is rounded.
  expect(Number(ended.totalMs.toFixed(1))).toBeGreaterThanOrEqual(totalMs);
  expect(totalMs + 0.15).toBeGreaterThanOrEqual(poolMs + dbMs);
  const own = checkouts.list().filter(({ requestId }) => requestId === ended.requestId);
  expect(own.map(({ route }) => route)).toEqual(['route of /a', 'route of /a']);
  expect(requests.sampleOverhead()?.valuesMs).toHaveLength(1);
  expect(requests.log.list({ after: 1 })).toEqual([]);
});

test('an app that runs a request inside a function gets the same; whoever asked hears of its end', async () => {
  const requests = createRequests(checkouts);
  /** @type {import('../../src/core/request-context.js').EndedRequest[]} */
  const heard = [];
  requests.onEnd(({ route, status }) => heard.push(/** @type {any} */ ({ route, status })));
  const url = await serveHttp((req, res) =>
    requests.run(req, res, { route: '/run' }, () => find().then(() => res.end())),
  );
  await (await fetch(url)).text();
  await until('it ended', () => requests.log.lastId === 1);
  expect(heard).toEqual([{ route: '/run', status: 200 }]);
  expect(checkouts.list().at(-1)?.route).toBe('/run');
});

test.each([
  [200, true, false],
  [304, true, false],
  [400, false, false],
  [404, false, false],
  [499, false, false],
  [500, false, true],
  [503, false, true],
])('a response with status %i: its overhead counts: %s, its checkouts failed: %s', async (status, counts, failed) => {
  const { requests, url } = await serve({}, async (res) => {
    await find();
    res.writeHead(status).end();
  });
  expect(requests.sampleOverhead()).toBeUndefined();
  const { lastId } = checkouts;
  await (await fetch(url)).text();
  await until('it ended', () => requests.log.lastId === 1);
  expect(requests.sampleOverhead() !== undefined).toBe(counts);
  expect(checkouts.list({ after: lastId }).map(({ outcome }) => outcome)).toEqual([
    failed ? 'operationFailed' : 'checkedIn',
  ]);
});

test('the overhead is the rest of a response, in microseconds', async () => {
  const { requests, url } = await serve({}, async (res) => {
    await find();
    res.end();
  });
  await (await fetch(url)).text();
  await until('it ended', () => requests.log.lastId === 1);
  const [{ totalMs, waitMs, useMs }] = requests.log.list();
  const restMs = totalMs - waitMs - useMs;
  expect(restMs).toBeGreaterThan(0);
  expect(requests.sampleOverhead()).toEqual({ kind: 'sample', valuesMs: [Math.round(restMs * 1000) / 1000] });
});

test('the overheads of the last 200 requests are kept', () => {
  const requests = createRequests(checkouts);
  const request = /** @type {any} */ ({ socket: {} });
  for (let sent = 0; sent < 201; sent++) {
    const response = Object.assign(new EventEmitter(), { writableFinished: true, statusCode: 200 });
    requests.run(request, /** @type {any} */ (response), { route: '/' }, () => response.emit('close'));
  }
  expect(requests.log.lastId).toBe(201);
  const { valuesMs = [] } = requests.sampleOverhead() ?? {};
  expect(valuesMs).toHaveLength(200);
  expect(valuesMs.every((valueMs) => valueMs >= 0)).toBe(true);
});

test.each([
  ['one query', find],
  ['queries one after the other', async () => void (await find(), await find())],
  [
    'at once, and one before and after',
    async () => void (await find(), await Promise.all([find(), find()]), await find()),
  ],
])('Server-Timing has the sums of the log, with %s', async (_, query) => {
  const { requests, url } = await serve({ serverTiming: true }, async (res) => {
    await query();
    res.end();
  });
  const release = await holdAll();
  const response = fetch(url);
  await isWaiting();
  await release();
  const { headers } = await response;
  await until('it ended', () => requests.log.lastId === 1);
  const [{ waitMs, useMs }] = requests.log.list();
  expect(waitMs).toBeGreaterThan(0);
  expect(headers.get('server-timing')).toContain(`pool;dur=${waitMs.toFixed(1)}, db;dur=${useMs.toFixed(1)}, total;`);
});

test('what a request leaves waiting when it is answered is no wait of it', async () => {
  /** @type {Promise<unknown> | undefined} */
  let later;
  const { requests, url } = await serve({}, async (res) => {
    later = find();
    await isWaiting();
    res.end();
  });
  const release = await holdAll();
  await (await fetch(url)).text();
  await until('it ended', () => requests.log.lastId === 1);
  expect(requests.log.list()).toMatchObject([{ status: 200, waitMs: 0 }]);
  await release();
  await later;
});

test('what its code does after the response is work outside requests', async () => {
  /** @type {Promise<unknown> | undefined} */
  let later;
  const { requests, url } = await serve({}, async (res) => {
    await find();
    res.end();
    later = ended.then(() => find());
  });
  const ended = new Promise((resolve) => requests.onEnd(resolve));
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
    work = ended.then(() => find());
    aborter.abort();
  });
  const ended = new Promise((resolve) => requests.onEnd(resolve));
  const { lastId } = checkouts;
  await expect(fetch(`${url}/c`, { signal: aborter.signal })).rejects.toThrow();
  await until('it ended', () => requests.log.lastId === 1);
  await work;
  expect(requests.log.list()).toMatchObject([{ status: 0, route: 'route of /c' }]);
  expect(checkouts.list({ after: lastId }).map(({ route }) => route)).toEqual(['route of /c']);
});

test('a client that leaves while its request waits has waited until then', async () => {
  /** @type {Promise<unknown> | undefined} */
  let work;
  const { requests, url } = await serve({}, async () => {
    work = find();
  });
  const release = await holdAll();
  const leave = new AbortController();
  const asked = fetch(`${url}/d`, { signal: leave.signal });
  await isWaiting();
  leave.abort();
  await expect(asked).rejects.toThrow();
  await until('it ended', () => requests.log.lastId === 1);
  const [{ status, totalMs, waitMs }] = requests.log.list();
  expect(status).toBe(0);
  expect(waitMs).toBeGreaterThan(0);
  expect(totalMs).toBeGreaterThanOrEqual(waitMs);
  await release();
  await work;
});

test('the requests of one connection of a client have one number, and are written to a trace', async () => {
  const written = /** @type {any[]} */ ([]);
  const record = { writeRequest: (/** @type {object} */ request) => void written.push(request) };
  const { requests, url } = await serve({ record }, async (res) => {
    await find();
    res.end();
  });
  const before = requests.log.lastId;
  const agents = [new Agent({ keepAlive: true }), new Agent({ keepAlive: true })];
  for (const index of [0, 1, 0]) {
    const [response] = await once(get(`${url}/${index}`, { agent: agents[index] }), 'response');
    await once(response.resume(), 'end');
  }
  for (const agent of agents) agent.destroy();
  await until('all ended', () => requests.log.lastId === before + 3);
  const listed = requests.log.list({ after: before });
  const [first, second] = listed.map(({ socket }) => socket);
  expect(listed.map(({ socket }) => socket)).toEqual([first, second, first]);
  expect(second).not.toBe(first);
  expect(written).toEqual(
    listed.map(({ request, route, socket, status, totalMs, endedAtMs }) => ({
      ...{ request, route, socket, status, totalMs },
      endedAtMs: expect.closeTo(endedAtMs - performance.timeOrigin, 3),
    })),
  );
});

describe('a trace', () => {
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
    /** Checkouts with the names of their routes. */
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

    test('a trace numbers transactions, and marks write conflicts', async () => {
      const { insertedId: _id } = await users().insertOne({ changes: 0 });
      const change = (/** @type {import('mongodb').ClientSession} */ session) =>
        users().updateOne({ _id }, { $inc: { changes: 1 } }, { session });
      await client.withSession((first) =>
        client.withSession(async (second) => {
          first.startTransaction();
          await change(first);
          second.startTransaction();
          await expect(change(second)).rejects.toThrow(/conflict/i);
          await first.commitTransaction();
          await second.abortTransaction();
          first.startTransaction();
          await change(first);
          await first.commitTransaction();
        }),
      );
      const lines = await readCheckouts();
      const inTransactions = lines.filter(({ transaction }) => transaction);
      const [ended, failed] = [undefined, 'operationFailed'];
      expect(inTransactions.map(({ transaction, outcome, reason }) => [transaction, outcome, reason])).toEqual([
        [1, ended, undefined],
        [2, failed, 'WriteConflict'],
        [1, ended, undefined],
        // The server has aborted it already.
        [2, failed, undefined],
        [3, ended, undefined],
        [3, ended, undefined],
      ]);
      // The insert is a retryable write, which has a transaction number, too.
      expect(lines.length).toBeGreaterThan(inTransactions.length);
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
      open: 0,
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
});
