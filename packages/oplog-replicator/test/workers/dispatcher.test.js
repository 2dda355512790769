import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { BSON, MongoClient, Timestamp } from 'mongodb';
import { End } from '../../src/end.js';
import { ConflictError } from '../../src/errors.js';
import { createNamespaces } from '../../src/namespaces.js';
import { Counters } from '../../src/replication-figures.js';
import { BulkWriter } from '../../src/target/bulk-writer.js';
import { createTarget } from '../../src/target/target.js';
import { DeferredDocuments } from '../../src/target/deferred-documents.js';
import { Dispatcher } from '../../src/workers/dispatcher.js';
import { Worker } from '../../src/workers/worker.js';
import { cleanUp } from '../../../../test/support/cleanup.js';

const START = { seconds: 1, increment: 0, term: 1 };
const FREE = { inOrder: false, isCapped: false, isValidated: false };

/** @type {MongoClient} */
let client;
/** @type {import('mongodb').Collection<any>} */
let collection;
/** @type {End} */
let end;
beforeAll(() => {
  end = new End(String(process.env.TEST_MONGO_URL), { role: 'target', maxSilenceMs: 10_000 });
  cleanUp(() => end.close());
  client = new MongoClient(String(process.env.TEST_MONGO_URL));
  cleanUp(() => client.close());
  collection = client.db('dispatcher').collection('a');
});
beforeEach(async () => {
  await collection.deleteMany({});
});

/**
 * Applies entries that current servers don't log, or that are hard to produce.
 * @param {Record<string, any>[]} entries
 * @param {{ isShard?: boolean, deferred?: DeferredDocuments }} [options]
 */
async function apply(entries, { isShard = false, deferred = new DeferredDocuments(START) } = {}) {
  const session = new AbortController();
  const target = createTarget(end, { replication: 'test' });
  const writer = new BulkWriter(target, deferred, await target.canApplyDiffs());
  const worker = new Worker({
    merge: true, maxBytes: 1e6, session, write: (batch) => writer.write(batch),
  });
  const counters = new Counters();
  const dispatcher = new Dispatcher({
    workers: [worker], namespaces: createNamespaces(), hash: 'id', isShard, counters, from: START, after: START,
    async readConstraints(namespace) { namespace.constraints = FREE; },
    async applyCommand() {},
    onUnsupported() {},
    async saveCheckpoint() {},
  });
  const documents = entries.map((entry, index) => Buffer.from(BSON.serialize({
    ns: 'dispatcher.a', ...entry, ts: new Timestamp({ t: 2, i: index }), wall: new Date(),
  })));
  let at = 0;
  const starts = documents.map(({ length }) => (at += length) - length);
  await dispatcher.dispatch({ bytes: Buffer.concat(documents), starts, isFull: false });
  await dispatcher.drain();
  return counters;
}

test('applies the modifiers that servers before 5.0 logged', async () => {
  await apply([
    { op: 'i', o: { _id: 1, a: { b: 1 }, list: [1, 2], old: 1 } },
    { op: 'u', o2: { _id: 1 }, o: { $v: 1, $set: { 'a.b': 2, 'list.1': 3 }, $unset: { old: true } } },
    { op: 'u', o2: { _id: 1 }, o: { $set: { c: 4 } } },
  ]);
  expect(await collection.findOne()).toEqual({ _id: 1, a: { b: 2 }, list: [1, 3], c: 4 });
});

test('a modifier that no longer applies, because the document is newer, is ignored', async () => {
  await collection.insertOne({ _id: 1, a: 5 });
  await apply([
    { op: 'u', o2: { _id: 1 }, o: { $v: 1, $set: { 'a.b': 2 } } },
    { op: 'u', o2: { _id: 1 }, o: { $v: 1, $set: { a: 5 } } },
  ]);
  expect(await collection.findOne()).toEqual({ _id: 1, a: 5 });
});

test('an insert keeps empty timestamps', async () => {
  const zero = Timestamp.fromNumber(0);
  await apply([{ op: 'i', o: { _id: 1 } }, { op: 'i', o: { _id: 2, at: zero, $a: 1, list: [zero] } }]);
  expect(await collection.find().sort({ _id: 1 }).toArray()).toEqual([{ _id: 1 }, { _id: 2, at: zero, $a: 1, list: [zero] }]);
});

const MIGRATED = { op: 'i', o: { _id: 1 }, fromMigrate: true };
const NOOP = { op: 'n', o: { msg: 'still here' } };

test('skips the chunk migrations of a shard, and no-ops', async () => {
  const counters = await apply([MIGRATED, NOOP], { isShard: true });
  expect(counters).toMatchObject({ migrations: 1, noops: 1 });
  expect(await collection.countDocuments()).toBe(0);
});

test('applies what a replica set marks as a migration: its copies of collections', async () => {
  expect(await apply([MIGRATED, NOOP])).toMatchObject({ migrations: 0, noops: 1 });
  expect(await collection.countDocuments()).toBe(1);
});

test('applies the copy that convertToCapped makes, even on a shard', async () => {
  const copy = client.db('dispatcher').collection('tmpA1b2C.convertToCapped.a');
  await copy.deleteMany({});
  await apply([{ ...MIGRATED, ns: copy.namespace }], { isShard: true });
  expect(await copy.countDocuments()).toBe(1);
});

test('an operation of an unknown kind is an error', async () => {
  await expect(apply([{ op: 'x', o: {} }])).rejects.toThrow('the oplog has an operation of unknown kind "x"');
});

test('a failed write ends the replication', async () => {
  await expect(apply([{ op: 'i', ns: 'dispatcher.a$b', o: { _id: 1 } }, { op: 'i', ns: 'dispatcher.', o: { _id: 1 } }]))
    .rejects.toThrow('the target refused a write to dispatcher.');
});

describe.each([
  ['a diff', { op: 'u', o2: { _id: 1 }, o: { $v: 2, diff: { u: { x: 1 } } } }],
  ['a replacement', { op: 'u', o2: { _id: 1 }, o: { _id: 1, x: 1 } }],
  ['modifiers', { op: 'u', o2: { _id: 1 }, o: { $set: { x: 1 } } }],
])('an update of a missing document, by %s,', (_, update) => {
  const LATER = { seconds: 3, increment: 0, term: 1 };
  const MESSAGE = 'the target does not have a document in dispatcher.a that the source updates: {"_id":1}';

  test('is a conflict', async () => {
    await expect(apply([update])).rejects.toThrow(new ConflictError(MESSAGE));
  });

  test('is skipped when a repeated delete explains it', async () => {
    const deferred = new DeferredDocuments(LATER);
    await apply([update, { op: 'd', o: { _id: 1 } }], { deferred });
    expect(deferred.after).toBe(null);
    deferred.assertNone(LATER);
    expect(await collection.countDocuments()).toBe(0);
  });

  test('is a conflict when everything is repeated and it was not deleted', async () => {
    const deferred = new DeferredDocuments(LATER);
    await apply([update], { deferred });
    expect(deferred.after).toEqual(START);
    deferred.assertNone(START);
    expect(() => deferred.assertNone(LATER)).toThrow(new ConflictError(MESSAGE));
  });
});
