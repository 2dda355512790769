import { expect, test } from '@jest/globals';
import { announce, createMemory } from 'mongodb-pool-monitor/page/announcer.js';
import { createState, takeLoadTest, takePool } from 'mongodb-pool-monitor/page/state.js';
import { createLoadTest, createPool, createReading } from './sample-pool.js';

const QUARTER_MS = 250;

/**
 * What the announcer says while these states arrive, four per second.
 * @param {import('mongodb-pool-monitor/page/state.js').State[]} states
 */
function listen(states) {
  let memory = createMemory();
  return states.flatMap((state, index) => {
    const nowMs = index * QUARTER_MS;
    const said = announce(memory, state, nowMs);
    memory = said.memory;
    return said.message ? [{ atMs: nowMs, message: said.message }] : [];
  });
}

const BOTTLENECK = { queries: 64, cores: 2 };
/** @param {number} waiting */
const withQueue = (waiting) => takePool(createState(), createReading({ waiting }), 0);
/** @param {number} seconds @param {(index: number) => import('mongodb-pool-monitor/page/state.js').State} create */
const during = (seconds, create) => Array.from({ length: seconds * 4 }, (_, index) => create(index));

test('a lasting queue and its end are each announced once', () => {
  const said = listen([...during(8, () => withQueue(3)), ...during(8, () => withQueue(0))]);

  expect(said.map(({ message }) => message)).toEqual([
    'No lane is free: requests are waiting.', 'The queue is empty again.',
  ]);
});

test('a queue that comes and goes quickly is not announced', () => {
  expect(listen(during(30, (index) => withQueue(index % 2)))).toEqual([]);
});

test('five seconds of silence follow each sentence', () => {
  const said = listen(during(60, (index) => withQueue(Math.floor(index / 8) % 2)));

  expect(said.length).toBeGreaterThan(2);
  const pauses = said.slice(1).map(({ atMs }, index) => atMs - said[index].atMs);
  expect(Math.min(...pauses)).toBeGreaterThanOrEqual(5000);
});

test('the bottleneck and its end are announced before the queue in front of it', () => {
  const crowded = { ...withQueue(3), bottleneck: BOTTLENECK };

  expect(listen([...during(12, () => crowded), ...during(12, () => withQueue(0))]).map(({ message }) => message)).toEqual([
    'The server is the bottleneck: 64 queries share 2 cores. More connections will not help.',
    'No lane is free: requests are waiting.', 'The server is no longer the bottleneck.', 'The queue is empty again.',
  ]);
});

test('the end of a load test is announced, but not one that had ended before', () => {
  const measured = { requests: 10, failures: 0, maxMs: 5026, routes: {} };
  const old = takeLoadTest(createState(), createLoadTest({ id: 1, state: 'done', measured }));
  const running = takeLoadTest(old, createLoadTest({ id: 2 }));
  const done = takeLoadTest(running, createLoadTest({ id: 2, state: 'done', measured }));

  const said = listen([...during(2, () => old), ...during(2, () => running), ...during(8, () => done)]);

  expect(said.map(({ message }) => message)).toEqual([
    'With a pool of 1, the slowest request took 5.0 s; no request failed.',
  ]);
});

test.each(/** @type {const} */ ([
  ['the app', { connection: 'lost' }, ['The app is not responding.', 'The app is responding again.']],
  ['MongoDB', { pool: createPool({ database: { reachable: false, reason: 'connect ECONNREFUSED' } }) },
    ['MongoDB is unreachable: requests fail.', 'MongoDB is back.']],
]))('the loss and the return of %s are announced', (_, loss, messages) => {
  const live = /** @type {const} */ ({ ...withQueue(0), connection: 'live' });
  const lost = { ...live, ...loss };

  const said = listen([...during(1, () => live), ...during(8, () => lost), ...during(8, () => live)]);

  expect(said.map(({ message }) => message)).toEqual(messages);
});
