import { EventEmitter } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { MongoClient, MongoServerError, MongoServerSelectionError } from 'mongodb';
import { cleanUp } from 'test-support/cleanup.js';
import { runningOperations, sharedMongoUrl } from 'test-support/mongod.js';
import { until } from 'test-support/waiting.js';
import { parse } from 'yaml';
import { openMongoGate } from '../support/mongo-gate.js';
import { ask, createTestLog, serveApp } from '../support/serve-app.js';
import { ClientDisconnectedError, RequestDeadline, RequestDeadlineError } from '../../src/http/request-deadline.js';
import { readSettings } from '../../src/settings.js';
import { answerErrors } from '../../src/http/problem.js';

const gate = await openMongoGate();
const settings = { MONGO_URL: gate.url, MONGO_POOLSIZE: '1', SLOW_MS: '1' };
const url = await serveApp(settings);

/**
 * @param {string} route
 * @param {string} [app]
 * @returns {Promise<{ status: number, poolMs: number, dbMs: number, totalMs: number }>} as Server-Timing has it
 */
async function send(route, app = url) {
  const response = await fetch(app + route);
  await response.arrayBuffer();
  const parts = [...String(response.headers.get('server-timing')).matchAll(/(\w+);dur=([\d.]+)/g)];
  const [poolMs, dbMs, totalMs] = ['pool', 'db', 'total'].map((part) =>
    Number(parts.find(([, name]) => name === part)?.[2]),
  );
  return { status: response.status, poolMs, dbMs, totalMs };
}

const readPool = async () => (await fetch(`${url}/pool`)).json();

/** The requests that were answered with 200, once there are so many. @param {number} count */
function listAnswered(count) {
  return until('the answers have ended', async () => {
    const { requests } = await (await fetch(`${url}/pool/requests`)).json();
    const answered = requests.filter((/** @type {any} */ { status }) => status === 200);
    return answered.length >= count && answered;
  });
}

test('Server-Timing has the wait for a connection, its use, and the total time, as the app records them', async () => {
  gate.hold();
  const first = send('/slow');
  await until('the bus is in', async () => (await readPool()).active === 1);
  const second = send('/fast');
  await until('the Ferrari waits', async () => (await readPool()).waiting === 1);
  gate.release();
  const timings = await Promise.all([first, second]);
  const recorded = await listAnswered(2);
  for (const [index, route] of ['/slow', '/fast'].entries()) {
    const { waitMs, useMs, totalMs } = recorded.find((/** @type {any} */ request) => request.route === route);
    const timing = timings[index];
    // A header has tenths, and goes out before the request ends.
    expect(Math.abs(timing.poolMs - waitMs)).toBeLessThan(0.1);
    expect(Math.abs(timing.dbMs - useMs)).toBeLessThan(0.1);
    expect(timing.totalMs).toBeGreaterThan(timing.poolMs + timing.dbMs - 0.2);
    expect(timing.totalMs).toBeLessThan(totalMs + 0.1);
  }
  expect(timings[1].poolMs).toBeGreaterThan(0);
});

test('/pool has what the last answers took beyond wait and use, at most 200 of them, without failed ones', async () => {
  for (let batch = 0; batch < 3; batch++) await Promise.all(Array.from({ length: 70 }, () => send('/fast')));
  const answered = await listAnswered(210);
  const { kind, valuesMs } = (await readPool()).overhead;
  expect({ kind, count: valuesMs.length }).toEqual({ kind: 'sample', count: 200 });
  const beyond = answered
    .slice(-200)
    .map((/** @type {any} */ { totalMs, waitMs, useMs }) => Math.max(0, totalMs - waitMs - useMs));
  const ascending = (/** @type {number[]} */ values) => values.toSorted((one, other) => one - other);
  const differencesMs = ascending(valuesMs).map((ms, index) => Math.abs(ms - ascending(beyond)[index]));
  // Each of four numbers is rounded to a thousandth.
  expect(Math.max(...differencesMs)).toBeLessThan(0.003);
});

test('a request without a connection has only a wait', async () => {
  const app = await serveApp({ ...settings, MONGO_WAIT_QUEUE_TIMEOUT_MS: '50' });
  gate.hold();
  const answers = [send('/slow', app), send('/slow', app)];
  const refused = await Promise.race(answers);
  gate.release();
  expect(refused).toMatchObject({ status: 503, dbMs: 0 });
  expect(refused.poolMs).toBeGreaterThan(0);
  await Promise.all(answers);
});

