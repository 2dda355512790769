import { describe, expect, test } from '@jest/globals';
import { inOrder, until } from 'test-support/waiting.js';
import { LEAST_SLOW, serveApp } from '../support/serve-app.js';

/** @param {string} url */
async function ask(url) {
  const askedAt = performance.now();
  const response = await fetch(url);
  const body = await response.json();
  return {
    status: response.status,
    retryAfter: response.headers.get('retry-after'),
    body,
    ms: performance.now() - askedAt,
  };
}

/** @param {string} url */
const readPool = async (url) => (await ask(`${url}/pool`)).body;

describe('with SLOW_CONCURRENCY', () => {
  test('requests beyond the limit get 503 with Retry-After at once', async () => {
    const url = await serveApp({ MONGO_POOLSIZE: '10', SLOW_CONCURRENCY: '2', SLOW_MS: '1000' });
    const answers = await inOrder(Array.from({ length: 6 }, () => ask(`${url}/slow`)));
    expect(answers.map(({ status }) => status)).toEqual([503, 503, 503, 503, 200, 200]);
    for (const { ms } of answers.slice(4)) expect(ms).toBeGreaterThan(LEAST_SLOW * 1000);
    expect(answers[0]).toMatchObject({
      retryAfter: '1',
      body: {
        status: 503,
        title: 'Too many of these requests at once',
        detail: '2 requests are running, the limit is 2',
      },
    });
    expect(await readPool(url)).toMatchObject({ slowLimit: { max: 2, running: 0, refused: 4 } });
    expect(await ask(`${url}/slow`)).toMatchObject({ status: 200 });
  });

  test('a client that disconnects frees its place, because its query is aborted', async () => {
    const url = await serveApp({ SLOW_CONCURRENCY: '1', SLOW_MS: '60000' });
    const leaving = new AbortController();
    const left = fetch(`${url}/slow`, { signal: leaving.signal }).catch(() => 'left');
    await until('its query runs', async () => (await readPool(url)).slowLimit.running === 1);
    leaving.abort();
    expect(await left).toBe('left');
    await until('its query is over', async () => (await readPool(url)).slowLimit.running === 0);
    expect(await readPool(url)).toMatchObject({ active: 0 });
  });
});

describe('with SLOW_POOLSIZE', () => {
  test('buses fill their own tunnel, Ferraris find theirs free, and /pool shows both', async () => {
    const url = await serveApp({ MONGO_POOLSIZE: '2', SLOW_POOLSIZE: '1', SLOW_MS: '1500' });
    const slow = [ask(`${url}/slow`), ask(`${url}/slow`)];
    const pool = await until('one bus drives and one waits', async () => {
      const now = await readPool(url);
      return now.clients[1].active === 1 && now.clients[1].waiting === 1 && now;
    });
    expect(pool).toMatchObject({
      max: 2,
      active: 0,
      waiting: 0,
      lanes: [],
      queue: [],
      clients: [
        { name: null },
        {
          name: 'slow',
          max: 1,
          lanes: [{ route: '/slow' }],
          queue: [{ route: '/slow', behind: [{ route: '/slow' }] }],
        },
      ],
    });
    expect(await ask(`${url}/fast`)).toMatchObject({ status: 200 });
    expect((await readPool(url)).clients[1]).toMatchObject({ active: 1, waiting: 1 });

    const metrics = await (await fetch(`${url}/metrics`)).text();
    const gauge = (/** @type {string} */ name) =>
      [
        ...metrics.matchAll(
          new RegExp(`^db_client_connection_${name}\\{.*pool_name="[^"/]+(/slow)?".*\\} (\\d+)$`, 'gm'),
        ),
      ].map(([, label = '', value]) => [label, Number(value)]);
    expect(gauge('max')).toEqual([
      ['', 2],
      ['/slow', 1],
    ]);
    expect(gauge('pending_requests')).toEqual([
      ['', 0],
      ['/slow', 1],
    ]);
    expect(gauge('timeouts_total')).toEqual([
      ['', 0],
      ['/slow', 0],
    ]);

    await Promise.all(slow);
    const { checkouts } = (await ask(`${url}/pool/checkouts`)).body;
    const pools = ['/fast', '/slow'].map(
      (route) =>
        new Set(
          checkouts
            .filter((/** @type {any} */ checkout) => checkout.route === route)
            .map((/** @type {any} */ { pool: name }) => name),
        ),
    );
    expect(pools).toEqual([new Set([null]), new Set(['slow'])]);
    expect(await readPool(url)).toMatchObject({
      checkOutFailed: {},
      clients: [{}, { use: { count: expect.any(Number) } }],
    });
  });

  test('the page only changes the size of the other pool', async () => {
    const url = await serveApp({ MONGO_POOLSIZE: '1', SLOW_POOLSIZE: '1' });
    const response = await fetch(`${url}/control/pool-size`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Origin: url },
      body: '{"poolSize":4}',
    });
    expect(response.status).toBe(200);
    expect(await readPool(url)).toMatchObject({ max: 4, clients: [{ max: 4 }, { max: 1 }] });
  });
});

test('without those settings /pool does not mention them', async () => {
  const pool = await readPool(await serveApp());
  expect(pool.clients).toHaveLength(1);
  expect(pool).not.toHaveProperty('slowLimit');
});
