import { beforeAll, expect, test } from '@jest/globals';
import { measureUntil } from '../support/measure-until.js';
import { LEAST_SLOW, serveApp } from '../support/serve-app.js';
import { until } from '../support/until.js';

/** @type {string} */
let url;
beforeAll(async () => {
  url = await serveApp({ MONGO_POOLSIZE: '1', MONGO_WAIT_QUEUE_TIMEOUT_MS: '600', SLOW_MS: '500' });
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

/** On a busy machine we see the bus late, and everything takes longer. @param {Record<string, number>} spent */
const isGood = ({ waitedMs, busWaitedMs, hadMs, restMs }) => (
  waitedMs > 100 && busWaitedMs < 20 && hadMs < 50 && restMs < 20);

test('Server-Timing has the wait for a connection, its use, and the total time', async () => {
  const spent = await measureUntil(async () => {
    const first = send('/slow');
    await until('the bus is in', () => isHeldBy('/slow'));
    const fast = await send('/fast');
    const slow = await first;
    expect(slow).toMatchObject({ status: 200, poolMs: expect.any(Number), dbMs: expect.any(Number) });
    expect(slow.dbMs).toBeGreaterThan(LEAST_SLOW * 500);
    expect(fast.totalMs).toBeGreaterThanOrEqual(fast.poolMs + fast.dbMs - 0.2);
    return { waitedMs: fast.poolMs, busWaitedMs: slow.poolMs, hadMs: fast.dbMs, restMs: fast.totalMs - fast.poolMs - fast.dbMs };
  }, isGood, 20);
  expect({ ...spent, isGood: isGood(spent) }).toMatchObject({ isGood: true });
});

test('/pool has what the last answers took beyond wait and use, at most 200 of them, without failed ones', async () => {
  const readOverhead = async () => (await (await fetch(`${url}/pool`)).json()).overhead;
  const first = await until('the answers have ended', async () => {
    await send('/fast');
    return readOverhead();
  });
  expect(first).toMatchObject({ kind: 'sample' });
  for (let batch = 0; batch < 21; batch++) await Promise.all(Array.from({ length: 10 }, () => send('/fast')));
  const { valuesMs } = await readOverhead();
  expect(valuesMs).toHaveLength(200);
  // On an idle machine it is below 1 ms. None of them waited in it for the others: that is in the wait.
  expect(valuesMs.toSorted((/** @type {number} */ a, /** @type {number} */ b) => a - b)[20]).toBeLessThan(20);
  expect(Math.min(...valuesMs)).toBeGreaterThanOrEqual(0);
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
