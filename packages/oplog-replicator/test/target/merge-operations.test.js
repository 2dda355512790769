import { expect, test } from '@jest/globals';
import { BSON } from 'mongodb';
import { createNamespaces } from '../../src/base/namespaces.js';
import { mergeOperations } from '../../src/target/merge-operations.js';
import { createBatch } from './create-batch.js';

/** @import { Logged } from './create-batch.js' */

/** @param {any} _id @returns {Logged} */
const insert = (_id, x = 0) => ({ kind: 'insert', documents: [{ _id, x }] });
/** @param {any} _id @param {Record<string, any>} change @returns {Logged} */
const update = (_id, change) => ({ kind: 'update', documents: [{ _id }, change] });
/** @param {any} _id @returns {Logged} */
const remove = (_id) => ({ kind: 'delete', documents: [{ _id }] });
const diff = (/** @type {number} */ x) => ({ $v: 2, diff: { u: { x } } });

/** @param {Logged[]} logged */
function merge(logged) {
  return mergeOperations(createBatch(logged)).map(({ inserts, updates, deletes }) => ({
    inserts: inserts.map(({ document }) => BSON.deserialize(document)),
    updates: updates.map(({ form, change, upsert }) => [form, BSON.deserialize(change), ...(upsert ? ['upsert'] : [])]),
    deletes: deletes.map((id) => BSON.deserialize(id)._id),
  }));
}

test.each([
  [
    'an insert and its updates are one insert',
    [insert(1), update(1, diff(1)), update(1, diff(2))],
    { inserts: [{ _id: 1, x: 2 }] },
  ],
  [
    'an insert and its replacement are one insert',
    [insert(1), update(1, { _id: 1, y: 1 })],
    { inserts: [{ _id: 1, y: 1 }] },
  ],
  ['an insert and its delete are one delete, which may be repeated', [insert(1), remove(1)], { deletes: [1] }],
  [
    'a delete and an insert are one replacement',
    [remove(1), insert(1, 5)],
    { updates: [['replacement', { _id: 1, x: 5 }, 'upsert']] },
  ],
  [
    'a replacement and its updates are one replacement',
    [update(1, { _id: 1, x: 1 }), update(1, diff(2))],
    { updates: [['replacement', { _id: 1, x: 2 }]] },
  ],
  [
    'updates of an unknown document keep their order',
    [update(1, diff(1)), update(1, diff(2))],
    {
      updates: [
        ['diff', diff(1)],
        ['diff', diff(2)],
      ],
    },
  ],
  [
    'modifiers stay behind the insert',
    [insert(1), update(1, { $set: { x: 1 } }), update(1, diff(2))],
    {
      inserts: [{ _id: 1, x: 0 }],
      updates: [
        ['modifiers', { $set: { x: 1 } }],
        ['diff', diff(2)],
      ],
    },
  ],
  ['a delete is all that is left', [update(1, diff(1)), update(1, { _id: 1 }), remove(1)], { deletes: [1] }],
  [
    'equal numbers are one _id',
    [insert(1), remove(new BSON.Double(1)), insert(BSON.Decimal128.fromString('1.0'))],
    { updates: [['replacement', { _id: BSON.Decimal128.fromString('1.0'), x: 0 }, 'upsert']] },
  ],
])('%s', (_, logged, expected) => {
  expect(merge(logged)).toEqual([{ inserts: [], updates: [], deletes: [], ...expected }]);
});

test('different documents share one step, whatever the order of the kinds', () => {
  expect(merge([insert(1), remove(2), insert(3), update(4, diff(1)), remove(5)])).toEqual([
    {
      inserts: [
        { _id: 1, x: 0 },
        { _id: 3, x: 0 },
      ],
      updates: [['diff', diff(1)]],
      deletes: [2, 5],
    },
  ]);
});

test('a collection whose order matters has a step for each run of one kind', () => {
  const namespace = {
    ...createNamespaces().named('merge.copy'),
    constraints: { inOrder: true, isCapped: false, isValidated: false },
  };
  const steps = mergeOperations(
    createBatch([insert(1), insert(2), remove(1), insert(1), update(1, diff(1))], { namespace }),
  );
  expect(steps.map(({ inserts, updates, deletes }) => [inserts.length, updates.length, deletes.length])).toEqual([
    [2, 0, 0],
    [0, 0, 1],
    [1, 0, 0],
    [0, 1, 0],
  ]);
});
