import { expect, test } from '@jest/globals';
import { measureUntil, until } from 'test-support/waiting.js';
import { serveApp } from '../support/serve-app.js';

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
  for (let batch = 0; batch < 21; batch++) await Promise.all(Array.from({ length: 10 }, () => send('/fast')));
  const answered = await until('the answers have ended', async () => {
    const { requests } = await (await fetch(`${url}/pool/requests`)).json();
    const succeeded = requests.filter((/** @type {any} */ { status }) => status === 200);
    return succeeded.length >= 210 && succeeded;
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
