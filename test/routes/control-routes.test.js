import { request } from 'node:http';
import { describe, expect, test } from '@jest/globals';
import { PoolClient } from 'mongodb-pool-page/client';
import { serveApp } from '../support/serve-app.js';
import { until } from 'test-support/waiting.js';

const url = await serveApp({ MONGO_POOLSIZE: '1' });

/**
 * @param {string} control
 * @param {unknown} body
 * @param {Record<string, string>} [headers] instead of the page's own
 */
async function post(control, body, headers = { Origin: url }) {
  const response = await fetch(`${url}/control/${control}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  return { status: response.status, type: response.headers.get('content-type'), body: await response.json() };
}

async function readPool() {
  return (await fetch(`${url}/pool`)).json();
}

describe('the page', () => {
  test('changes the pool size while requests run, and none of them fails', async () => {
    const requests = Array.from({ length: 20 }, () => fetch(`${url}/fast`));
    expect(await post('pool-size', { poolSize: 10 })).toMatchObject({ status: 200, body: { poolSize: 10 } });
    expect(await Promise.all(requests.map(async (each) => (await each).status))).toEqual(requests.map(() => 200));
    expect(await readPool()).toMatchObject({ max: 10 });
    await post('pool-size', { poolSize: 1 });
  });

  test('changes how long /slow takes', async () => {
    await post('slow-ms', { slowMs: 100 });
    expect(await (await fetch(`${url}/slow`)).json()).toEqual({ query: 'slow', serverMs: 100 });
  });

  test('sends vehicles, and sees which waits behind which', async () => {
    await post('slow-ms', { slowMs: 2000 });
    expect(await post('traffic', { route: '/slow', count: 1 })).toMatchObject({ status: 202 });
    await until('the bus is in', async () => (await readPool()).lanes[0]?.route === '/slow');
    await post('traffic', { route: '/fast', count: 10 });
    const pool = await until('the Ferraris wait', async () => {
      const now = await readPool();
      return now.waiting === 10 && now;
    });
    const [bus] = pool.lanes;
    expect(pool.queue).toHaveLength(10);
    expect(pool.queue[0]).toMatchObject({ route: '/fast', behind: [{ route: '/slow', requestId: bus.requestId }] });
    await until('the queue is empty', async () => (await readPool()).waiting === 0);
  });

  test.each([
    ['pool-size', { poolSize: 0 }, /poolSize must be a whole number from 1 to 1000/],
    ['pool-size', { poolSize: '5' }, /poolSize/],
    ['pool-size', [], /poolSize/],
    ['slow-ms', { slowMs: 1.5 }, /slowMs must be a whole number from 1 to 60000/],
    ['traffic', { route: '/pool', count: 1 }, /route must be one of/],
    ['traffic', { route: '/fast', count: 1e9 }, /count/],
  ])('gets a problem that says what %s accepts instead of %j', async (control, body, detail) => {
    expect(await post(control, body)).toMatchObject({
      status: 400,
      type: expect.stringContaining('application/problem+json'),
      body: { detail: expect.stringMatching(detail) },
    });
  });

  test('gets a problem for a body that is not JSON or too long', async () => {
    const send = (/** @type {string} */ body) =>
      fetch(`${url}/control/slow-ms`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', Origin: url },
        body,
      });
    expect((await send('{')).status).toBe(400);
    expect((await send(JSON.stringify({ slowMs: 1, more: 'x'.repeat(2000) }))).status).toBe(413);
  });
});

describe('nobody else can change anything', () => {
  test.each([
    ['another site', { Origin: 'https://elsewhere.example' }],
    ['another port', { Origin: 'http://127.0.0.1:1' }],
    ['no origin', {}],
    ['a sandboxed page', { Origin: 'null' }],
  ])('%s', async (_, headers) => {
    expect(await post('pool-size', { poolSize: 7 }, headers)).toMatchObject({ status: 403 });
    expect(await readPool()).toMatchObject({ max: 1 });
  });

  test('a request that the browser marks as cross-site', async () => {
    const { status } = await send({ Origin: url, 'Sec-Fetch-Site': 'cross-site' });
    expect(status).toBe(403);
  });

  test("another site's name that points here", async () => {
    const host = `rebound.example:${new URL(url).port}`;
    expect(await send({ Host: host, Origin: `http://${host}` })).toMatchObject({ status: 403 });
    expect(await readPool()).toMatchObject({ max: 1 });
  });

  test('a form, which cannot send JSON', async () => {
    expect(await post('pool-size', { poolSize: 7 }, { Origin: url, 'Content-Type': 'text/plain' })).toMatchObject({
      status: 415,
    });
  });

  test('nor can the page with CONTROLS=off', async () => {
    const closed = await serveApp({ CONTROLS: 'off' });
    const response = await fetch(`${closed}/control/slow-ms`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Origin: closed },
      body: '{"slowMs":1}',
    });
    expect(response.status).toBe(403);
    expect(await response.json()).toMatchObject({ detail: 'CONTROLS is off; set CONTROLS=on to allow them' });
    expect(await (await fetch(`${closed}/pool`)).json()).toMatchObject({ controls: false });
  });

  /**
   * Sends headers that fetch does not allow.
   * @param {Record<string, string>} headers
   * @returns {Promise<{ status: number | undefined }>}
   */
  function send(headers) {
    return new Promise((resolve, reject) => {
      request(`${url}/control/pool-size`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', ...headers },
      })
        .on('response', (response) => {
          response.resume();
          resolve({ status: response.statusCode });
        })
        .on('error', reject)
        .end('{"poolSize":7}');
    });
  }
});

test('the app runs mixed.yaml against itself, one load test at a time, and streams its progress; features.long.test.js checks the result', async () => {
  await post('slow-ms', { slowMs: 200 });
  const first = await post('load-test', {});
  expect(first).toMatchObject({
    status: 202,
    body: { state: 'running', scenario: 'mixed.yaml', poolSize: 1, slowMs: 200, changes: [] },
  });
  expect(await post('load-test', {})).toMatchObject({
    status: 409,
    body: { detail: expect.stringMatching(/load test/) },
  });
  const started = await readLoadTest(({ progress }) => progress >= 0.1);
  expect(started).toMatchObject({ state: 'running', exact: { maxMs: 200 }, leftMs: expect.any(Number) });

  expect(await post('pool-size', { poolSize: 5 })).toMatchObject({ status: 200 });
  await readLoadTest(({ changes }) => changes.length >= 1);
  expect(await post('slow-ms', { slowMs: 200 })).toMatchObject({ status: 200 });
  expect(await post('slow-ms', { slowMs: 100 })).toMatchObject({ status: 200 });
  const changed = await readLoadTest(({ changes }) => changes.length >= 2);
  expect(changed).toMatchObject({
    state: 'running',
    poolSize: 1,
    slowMs: 200,
    exact: null,
    changes: [
      { poolSize: 5, slowMs: 200 },
      { poolSize: 5, slowMs: 100 },
    ],
  });
  const [{ afterMs: resizedMs }, { afterMs: shortenedMs }] = changed.changes;
  expect(resizedMs).toBeGreaterThan(0);
  expect(shortenedMs).toBeGreaterThanOrEqual(resizedMs);
});

/** @param {(loadTest: import('../../src/load-tests/load-test-runner.js').LoadTest) => boolean} matches */
async function readLoadTest(matches) {
  for await (const loadTest of new PoolClient(url).events('load-test')) {
    if (matches(loadTest)) return loadTest;
    if (loadTest.state !== 'running') throw new Error(`not seen before the load test ended: ${matches}`);
  }
  throw new Error('the stream ended');
}