describe('limits', () => {
  const LONG_MS = 60_000;
  const FREE = { active: 0, waiting: 0, queue: [], lanes: [] };

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
      expect(await ask(`${url}/slow`)).toMatchObject({
        status: 503,
        type: 'application/problem+json',
        retryAfter: '1',
        body: { type: 'about:blank', status: 503, title: 'Not answered in time', detail: 'aborted after 300 ms' },
      });
      await until('the server has stopped it', async () => (await running()) === 0);
      const { checkouts } = (await ask(`${url}/pool/checkouts`)).body;
      expect(checkouts.at(-1)).toMatchObject({
        ...{ route: '/slow', outcome: 'operationFailed', connectionId: expect.any(Number) },
      });
      expect(await ask(`${url}/fast`)).toMatchObject({ status: 200 });
      expect(await readPool(url)).toMatchObject({ ...FREE, total: 1, closed: { error: 1 } });
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
      expect(await readPool(url)).toMatchObject({ ...FREE, total: 1, requests: { running: 0 } });
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

  test('a request beyond MAX_REQUESTS gets 503 with Retry-After; page and probes still work', async () => {
    const url = await serveApp({ ...settings, MAX_REQUESTS: '2' });
    gate.hold();
    const served = ['/slow', '/fast'].map((route) => ask(url + route));
    await until('both are running', async () => (await readPool(url)).requests.running === 2);
    for (const route of ['/slow', '/fast']) {
      expect(await ask(url + route)).toMatchObject({
        status: 503,
        type: 'application/problem+json',
        retryAfter: '1',
        body: { title: 'Too many of these requests at once', detail: '2 requests are running, the limit is 2' },
      });
    }
    expect(await ask(`${url}/livez`)).toMatchObject({ status: 200, body: { status: 'live' } });
    expect(await readPool(url)).toMatchObject({ requests: { max: 2, running: 2, refused: 2 } });
    gate.release();
    expect((await Promise.all(served)).map(({ status }) => status)).toEqual([200, 200]);
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

  describe('in virtual time', () => {
    beforeEach(() => {
      jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate'] });
    });
    afterEach(() => {
      jest.useRealTimers();
    });

    test('a request deadline passes after its time, not earlier', () => {
      const response = Object.assign(new EventEmitter(), { writableFinished: false });
      const { signal } = new RequestDeadline(/** @type {any} */ (response), 40);
      jest.advanceTimersByTime(39);
      expect(signal.aborted).toBe(false);
      jest.advanceTimersByTime(1);
      expect(signal.reason).toEqual(new RequestDeadlineError('aborted after 40 ms'));
    });

    test('clients that leave together do not stop everything else until all their work is aborted', async () => {
      const responses = Array.from({ length: 40 }, () =>
        Object.assign(new EventEmitter(), { writableFinished: false }),
      );
      /** @type {unknown[]} */
      const reasons = [];
      for (const response of responses) {
        const { signal } = new RequestDeadline(/** @type {any} */ (response), LONG_MS);
        signal.addEventListener('abort', () => {
          reasons.push(signal.reason);
          // Aborting a query costs the driver some work.
          jest.advanceTimersByTime(2);
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
      // At most 5 ms at once.
      expect(counts.slice(0, 3)).toEqual([3, 6, 9]);
      expect(reasons.every((reason) => reason instanceof ClientDisconnectedError)).toBe(true);
    });
  });
});

describe('problems', () => {
  /** @param {(body: string) => void} onBody */
  const createResponse = (onBody) => /** @type {any} */ ({ setHeader() {}, writeHead() {}, end: onBody });

  describe('an error as the client sees it', () => {
    /** @param {unknown} error @returns {{ status: number, title: string, detail?: string }} */
    function answerTo(error) {
      let problem;
      const response = createResponse((body) => {
        problem = JSON.parse(body);
        delete problem.type;
      });
      answerErrors(createTestLog().log)(error, /** @type {any} */ ({ path: '/fast' }), response, () => {});
      return /** @type {any} */ (problem);
    }

    test('a client error keeps its status, with the standard title', () => {
      const error = Object.assign(new Error('Failed to decode param "%ff"'), { status: 400 });
      expect(answerTo(error)).toEqual({ status: 400, title: 'Bad Request' });
    });

    test.each([
      new Error('secret'),
      Object.assign(new Error('secret'), { status: 502 }),
      'secret',
      undefined,
      null,
      { status: 'x' },
    ])('anything else is a 500 without details: %p', (error) => {
      expect(answerTo(error)).toEqual({ status: 500, title: 'Internal Server Error' });
    });

    test('an unreachable MongoDB is a 503 without its address', () => {
      const error = new MongoServerSelectionError('connect ECONNREFUSED 10.1.2.3:27017', /** @type {any} */ ({}));
      expect(answerTo(error)).toEqual({ status: 503, title: 'MongoDB is unreachable' });
    });

    test('so is a socket that the server has just ended, whose error the driver passes on', () => {
      const error = Object.assign(new Error('This socket has been ended by the other party'), { code: 'EPIPE' });
      expect(answerTo(error)).toEqual({ status: 503, title: 'MongoDB is unreachable' });
    });

    test.each([
      [91, 503],
      [10107, 503],
      [11602, 503],
      [2, 500],
    ])(
      'a server that answers with code %i is a %i: ending, or no primary any more, or a fault of ours',
      (code, status) => {
        expect(answerTo(new MongoServerError({ message: 'secret', code })).status).toBe(status);
      },
    );
  });

  test('an outage logs one short line per second and kind; our own fault is logged with its stack', () => {
    jest.useFakeTimers();
    const { log, lines } = createTestLog();
    const answer = answerErrors(log);
    const res = createResponse(() => {});
    const outage = new MongoServerSelectionError('connect ECONNREFUSED 10.1.2.3:27017', /** @type {any} */ ({}));
    const fail = (/** @type {Error} */ error) => answer(error, /** @type {any} */ ({ path: '/fast' }), res, () => {});
    for (let request = 0; request < 500; request += 1) fail(outage);
    fail(new Error('a fault'));
    jest.advanceTimersByTime(1000);
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
    jest.advanceTimersByTime(1000);
    expect(JSON.parse(lines[3])).toMatchObject({ msg: 'MongoDB is unreachable', count: 1 });
    jest.useRealTimers();
  });
});
