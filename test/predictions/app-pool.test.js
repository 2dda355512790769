import { describe, expect, test } from '@jest/globals';
import { simulate } from 'mongodb-pool-predictor';
import { sendOpenLoad } from '../../src/harness/open-load.js';
import { checkAppPool, describeAppPool, poolOfApp } from '../../src/predictions/app-pool.js';
import { measureUntil } from '../support/measure-until.js';
import { serveApp } from '../support/serve-app.js';

const SLOW_MS = 300;
/** Three administrators, then a customer. @param {number} customerAtMs */
const burst = (customerAtMs) => [...[0, 0, 0].map((atMs) => ({ route: '/slow', atMs })), { route: '/fast', atMs: customerAtMs }];

describe('a burst on a real app ends as in the simulation of its GET /pool', () => {
  // Each burst, as computed by hand: the statuses and about when the answers come. The customer comes after 100 ms.
  /** @type {[string, Record<string, string>, number[], number[], number?][]} */
  const cases = [
    ['a second client', { MONGO_POOLSIZE: '1', SLOW_POOLSIZE: '2' }, [200, 200, 200, 200], [300, 300, 600, 0]],
    ['a concurrency limit', { MONGO_POOLSIZE: '3', SLOW_CONCURRENCY: '2' }, [200, 200, 503, 200], [300, 300, 0, 0]],
    ['a second client with a limit', { MONGO_POOLSIZE: '1', SLOW_POOLSIZE: '1', SLOW_CONCURRENCY: '2' },
      [200, 200, 503, 200], [300, 600, 0, 0]],
    ['a wait-queue timeout', { MONGO_POOLSIZE: '1', MONGO_WAIT_QUEUE_TIMEOUT_MS: '450' }, [200, 200, 503, 503], [300, 600, 450, 450]],
    // It comes later here, so that a new connection can be opened in time on a busy machine, too.
    ['a request deadline', { MONGO_POOLSIZE: '1', REQUEST_TIMEOUT_MS: '450' }, [200, 503, 503, 200], [300, 450, 450, 170], 280],
  ];

  test.each(cases)('%s', async (_, settings, statuses, tookMs, customerAtMs = 100) => {
    const load = burst(customerAtMs);
    const url = await serveApp({ ...settings, SLOW_MS: String(SLOW_MS) });
    const { settings: known } = await (await fetch(`${url}/pool`)).json();
    const { records = [] } = simulate({
      arrivals: load, pool: poolOfApp(known), keepRequests: true,
      services: { '/slow': { kind: 'fixed', ms: SLOW_MS }, '/fast': { kind: 'fixed', ms: 1 } },
    });
    const simulated = records.toSorted((a, b) => a.user - b.user)
      .map(({ outcome, arrivedAtMs, finishedAtMs }) => ({ status: outcome === 'ok' ? 200 : 503, tookMs: finishedAtMs - arrivedAtMs }));
    expect(simulated.map(({ status }) => status)).toEqual(statuses);
    for (const [index, ms] of tookMs.entries()) expect(Math.abs(simulated[index].tookMs - ms)).toBeLessThan(2);

    const send = () => sendOpenLoad(load, { url, patienceMs: 10_000, signal: new AbortController().signal });
    await send(); // opens the connections
    const answers = await measureUntil(send, (all) => all.every(({ status, tookMs }, index) => (
      status === simulated[index].status && Math.abs(tookMs - simulated[index].tookMs) < 60)));
    expect(answers.map(({ status }) => status)).toEqual(statuses);
    for (const [index, { tookMs }] of answers.entries()) expect(Math.abs(tookMs - simulated[index].tookMs)).toBeLessThan(60);
  });
});

test('in words', () => {
  expect(describeAppPool({ poolSize: 10, slowPoolSize: 2, waitQueueTimeoutMs: 500 })).toBe(
    '10 connections, 2 more for /slow, wait-queue timeout 500 ms');
  expect(describeAppPool({ poolSize: 1, slowConcurrency: 1, requestTimeoutMs: 150_000, waitQueueTimeoutMs: 0 })).toBe(
    '1 connection, at most 1 request of /slow at once, request deadline 150.0 s');
  expect(describeAppPool({ poolSize: 0 })).toBe('no limit on connections');
});

test('a pool smaller than the app\'s minimum keeps all its connections open', () => {
  expect(poolOfApp({ poolSize: 2, minPoolSize: 5 })).toMatchObject({ maxPoolSize: 2, minPoolSize: 2 });
});

test.each([
  [null, 'it must be an object'], [{}, 'poolSize must be a whole number from 0 to 100000'],
  [{ poolSize: 3, slowPoolSize: 1e9 }, 'slowPoolSize must be a whole number from 0 to 100000'],
  [{ poolSize: 3, requestTimeoutMs: -1 }, 'requestTimeoutMs must be a whole number from 0 to 2147483647'],
])('%j is refused', (value, message) => {
  expect(() => checkAppPool(value, 'it')).toThrow(message);
});
