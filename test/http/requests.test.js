import { EventEmitter, once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from '@jest/globals';
import { MongoClient, MongoServerError, MongoServerSelectionError } from 'mongodb';
import { cleanUp } from 'test-support/cleanup.js';
import { runningOperations, sharedMongoUrl } from 'test-support/mongod.js';
import { inOrder, measureUntil, until } from 'test-support/waiting.js';
import { parse } from 'yaml';
import { ask, createTestLog, serveApp } from '../support/serve-app.js';
import { ClientDisconnectedError, RequestDeadline } from '../../src/http/request-deadline.js';
import { readSettings } from '../../src/settings.js';
import { ConcurrencyLimitError, createConcurrencyLimit } from '../../src/http/concurrency-limit.js';
import { answerErrors, toProblem } from '../../src/http/problem.js';

const url = await serveApp({ MONGO_POOLSIZE: '1', MONGO_WAIT_QUEUE_TIMEOUT_MS: '600', SLOW_MS: '500' });

/** Server-Timing has tenths of a millisecond. */
const ROUNDING_MS = 0.2;

/**
 * @param {string} route
 * @returns {Promise<{ status: number, poolMs: number, dbMs: number, totalMs: number }>} as Server-Timing has it
 */
async function send(route) {
  const response = await fetch(url + route);
  await response.arrayBuffer();
  const parts = [...String(response.headers.get('server-timing')).matchAll(/(\w+);dur=([\d.]+)/g)];
  const [poolMs, dbMs, totalMs] = ['pool', 'db', 'total'].map((part) =>
    Number(parts.find(([, name]) => name === part)?.[2]),
  );
  return { status: response.status, poolMs, dbMs, totalMs };
}

const readPool = async () => (await fetch(`${url}/pool`)).json();

/** @param {string} route */
async function isHeldBy(route) {
  return (await readPool()).lanes[0]?.route === route;
}

test('Server-Timing has the wait for a connection, its use, and the total time', async () => {
  /** Sends a Ferrari behind a bus. @returns {Promise<number>} how long the Ferrari was seen waiting, in ms */
  async function overtake() {
    const sentAtMs = performance.now();
    const first = send('/slow');
    await until('the bus is in', () => isHeldBy('/slow'));
    const seenInAtMs = performance.now();
    const second = send('/fast');
    await until('the Ferrari waits, or the bus is out', async () => {
      const { waiting, lanes } = await readPool();
      return waiting === 1 || lanes[0]?.route !== '/slow';
    });
    const seenWaitingAtMs = performance.now();
    let stillInAtMs = seenInAtMs;
    await until('the bus is out', async () => {
      const askedAtMs = performance.now();
      const isIn = await isHeldBy('/slow');
      if (isIn) stillInAtMs = askedAtMs;
      return !isIn;
    });
    const [slow, fast] = await Promise.all([first, second]);
    const endedAtMs = performance.now();
    expect(slow).toMatchObject({ status: 200, poolMs: expect.any(Number), dbMs: expect.any(Number) });
    // The bus waited until it was seen in, at most, and was in until it was last seen in, at least.
    expect(slow.poolMs).toBeLessThan(seenInAtMs - sentAtMs + ROUNDING_MS);
    expect(slow.dbMs).toBeGreaterThan(stillInAtMs - seenInAtMs - ROUNDING_MS);
    // The Ferrari waited for it, and had its connection afterwards.
    expect(fast.poolMs).toBeGreaterThan(stillInAtMs - seenWaitingAtMs - ROUNDING_MS);
    expect(fast.dbMs).toBeLessThan(endedAtMs - stillInAtMs + ROUNDING_MS);
    for (const { poolMs, dbMs, totalMs } of [slow, fast]) {
      expect(totalMs).toBeGreaterThanOrEqual(poolMs + dbMs - 2 * ROUNDING_MS);
    }
    return stillInAtMs - seenWaitingAtMs;
  }
  // On a busy machine we see the bus late.
  expect(await measureUntil(overtake, (ms) => ms > 0, 20)).toBeGreaterThan(0);
});

test('/pool has what the last answers took beyond wait and use, at most 200 of them, without failed ones', async () => {
  let sent = 0;
  // On a busy machine some wait for too long, and fail.
  while (sent < 210) {
    const answers = await Promise.all(Array.from({ length: 10 }, () => send('/fast')));
    sent += answers.filter(({ status }) => status === 200).length;
  }
  const answered = await until('the answers have ended', async () => {
    const { requests } = await (await fetch(`${url}/pool/requests`)).json();
    const succeeded = requests.filter((/** @type {any} */ { status }) => status === 200);
    return succeeded.length >= sent && succeeded;
  });
  const { kind, valuesMs } = (await readPool()).overhead;
  expect({ kind, count: valuesMs.length }).toEqual({ kind: 'sample', count: 200 });
  const beyond = answered
    .slice(-200)
    .map((/** @type {any} */ { totalMs, waitMs, useMs }) => Math.max(0, totalMs - waitMs - useMs));
  const ascending = (/** @type {number[]} */ values) => values.toSorted((one, other) => one - other);
  const differencesMs = ascending(valuesMs).map((ms, index) => Math.abs(ms - ascending(beyond)[index]));
  // Each of four numbers is rounded to a thousandth.
  expect(Math.max(...differencesMs)).toBeLessThan(0.003);
  // Ten at once shared one connection, so they waited for each other, mostly.
  const sum = (/** @type {string} */ field) =>
    answered.reduce((/** @type {number} */ total, /** @type {any} */ request) => total + request[field], 0);
  expect(sum('waitMs')).toBeGreaterThan(sum('useMs'));
});

test('a request without a connection has only a wait', async () => {
  const first = send('/slow');
  await until('the bus is in', () => isHeldBy('/slow'));
  // However late we saw the bus, the last of three waits for two more.
  const rest = await Promise.all([send('/slow'), send('/slow'), send('/slow')]);
  const refused = rest.find(({ status }) => status === 503);
  expect(refused).toMatchObject({ dbMs: 0 });
  expect(refused?.poolMs).toBeGreaterThanOrEqual(599);
  await first;
});

describe('limits', () => {
  const LONG_MS = 60_000;
  const FIGURES = { active: 0, waiting: 0, queue: [], lanes: [] };

  /** @param {string} url */
  const readPool = async (url) => (await ask(`${url}/pool`)).body;

  /** How many slow queries of that length run on the server. The app asks for a little less. @param {number} slowMs */
  async function countAtServer(slowMs) {
    const client = await MongoClient.connect(sharedMongoUrl());
    cleanUp(() => client.close());
    return async () =>
      (await runningOperations(client, { 'command.maxAwaitTimeMS': { $gt: 0.99 * slowMs, $lte: slowMs } })).length;
  }

  describe('a request that takes longer than REQUEST_TIMEOUT_MS', () => {
    test('gets 503, and its query is aborted, on the server too', async () => {
      const slowMs = 1.1 * LONG_MS;
      const running = await countAtServer(slowMs);
      const url = await serveApp({ MONGO_POOLSIZE: '1', SLOW_MS: String(slowMs), REQUEST_TIMEOUT_MS: '300' });
      const answer = ask(`${url}/slow`);
      await until('its query runs', async () => (await running()) === 1);
      expect(await answer).toMatchObject({
        status: 503,
        type: 'application/problem+json',
        retryAfter: '1',
        body: { type: 'about:blank', status: 503, title: 'Not answered in time', detail: 'aborted after 300 ms' },
      });
      await until('the server has stopped it', async () => (await running()) === 0);
      expect(await ask(`${url}/fast`)).toMatchObject({ status: 200 });
      expect(await readPool(url)).toMatchObject({ ...FIGURES, total: 1, closed: { error: 1 } });
    });
  });

  describe('a client that disconnects', () => {
    test('during /slow frees its connection, on the server too', async () => {
      const slowMs = 1.2 * LONG_MS;
      const running = await countAtServer(slowMs);
      const url = await serveApp({ MONGO_POOLSIZE: '1', SLOW_MS: String(slowMs) });
      const leaving = new AbortController();
      const left = ask(`${url}/slow`, { signal: leaving.signal }).catch(() => 'left');
      await until('its query runs', async () => (await running()) === 1);
      const next = ask(`${url}/fast`);
      leaving.abort();
      expect(await left).toBe('left');
      expect(await next).toMatchObject({ status: 200 });
      await until('the server has stopped it', async () => (await running()) === 0);
      expect(await readPool(url)).toMatchObject({ ...FIGURES, total: 1, requests: { running: 0 } });
      const metrics = await (await fetch(`${url}/metrics`)).text();
      expect(metrics).toMatch(/^db_client_connection_pending_requests\{.*\} 0$/m);
    });

    test('while it waits for a connection leaves the queue, and its record is checkOutAborted', async () => {
      const url = await serveApp({ MONGO_POOLSIZE: '1', SLOW_MS: String(LONG_MS) });
      const leaving = [new AbortController(), new AbortController()];
      const slow = ask(`${url}/slow`, { signal: leaving[0].signal }).catch(() => 'left');
      await until('it drives', async () => (await readPool(url)).active === 1);
      const fast = ask(`${url}/fast`, { signal: leaving[1].signal }).catch(() => 'left');
      await until('another waits', async () => (await readPool(url)).waiting === 1);
      leaving[1].abort();
      expect(await fast).toBe('left');
      await until('nobody waits', async () => (await readPool(url)).waiting === 0);
      expect(await readPool(url)).toMatchObject({ active: 1, queue: [] });
      const { checkouts } = (await ask(`${url}/pool/checkouts`)).body;
      expect(checkouts.at(-1)).toMatchObject({ route: '/fast', outcome: 'checkOutAborted', connectionId: null });
      leaving[0].abort();
      await slow;
    });
  });

  test('a request beyond MAX_REQUESTS gets 503 with Retry-After at once; page and probes still work', async () => {
    const url = await serveApp({ MONGO_POOLSIZE: '1', MAX_REQUESTS: '2', SLOW_MS: '2000' });
    const served = ['/slow', '/fast'].map((route) => ask(url + route));
    await until('both are running', async () => (await readPool(url)).requests.running === 2);
    const refused = ['/slow', '/fast'].map((route) => ask(url + route));
    const live = Promise.all(refused).then(() => ask(`${url}/livez`));
    const answers = await inOrder([...served, ...refused, live]);
    expect(answers.map(({ status }) => status)).toEqual([503, 503, 200, 200, 200]);
    for (const answer of answers.slice(0, 2)) {
      expect(answer).toMatchObject({
        type: 'application/problem+json',
        retryAfter: '1',
        body: { title: 'Too many of these requests at once', detail: '2 requests are running, the limit is 2' },
      });
    }
    expect(answers[2].body).toEqual({ status: 'live' });
    expect(await readPool(url)).toMatchObject({ requests: { max: 2, running: 0, refused: 2 } });
  });

  test('the default limits are higher than any load test needs', async () => {
    const { requestTimeoutMs, maxRequests } = readSettings({}, 'no .env file');
    for (const name of (await readdir('loadtests')).filter((file) => file.endsWith('.yaml'))) {
      const { config } = parse(await readFile(path.join('loadtests', name), 'utf8'));
      expect(requestTimeoutMs).toBeGreaterThan(config.http.timeout * 1000);
      const users = config.phases.map(
        (/** @type {any} */ { duration, arrivalCount, arrivalRate, rampTo = arrivalRate }) =>
          arrivalCount ?? (duration * (arrivalRate + rampTo)) / 2,
      );
      expect(maxRequests).toBeGreaterThan(
        users.reduce((/** @type {number} */ sum, /** @type {number} */ count) => sum + count),
      );
    }
  });

  test('a request deadline passes after its time, neither earlier nor much later', async () => {
    const response = Object.assign(new EventEmitter(), { writableFinished: false });
    const { signal } = new RequestDeadline(/** @type {any} */ (response), 40);
    // However busy the machine is, timers fire in the order in which they are due.
    const order = await inOrder([
      sleep(60, 'too late'),
      once(signal, 'abort').then(() => 'the deadline'),
      sleep(30, 'too early'),
    ]);
    expect(order).toEqual(['too early', 'the deadline', 'too late']);
  });

  test('clients that leave together do not stop everything else until all their work is aborted', async () => {
    const responses = Array.from({ length: 40 }, () => Object.assign(new EventEmitter(), { writableFinished: false }));
    /** @type {unknown[]} */
    const reasons = [];
    for (const response of responses) {
      const { signal } = new RequestDeadline(/** @type {any} */ (response), LONG_MS);
      signal.addEventListener('abort', () => {
        reasons.push(signal.reason);
        // Aborting a query costs the driver some work.
        const endsAtMs = performance.now() + 2;
        while (performance.now() < endsAtMs);
      });
    }
    for (const response of responses) response.emit('close');
    expect(reasons).toEqual([]);
    /** @type {number[]} */
    const counts = [];
    while (reasons.length < responses.length) {
      await new Promise((resolve) => {
        setImmediate(resolve);
      });
      counts.push(reasons.length);
    }
    expect(counts.length).toBeGreaterThan(5);
    expect(reasons.every((reason) => reason instanceof ClientDisconnectedError)).toBe(true);
  });

  /** Work that runs until the test ends it. */
  function hold() {
    /** @type {(value: string) => void} */
    let end = () => {};
    /** @type {Promise<string>} */
    const done = new Promise((resolve) => {
      end = resolve;
    });
    return { work: () => done, end };
  }

  test('work beyond the limit is refused without starting', async () => {
    const limit = createConcurrencyLimit(2);
    const [first, second] = [hold(), hold()];
    const runs = [limit.run(first.work), limit.run(second.work)];
    let hasBegun = false;
    await expect(
      limit.run(async () => {
        hasBegun = true;
      }),
    ).rejects.toThrow(new ConcurrencyLimitError('2 requests are running, the limit is 2'));
    expect(hasBegun).toBe(false);
    expect(limit.snapshot()).toEqual({ max: 2, running: 2, refused: 1 });

    first.end('done');
    expect(await runs[0]).toBe('done');
    const third = limit.run(async () => 'in its place');
    expect(await third).toBe('in its place');
    second.end('done');
    await runs[1];
    expect(limit.snapshot()).toEqual({ max: 2, running: 0, refused: 1 });
  });

  test('work that fails frees its place', async () => {
    const limit = createConcurrencyLimit(1);
    const fail = async () => {
      throw new Error('it broke');
    };
    await expect(limit.run(fail)).rejects.toThrow('it broke');
    await expect(limit.run(fail)).rejects.toThrow('it broke');
    expect(limit.snapshot()).toMatchObject({ running: 0, refused: 0 });
  });

  test('the default limit refuses nothing', async () => {
    const limit = createConcurrencyLimit();
    await Promise.all(Array.from({ length: 100 }, () => limit.run(async () => {})));
    expect(limit.snapshot()).toEqual({ max: Infinity, running: 0, refused: 0 });
  });
});

describe('problems', () => {
  describe('an error as the client sees it', () => {
    test('a client error keeps its status, with the standard title', () => {
      const error = Object.assign(new Error('Failed to decode param "%ff"'), { status: 400 });
      expect(toProblem(error)).toEqual({ status: 400, title: 'Bad Request' });
    });

    test.each([
      new Error('secret'),
      Object.assign(new Error('secret'), { status: 502 }),
      'secret',
      undefined,
      null,
      { status: 'x' },
    ])('anything else is a 500 without details: %p', (error) => {
      expect(toProblem(error)).toEqual({ status: 500, title: 'Internal Server Error' });
    });

    test('an unreachable MongoDB is a 503 without its address', () => {
      const error = new MongoServerSelectionError('connect ECONNREFUSED 10.1.2.3:27017', /** @type {any} */ ({}));
      expect(toProblem(error)).toEqual({ status: 503, title: 'MongoDB is unreachable' });
    });

    test('so is a socket that the server has just ended, whose error the driver passes on', () => {
      const error = Object.assign(new Error('This socket has been ended by the other party'), { code: 'EPIPE' });
      expect(toProblem(error)).toEqual({ status: 503, title: 'MongoDB is unreachable' });
    });

    test.each([
      [91, 503],
      [10107, 503],
      [11602, 503],
      [2, 500],
    ])(
      'a server that answers with code %i is a %i: ending, or no primary any more, or a fault of ours',
      (code, status) => {
        expect(toProblem(new MongoServerError({ message: 'secret', code })).status).toBe(status);
      },
    );
  });

  test(
    'an outage under load logs one short line per second and kind, with a count; our own ' +
      'fault is logged with its stack',
    async () => {
      const { log, lines } = createTestLog();
      const answer = answerErrors(log);
      const res = /** @type {any} */ ({ set: () => res, status: () => res, type: () => res, send: () => res });
      const outage = new MongoServerSelectionError('connect ECONNREFUSED 10.1.2.3:27017', /** @type {any} */ ({}));
      const fail = (/** @type {Error} */ error) => answer(error, /** @type {any} */ ({ path: '/fast' }), res, () => {});
      for (let request = 0; request < 500; request += 1) fail(outage);
      fail(new Error('a fault'));
      await until('the second is over', () => lines.length > 2, 5000);
      expect(lines.map((line) => JSON.parse(line))).toEqual([
        expect.objectContaining({ msg: 'MongoDB is unreachable', reason: outage.message, path: '/fast', count: 1 }),
        expect.objectContaining({
          msg: 'Internal Server Error',
          err: expect.objectContaining({ stack: expect.any(String) }),
          count: 1,
        }),
        expect.objectContaining({ msg: 'MongoDB is unreachable', reason: outage.message, count: 499 }),
      ]);
      expect(lines[2].length).toBeLessThan(300);
      // The next second starts right away.
      fail(outage);
      expect(lines).toHaveLength(3);
      await until('it is over too', () => lines.length > 3, 5000);
      expect(JSON.parse(lines[3])).toMatchObject({ msg: 'MongoDB is unreachable', count: 1 });
    },
  );
});
