import { describe, expect, test } from '@jest/globals';
import { createGatherer } from '../src/gather.js';

/**
 * A gatherer of numbers. The test ends each batch.
 * @param {Partial<import('../src/gather.js').GathererOptions<number, string>>} [options]
 */
function setUp(options) {
  /** @type {{ items: number[], end: () => void, fail: (error: Error) => void }[]} */
  const batches = [];
  const gatherer = createGatherer({
    runBatch: (/** @type {number[]} */ items) => new Promise((resolve, fail) => {
      const end = () => resolve(items.map((item) => (item < 0
        ? { status: /** @type {const} */ ('rejected'), reason: new Error(`not ${item}`) }
        : { status: /** @type {const} */ ('fulfilled'), value: `did ${item}` })));
      batches.push({ items, end, fail });
    }),
    maxBatchSize: 100,
    ...options,
  });
  return { batches, gatherer, items: () => batches.map((one) => one.items) };
}

/** Lets everything happen that needs no input. */
const settled = () => new Promise(setImmediate);

test('a lone caller is served within the turn of the event loop', async () => {
  const { gatherer, items } = setUp();
  gatherer.add(1);
  await new Promise((resolve) => { process.nextTick(resolve); });
  expect(items()).toEqual([[1]]);
});

test('concurrent callers share a batch, and those that come while it runs share the next', async () => {
  const { gatherer, batches, items } = setUp({ maxBatchSize: 3 });
  const first = Promise.all([gatherer.add(1), gatherer.add(2)]);
  await settled();
  const later = [3, 4, 5, 6].map(gatherer.add);
  await settled();
  expect(items()).toEqual([[1, 2]]);
  batches[0].end();
  expect(await first).toEqual(['did 1', 'did 2']);
  await settled();
  expect(items()).toEqual([[1, 2], [3, 4, 5]]);
  batches[1].end();
  await settled();
  expect(items()).toEqual([[1, 2], [3, 4, 5], [6]]);
  batches[2].end();
  expect(await Promise.all(later)).toEqual(['did 3', 'did 4', 'did 5', 'did 6']);
});

test('callers that continue after the same batch share the next one, however they wait', async () => {
  const { gatherer, batches, items } = setUp();
  gatherer.add(1).then(() => gatherer.add(11));
  (async () => {
    await (async () => gatherer.add(2))();
    await gatherer.add(12);
  })();
  await settled();
  batches[0].end();
  await settled();
  expect(items()).toEqual([[1, 2], [11, 12]]);
});

test('several batches run at the same time if allowed', async () => {
  const { gatherer, batches, items } = setUp({ maxBatchSize: 1, maxRunning: 2 });
  for (const item of [1, 2, 3]) gatherer.add(item);
  await settled();
  expect(items()).toEqual([[1], [2]]);
  batches[1].end();
  await settled();
  expect(items()).toEqual([[1], [2], [3]]);
});

test('with setImmediate, callers of one turn of the event loop share a batch', async () => {
  const { gatherer, items } = setUp({ schedule: setImmediate });
  gatherer.add(1);
  await new Promise((resolve) => { process.nextTick(resolve); });
  gatherer.add(2);
  await settled();
  expect(items()).toEqual([[1, 2]]);
});

describe('each caller gets its own outcome', () => {
  test('one is refused', async () => {
    const { gatherer, batches } = setUp();
    const outcomes = Promise.allSettled([1, -2, 3].map(gatherer.add));
    await settled();
    batches[0].end();
    expect(await outcomes).toEqual([
      { status: 'fulfilled', value: 'did 1' },
      { status: 'rejected', reason: new Error('not -2') },
      { status: 'fulfilled', value: 'did 3' },
    ]);
  });

  test('a failed batch fails its own items only', async () => {
    const { gatherer, batches } = setUp({ maxBatchSize: 2 });
    const outcomes = Promise.allSettled([1, 2, 3].map(gatherer.add));
    await settled();
    batches[0].fail(new Error('broken'));
    await settled();
    batches[1].end();
    expect((await outcomes).map(({ status }) => status)).toEqual(['rejected', 'rejected', 'fulfilled']);
  });
});

test('ready waits while too many items have no outcome', async () => {
  const { gatherer, batches } = setUp({ maxBatchSize: 2, maxPending: 3 });
  let added = 0;
  const producer = (async () => {
    for (; added < 6; added++) {
      await gatherer.ready();
      gatherer.add(added);
    }
  })();
  await settled();
  expect(added).toBe(3);
  batches[0].end();
  await settled();
  expect(added).toBe(5);
  batches[1].end();
  await producer;
});

test('close waits for all outcomes and rejects new items', async () => {
  const { gatherer, batches } = setUp({ maxBatchSize: 1 });
  gatherer.add(1);
  gatherer.add(2);
  let isClosed = false;
  const closing = gatherer.close().then(() => { isClosed = true; });
  await expect(gatherer.add(3)).rejects.toThrow('this gatherer is closed');
  await settled();
  batches[0].end();
  await settled();
  expect(isClosed).toBe(false);
  batches[1].end();
  await closing;
  expect(batches).toHaveLength(2);
});
