import { beforeAll, expect, test } from '@jest/globals';
import { serveApp } from '../support/serve-app.js';
import { until } from '../support/until.js';

/** @type {string} */
let url;
beforeAll(async () => {
  url = await serveApp({ MONGO_POOLSIZE: '1', MONGO_WAIT_QUEUE_TIMEOUT_MS: '250', SLOW_MS: '200' });
});

/**
 * @param {string} route
 * @returns {Promise<{ status: number, poolMs: number, dbMs: number, totalMs: number }>} as Server-Timing has it
 */
async function send(route) {
  const response = await fetch(url + route);
  await response.arrayBuffer();
  const parts = [...String(response.headers.get('server-timing')).matchAll(/(\w+);dur=([\d.]+)/g)];
  const [poolMs, dbMs, totalMs] = ['pool', 'db', 'total'].map((part) => Number(parts.find(([, name]) => name === part)?.[2]));
  return { status: response.status, poolMs, dbMs, totalMs };
}

/** @param {string} route */
async function isHeldBy(route) {
  return (await (await fetch(`${url}/pool`)).json()).lanes[0]?.route === route;
}

test('Server-Timing says how long a request waited for a connection, had it, and took in all', async () => {
  const slow = send('/slow');
  await until('the bus is in', () => isHeldBy('/slow'));
  const fast = await send('/fast');
  expect(await slow).toMatchObject({ status: 200, poolMs: expect.any(Number), dbMs: expect.any(Number) });
  const { poolMs: slowPoolMs, dbMs: slowDbMs } = await slow;
  expect(slowPoolMs).toBeLessThan(20);
  expect(slowDbMs).toBeGreaterThanOrEqual(200);

  expect(fast.poolMs).toBeGreaterThan(100);
  expect(fast.dbMs).toBeLessThan(50);
  expect(fast.totalMs).toBeGreaterThanOrEqual(fast.poolMs + fast.dbMs - 0.2);
  expect(fast.totalMs - fast.poolMs - fast.dbMs).toBeLessThan(20);
});

test('one that got no connection in time has only waited', async () => {
  const first = send('/slow');
  await until('the bus is in', () => isHeldBy('/slow'));
  const rest = await Promise.all([send('/slow'), send('/slow')]);
  const refused = rest.find(({ status }) => status === 503);
  expect(refused).toMatchObject({ dbMs: 0 });
  expect(refused?.poolMs).toBeGreaterThanOrEqual(249);
  await first;
});
