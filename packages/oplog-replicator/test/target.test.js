import { createHash } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { BSON, ObjectId } from 'mongodb';
import { sharedMongoUrl } from 'test-support/mongod.js';
import { CHECKPOINT_DATABASE, createNamespaces } from '../src/base/namespaces.js';
import { createCopyStore } from '../src/snapshot/copy-store.js';
import { createCheckpoint } from '../src/target/checkpoint.js';
import { openClient, openDeployment, openTarget } from './connections.js';
import { mergeOperations } from '../src/target/merge-operations.js';
import { createBatch } from './create-batch.js';

/** @import { Logged } from './create-batch.js' */

describe('the target', () => {
  /** @param {string} url */
  function open(url) {
    return openTarget(openDeployment(url), 'one');
  }

  // The driver's private lib/cmap/commands.js: no public method takes bytes. This fails if a release changes it.
  test('the driver sends documents byte for byte', async () => {
    const collection = openClient(sharedMongoUrl()).db('target').collection('bytes');
    await collection.deleteMany({});
    // As an object, it would be { 1: 1, _id: 1, b: 1 }.
    const fieldsOf = (/** @type {number} */ _id) => Object.entries({ _id, b: 1 }).concat([['1', 1]]);
    const documents = [1, 2].map((_id) => Buffer.from(BSON.serialize(new Map(fieldsOf(_id)))));
    const namespace = createNamespaces().named('target.bytes');
    expect(await open(sharedMongoUrl()).write(namespace, 'insert', 'documents', documents)).toEqual({
      matched: 2,
      errors: [],
    });
    const found = await collection.find({}, { raw: true }).sort({ _id: 1 }).toArray();
    expect(found.map((each) => Buffer.from(/** @type {any} */ (each)))).toEqual(documents);
  });

  test('commands that are sent at the same time do not mix, whatever their size', async () => {
    const collection = openClient(sharedMongoUrl()).db('target').collection('parallel');
    await collection.deleteMany({});
    const namespace = createNamespaces().named('target.parallel');
    const target = open(sharedMongoUrl());
    const sizes = [10, 3_000_000, 100_000, 12_000_000, 5];
    await Promise.all(
      sizes.map((size, _id) =>
        target.write(namespace, 'insert', 'documents', [
          Buffer.from(BSON.serialize({ _id, text: String(_id).repeat(size) })),
        ]),
      ),
    );
    const found = await collection.find().sort({ _id: 1 }).toArray();
    expect(found.map(({ text }, _id) => text === String(_id).repeat(text.length) && text.length)).toEqual(sizes);
  });

  test('what is deferred may be larger than a document, and replaces what was stored before', async () => {
    const target = open(sharedMongoUrl());
    const setId = new ObjectId();
    const checkpoint = createCheckpoint(target, { name: 'one', setId });
    const save = (/** @type {any[]} */ deferred) =>
      checkpoint.write({ applied: { seconds: 1, increment: 1, term: 1 }, since: null, deferred });
    const stored = openClient(sharedMongoUrl()).db(CHECKPOINT_DATABASE).collection('deferred');
    const countSets = async () => (await stored.distinct('_id.set', { '_id.source': setId })).length;
    await checkpoint.claim();
    const writes = ['x', 'y', 'z'].map((letter, _id) => ({
      name: `shop.${letter}`,
      reason: `because of ${letter}`,
      id: Buffer.from(BSON.serialize({ _id })),
      document: _id === 1 ? null : Buffer.from(BSON.serialize({ _id, text: letter.repeat(5_000_000) })),
    }));
    await save(writes.slice(1));
    await save(writes);
    expect(await countSets()).toBe(1);
    const found = (await checkpoint.read())?.deferred ?? [];
    await save([]);
    expect(await countSets()).toBe(0);
    // Comparing these documents as arrays would take seconds.
    const shorten = (/** @type {typeof found[0]} */ { document, ...write }) => ({
      ...write,
      hash: document && createHash('sha256').update(document).digest('hex'),
    });
    expect(found.map(shorten)).toEqual(writes.map(shorten));
  });
});

const IDENTITY = { name: 'one', setId: new ObjectId() };

test.each(
  /** @type {[string, string, (target: any) => Promise<void>][]} */ ([
    [
      'a checkpoint',
      'checkpoints',
      (target) =>
        createCheckpoint(target, IDENTITY).write({ applied: { seconds: 1, increment: 0, term: 1 }, since: null }),
    ],
    [
      'the end of a copied range',
      'copies',
      (target) =>
        createCopyStore(target, IDENTITY).finishRange(/** @type {any} */ ({ name: 'shop.orders', number: 1 }), {
          bytes: 1,
          documents: 1,
        }),
    ],
  ]),
)('%s is written once a majority has everything before it', async (_, collection, write) => {
  /** @type {string[]} */
  const log = [];
  await write({
    lease: { id: 'test' },
    async confirm() {
      log.push('asked for the majority');
      await null;
      log.push('has the majority');
    },
    async writeState(/** @type {string} */ name) {
      log.push(name);
    },
  });
  expect(log.slice(0, 3)).toEqual(['asked for the majority', 'has the majority', collection]);
});

describe('operations on one document', () => {
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
      updates: updates.map(({ form, change, upsert }) => [
        form,
        BSON.deserialize(change),
        ...(upsert ? ['upsert'] : []),
      ]),
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
});
