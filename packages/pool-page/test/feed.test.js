import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, expect, jest, test } from '@jest/globals';
import { Checkouts, createRequests } from 'mongodb-pool-monitor';
import { createFakeClient } from 'test-support/fake-client.js';
import { Feed } from '../src/feed.js';
import { LoopDelay } from '../src/loop-delay.js';

afterEach(() => {
  jest.useRealTimers();
});

/** With a clock that the test turns. */
function openFeed({ fake = createFakeClient({ max: 3 }), checkouts = new Checkouts() } = {}) {
  jest.useFakeTimers({ now: 3_600_000, doNotFake: ['performance'] });
  const { monitor } = fake;
  /** @type {import('../src/live-source.js').LiveSource} */
  const source = {
    listPools: () => [{ name: null, monitors: [monitor], settings: /** @type {any} */ ({}) }],
    checkouts,
    requests: createRequests(checkouts),
    readStatus: () => ({ reachable: true, reason: null }),
    about: () => ({ features: {} }),
  };
  return new Feed(source, /** @type {any} */ ({ count: 0, send() {} }));
}

test('a clock that is set back leaves no second in the future', () => {
  const feed = openFeed();
  jest.advanceTimersByTime(3000);
  expect(feed.history.map(({ atMs }) => atMs)).toEqual([3_601_000, 3_602_000, 3_603_000]);
  jest.setSystemTime(5000);
  jest.advanceTimersByTime(2000);
  feed.close();
  expect(feed.history.map(({ atMs }) => atMs)).toEqual([6000, 7000]);
});

test('seconds are listed by number, those of the last two minutes', () => {
  const feed = openFeed();
  jest.advanceTimersByTime(125_000);
  feed.close();
  expect(feed.list({ after: 122 })).toMatchObject([{ id: 123 }, { id: 124 }, { id: 125, loopDelayMs: {}, max: 3 }]);
  expect(feed.list({ after: 0 })).toHaveLength(120);
  expect([feed.lastId, feed.countForgotten(0), feed.countForgotten(3), feed.countForgotten(90)]).toEqual([
    125, 5, 2, 0,
  ]);
});

test('a change stream that waits for news is no slow work in the background', () => {
  const fake = createFakeClient({ max: 3 });
  /** @type {import('mongodb-pool-monitor').CheckoutRecord['kind']} */
  let kind = 'changeStream';
  const checkouts = new Checkouts({ outside: 'background', describe: () => ({ operation: 'getMore news', kind }) });
  checkouts.watch(fake.monitor);
  const feed = openFeed({ fake, checkouts });
  fake.use(1);
  fake.startCheckOut();
  fake.checkOut(1, 0);
  jest.advanceTimersByTime(1000);
  const [{ routes, heldMs, active }] = feed.history;
  expect({ routes, heldMs, active }).toEqual({ routes: {}, heldMs: {}, active: 1 });
  kind = null;
  fake.use(2);
  fake.startCheckOut();
  fake.checkOut(2, 0);
  jest.advanceTimersByTime(1000);
  feed.close();
  expect(feed.history[1]).toMatchObject({
    routes: { background: { count: 1 } },
    heldMs: { background: expect.any(Number) },
  });
});

test('the delay of the event loop is what keeps timers waiting', async () => {
  const delay = new LoopDelay();
  await wait(60);
  const endMs = performance.now() + 150;
  while (performance.now() < endMs);
  await wait(60);
  const { loopBusy, loopDelayMs } = delay.read();
  expect(loopDelayMs.max).toBeGreaterThan(100);
  expect(loopDelayMs.mean).toBeGreaterThan(0);
  expect(loopDelayMs.mean).toBeLessThan(loopDelayMs.max);
  expect(loopBusy).toBeGreaterThan(0.3);
  delay.close();
});
