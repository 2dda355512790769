import { describe, expect, test } from '@jest/globals';
import { BSON } from 'mongodb';
import { DocumentChanger } from '../src/target/document-changer.js';
import { createBatch } from './create-batch.js';

/** @import { Update } from '../src/target/merge-operations.js' */

const bytes = (/** @type {Record<string, any>} */ document) => Buffer.from(BSON.serialize(document));
/** @param {number} _id @param {Record<string, any>} change @param {Partial<Update>} [more] @returns {Update} */
const update = (_id, change, more) => ({
  ...{ key: String(_id), id: bytes({ _id }), change: bytes(change), upsert: false },
  form: 'diff' in change ? 'diff' : 'replacement',
  ...more,
});
const diff = (/** @type {Record<string, any>} */ u) => ({ $v: 2, diff: { u } });

/**
 * Changes documents of a target that has some.
 * @param {Record<string, any>[]} existing
 * @param {Update[]} updates
 * @param {{ inOrder?: boolean, deferred?: number[] }} [options]
 */
async function change(existing, updates, { inOrder = false, deferred = [] } = {}) {
  const batch = createBatch([]);
  if (inOrder) batch.namespace.constraints = /** @type {any} */ ({ inOrder });
  /** @type {{ id: number, document: any, upsert: boolean }[]} */
  const sent = [];
  /** @type {string[]} */
  const missing = [];
  /** @type {number[]} */
  const reads = [];
  const changer = new DocumentChanger({
    target: /** @type {any} */ ({
      read(/** @type {unknown} */ _, /** @type {Buffer[]} */ ids) {
        reads.push(ids.length);
        const wanted = new Set(ids.map((id) => BSON.deserialize(id)._id));
        const found = existing.filter(({ _id }) => wanted.has(_id)).map((each) => [String(each._id), bytes(each)]);
        return { found: new Map(/** @type {any} */ (found)), isComplete: true };
      },
    }),
    deferred: /** @type {any} */ ({
      find: (/** @type {unknown} */ _, /** @type {string} */ key) => deferred.includes(Number(key)),
      list: () => [],
    }),
    budget: /** @type {any} */ ({ spend: (/** @type {number} */ _, /** @type {() => unknown} */ work) => work() }),
    send: async (_, replacements) => {
      for (const { id, change: document, upsert } of replacements)
        sent.push({ id: BSON.deserialize(id)._id, document: BSON.deserialize(document), upsert });
    },
    addMissing: (_, key) => missing.push(key),
  });
  // The first one shows how large they are: until then, each is read alone.
  await changer.change(batch, [update(0, { _id: 0 })]);
  sent.length = 0;
  await changer.change(batch, updates);
  return { sent, missing, reads };
}

describe('updates of one document are one replacement', () => {
  test('with its last state', async () => {
    const { sent, missing } = await change(
      [{ _id: 1, a: 1, b: 1 }],
      [update(1, diff({ a: 2 })), update(1, diff({ b: 3 }))],
    );
    expect(sent).toEqual([{ id: 1, document: { _id: 1, a: 2, b: 3 }, upsert: false }]);
    expect(missing).toEqual([]);
  });

  test('which may insert if any of them may', async () => {
    const first = update(1, { _id: 1, a: 1 }, { upsert: true });
    const later = update(1, diff({ a: 2 }));
    expect((await change([], [first, later])).sent).toEqual([{ id: 1, document: { _id: 1, a: 2 }, upsert: true }]);
    const replaced = update(1, { _id: 1, a: 5 }, { upsert: true });
    expect((await change([{ _id: 1, a: 1 }], [later, replaced])).sent).toMatchObject([{ upsert: true }]);
  });

  test('which may insert a document that only we have', async () => {
    const { sent } = await change([{ _id: 1 }, { _id: 2 }], [update(1, diff({ a: 2 })), update(2, diff({ a: 2 }))], {
      deferred: [2],
    });
    expect(sent.map(({ id, upsert }) => [id, upsert])).toEqual([
      [1, false],
      [2, true],
    ]);
  });
});

test('with a unique index every version is written', async () => {
  const updates = [update(1, diff({ a: 2 })), update(1, diff({ a: 3 }))];
  expect((await change([{ _id: 1, a: 1 }], updates, { inOrder: true })).sent.map(({ document }) => document.a)).toEqual(
    [2, 3],
  );
});

test('a diff of a document that the target does not have is told', async () => {
  const { sent, missing } = await change([{ _id: 1 }], [update(1, diff({ a: 1 })), update(2, diff({ a: 1 }))]);
  expect([sent.map(({ id }) => id), missing]).toEqual([[1], ['2']]);
});

test('at most as many are read at once as fit into an answer', async () => {
  const ids = Array.from({ length: 250 }, (_, index) => index + 1);
  const { sent, reads } = await change(
    ids.map((_id) => ({ _id })),
    ids.map((_id) => update(_id, diff({ a: 1 }))),
  );
  expect(sent.map(({ id }) => id)).toEqual(ids);
  expect(reads.filter((count) => count > 0)).toEqual([100, 100, 50]);
});
