import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { gatherInserts } from '../src/index.js';

/** @typedef {{ keys: number[], end: () => void, fail: (error: Error) => void }} Batch */

/**
 * A writer to a collection whose answers the test gives.
 * @param {Parameters<typeof gatherInserts>[1]} [options]
 */
function setUp(options) {
  /** @type {Batch[]} */
  const batches = [];
  /** @param {any[]} documents */
  const insertMany = (documents) =>
    new Promise((resolve, fail) => {
      const keys = documents.map(({ _id }) => _id);
      batches.push({ keys, end: () => resolve({ acknowledged: true, insertedId: keys[0] }), fail });
    });
  const collection = { insertMany, insertOne: (/** @type {any} */ document) => insertMany([document]) };
  const writer = gatherInserts(/** @type {any} */ (collection), options);
  const insert = async (/** @type {number} */ _id) => (await writer.insert(/** @type {any} */ ({ _id }))).insertedId;
  return { batches, writer, insert, keys: () => batches.map((batch) => batch.keys) };
}

test('the document of a lone caller is sent within the turn of the event loop', async () => {
  const { insert, keys } = setUp();
  insert(1);
  await new Promise((resolve) => {
    process.nextTick(resolve);
  });
  expect(keys()).toEqual([[1]]);
});

test('concurrent callers share a batch, and those that come while it runs share the next', async () => {
  const { insert, batches, keys } = setUp({ maxBatchSize: 3 });
  const first = Promise.all([1, 2].map(insert));
  await nextTurn();
  const later = Promise.all([3, 4, 5, 6].map(insert));
  await nextTurn();
  expect(keys()).toEqual([[1, 2]]);
  batches[0].end();
  expect(await first).toEqual([1, 2]);
  await nextTurn();
  expect(keys()).toEqual([
    [1, 2],
    [3, 4, 5],
  ]);
  batches[1].end();
  await nextTurn();
  expect(keys()).toEqual([[1, 2], [3, 4, 5], [6]]);
  batches[2].end();
  expect(await later).toEqual([3, 4, 5, 6]);
});

test('callers that continue after the same batch share the next one, however they wait', async () => {
  const { insert, batches, keys } = setUp();
  insert(1).then(() => insert(11));
  (async () => {
    await (async () => insert(2))();
    await insert(12);
  })();
  await nextTurn();
  batches[0].end();
  await nextTurn();
  expect(keys()).toEqual([
    [1, 2],
    [11, 12],
  ]);
});

test('a failed batch fails its own documents only', async () => {
  const { insert, batches } = setUp({ maxBatchSize: 2 });
  const outcomes = Promise.allSettled([1, 2, 3].map(insert));
  await nextTurn();
  batches[0].fail(Object.assign(new Error('no server'), { name: 'MongoServerSelectionError' }));
  await nextTurn();
  batches[1].end();
  expect((await outcomes).map(({ status }) => status)).toEqual(['rejected', 'rejected', 'fulfilled']);
});

test('ready waits while too many documents have no outcome', async () => {
  const { writer, insert, batches } = setUp({ maxBatchSize: 2, maxPending: 3 });
  let added = 0;
  const producer = (async () => {
    for (; added < 6; added++) {
      await writer.ready();
      insert(added);
    }
  })();
  await nextTurn();
  expect(added).toBe(3);
  batches[0].end();
  await nextTurn();
  expect(added).toBe(5);
  batches[1].end();
  await producer;
});

test('close waits for all outcomes and rejects new documents', async () => {
  const { writer, insert, batches } = setUp({ maxBatchSize: 1 });
  insert(1);
  insert(2);
  let isClosed = false;
  const closing = writer.close().then(() => {
    isClosed = true;
  });
  await expect(insert(3)).rejects.toThrow('this gatherer is closed');
  await nextTurn();
  batches[0].end();
  await nextTurn();
  expect(isClosed).toBe(false);
  batches[1].end();
  await closing;
  expect(batches).toHaveLength(2);
});
