import { expect, test } from '@jest/globals';
import { announce, createMemory } from 'mongodb-pool-page/page/announcer.js';
import { createState, takePool } from 'mongodb-pool-page/page/state.js';
import { createPool, createReading } from './sample-pool.js';

/** @import { State } from 'mongodb-pool-page/page/state.js' */

const QUARTER_MS = 250;

/**
 * What the announcer says while these states arrive, four per second.
 * @param {State[]} states
 * @param {string[]} [messages] of the app
 */
function listen(states, messages) {
  let memory = createMemory();
  return states.flatMap((state, index) => {
    const nowMs = index * QUARTER_MS;
    const said = announce(memory, state, nowMs, messages);
    memory = said.memory;
    return said.message ? [{ atMs: nowMs, message: said.message }] : [];
  });
}

/** @param {Parameters<typeof listen>} args */
const hear = (...args) => listen(...args).map(({ message }) => message);

const BOTTLENECK = { queries: 64, cores: 2 };
/** @param {number} waiting */
const withQueue = (waiting) => takePool(createState(), createReading({ waiting }), 0);
/** @param {number} seconds @param {(index: number) => State} create */
const during = (seconds, create) => Array.from({ length: seconds * 4 }, (_, index) => create(index));

test('a lasting queue and its end are each announced once', () => {
  expect(hear([...during(8, () => withQueue(3)), ...during(8, () => withQueue(0))])).toEqual([
    'No lane is free: requests are waiting.',
    'The queue is empty again.',
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

  expect(hear([...during(12, () => crowded), ...during(12, () => withQueue(0))])).toEqual([
    'The server is the bottleneck: 64 queries share 2 cores. More connections will not help.',
    'No lane is free: requests are waiting.',
    'The server is no longer the bottleneck.',
    'The queue is empty again.',
  ]);
});

test('what the app says comes in its turn, one sentence at a time', () => {
  const queue = during(12, () => withQueue(3));

  expect(hear(queue, ['The load test is over.', 'So is the next one.'])).toEqual([
    'The load test is over.',
    'So is the next one.',
    'No lane is free: requests are waiting.',
  ]);
});

test.each(
  /** @type {const} */ ([
    ['the app', { connection: 'lost' }, ['The app is not responding.', 'The app is responding again.']],
    [
      'MongoDB',
      { pool: createPool({ database: { reachable: false, reason: 'connect ECONNREFUSED' } }) },
      ['MongoDB is unreachable: requests fail.', 'MongoDB is back.'],
    ],
  ]),
)('the loss and the return of %s are announced', (_, loss, messages) => {
  const live = /** @type {const} */ ({ ...withQueue(0), connection: 'live' });
  const lost = { ...live, ...loss };

  expect(hear([...during(1, () => live), ...during(8, () => lost), ...during(8, () => live)])).toEqual(messages);
});
