import { describe, expect, test } from '@jest/globals';
import { createGatherer } from '../src/gather.js';

/**
 * A gatherer of numbers whose runs end when the test says so.
 * @param {Partial<import('../src/gather.js').GathererOptions<number, string>>} [options]
 */
function createScene(options) {
  /** @type {{ items: number[], end: () => void, fail: (error: Error) => void }[]} */
  const runs = [];
  const gatherer = createGatherer({
    run: (/** @type {number[]} */ items) => new Promise((resolve, fail) => {
      const end = () => resolve(items.map((item) => (item < 0
        ? { status: /** @type {const} */ ('rejected'), reason: new Error(`not ${item}`) }
        : { status: /** @type {const} */ ('fulfilled'), value: `did ${item}` })));
      runs.push({ items, end, fail });
    }),
    maxBatch: 100,
    ...options,
  });
  return { runs, gatherer, items: () => runs.map((one) => one.items) };
}

/** All that can happen without input from outside. */
const settled = () => new Promise(setImmediate);

test('a lone caller is served within the turn of the event loop', async () => {
  const { gatherer, items } = createScene();
  gatherer.add(1);
  await new Promise((resolve) => { process.nextTick(resolve); });
  expect(items()).toEqual([[1]]);
});

test('callers of one moment share a run, and those that come meanwhile the next', async () => {
  const { gatherer, runs, items } = createScene({ maxBatch: 3 });
  const first = Promise.all([gatherer.add(1), gatherer.add(2)]);
  await settled();
  const later = [3, 4, 5, 6].map(gatherer.add);
  await settled();
  expect(items()).toEqual([[1, 2]]);
  runs[0].end();
  expect(await first).toEqual(['did 1', 'did 2']);
  await settled();
  expect(items()).toEqual([[1, 2], [3, 4, 5]]);
  runs[1].end();
  await settled();
  expect(items()).toEqual([[1, 2], [3, 4, 5], [6]]);
  runs[2].end();
  expect(await Promise.all(later)).toEqual(['did 3', 'did 4', 'did 5', 'did 6']);
});

test('callers that go on as soon as they have their outcome stay together, however they wait for it', async () => {
  const { gatherer, runs, items } = createScene();
  gatherer.add(1).then(() => gatherer.add(11));
  (async () => {
    await (async () => gatherer.add(2))();
    await gatherer.add(12);
  })();
  await settled();
  runs[0].end();
  await settled();
  expect(items()).toEqual([[1, 2], [11, 12]]);
});

test('several runs at the same time, where that is allowed', async () => {
  const { gatherer, runs, items } = createScene({ maxBatch: 1, maxRunning: 2 });
  for (const item of [1, 2, 3]) gatherer.add(item);
  await settled();
  expect(items()).toEqual([[1], [2]]);
  runs[1].end();
  await settled();
  expect(items()).toEqual([[1], [2], [3]]);
});

test('callers of one turn of the event loop gather where the schedule says so', async () => {
  const { gatherer, items } = createScene({ schedule: setImmediate });
  gatherer.add(1);
  await new Promise((resolve) => { process.nextTick(resolve); });
  gatherer.add(2);
  await settled();
  expect(items()).toEqual([[1, 2]]);
});

describe('each caller has its own outcome', () => {
  test('one is refused', async () => {
    const { gatherer, runs } = createScene();
    const outcomes = Promise.allSettled([1, -2, 3].map(gatherer.add));
    await settled();
    runs[0].end();
    expect(await outcomes).toEqual([
      { status: 'fulfilled', value: 'did 1' },
      { status: 'rejected', reason: new Error('not -2') },
      { status: 'fulfilled', value: 'did 3' },
    ]);
  });

  test('a run that fails fails all of its own, and the next goes on', async () => {
    const { gatherer, runs } = createScene({ maxBatch: 2 });
    const outcomes = Promise.allSettled([1, 2, 3].map(gatherer.add));
    await settled();
    runs[0].fail(new Error('broken'));
    await settled();
    runs[1].end();
    expect((await outcomes).map(({ status }) => status)).toEqual(['rejected', 'rejected', 'fulfilled']);
  });
});

test('ready waits while too many have no outcome', async () => {
  const { gatherer, runs } = createScene({ maxBatch: 2, maxPending: 3 });
  let added = 0;
  const producer = (async () => {
    for (; added < 6; added++) {
      await gatherer.ready();
      gatherer.add(added);
    }
  })();
  await settled();
  expect(added).toBe(3);
  runs[0].end();
  await settled();
  expect(added).toBe(5);
  runs[1].end();
  await producer;
});

test('closing waits for all outcomes and takes no more', async () => {
  const { gatherer, runs } = createScene({ maxBatch: 1 });
  gatherer.add(1);
  gatherer.add(2);
  let isClosed = false;
  const closing = gatherer.close().then(() => { isClosed = true; });
  await expect(gatherer.add(3)).rejects.toThrow('this gatherer is closed');
  await settled();
  runs[0].end();
  await settled();
  expect(isClosed).toBe(false);
  runs[1].end();
  await closing;
  expect(runs).toHaveLength(2);
});
