import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { BSON, Timestamp } from 'mongodb';
import { sharedMongoUrl } from 'test-support/mongod.js';
import { ConflictError } from '../src/base/errors.js';
import { createNamespaces } from '../src/base/namespaces.js';
import { Counters } from '../src/base/replication-figures.js';
import { BulkWriter } from '../src/target/bulk-writer.js';
import { DeferredDocuments } from '../src/target/deferred-documents.js';
import { appendDocument } from '../src/target/write-batch.js';
import { Dispatcher } from '../src/workers/dispatcher.js';
import { Worker } from '../src/workers/worker.js';
import { openClient, openDeployment, openTarget } from './connections.js';

/** @import { MongoClient } from 'mongodb' */
/** @import { OplogBatch } from '../src/source/oplog.js' */
/** @import { Deployment } from '../src/base/deployment.js' */

describe('the dispatcher, with a target', () => {
  const START = { seconds: 1, increment: 0, term: 1 };
  const NOOP = { op: 'n', o: { msg: 'still here' } };

  /** @type {MongoClient} */
  let client;
  /** @type {import('mongodb').Collection<any>} */
  let collection;
  /** @type {Deployment} */
  let deployment;
  beforeAll(() => {
    deployment = openDeployment(sharedMongoUrl());
    client = openClient(sharedMongoUrl());
    collection = client.db('dispatcher').collection('a');
  });
  beforeEach(async () => {
    await collection.deleteMany({});
  });

  /** @param {Record<string, any>[]} entries at the increments 0, 1, 2 ... of the second 2 @returns {OplogBatch} */
  function createOplogBatch(entries) {
    const documents = entries.map((entry, index) =>
      Buffer.from(
        BSON.serialize({ ns: 'dispatcher.a', ...entry, ts: new Timestamp({ t: 2, i: index }), wall: new Date() }),
      ),
    );
    let at = 0;
    const starts = documents.map(({ length }) => (at += length) - length);
    return { bytes: Buffer.concat(documents), starts, isFull: false };
  }

  /**
   * Applies entries that current servers don't log, or that are hard to produce.
   * @param {Record<string, any>[]} entries
   * @param {{ isShard?: boolean, deferred?: DeferredDocuments }} [options]
   */
  async function apply(entries, { isShard = false, deferred = new DeferredDocuments(START) } = {}) {
    const session = new AbortController();
    const target = openTarget(deployment, 'test');
    const writer = new BulkWriter(target, deferred, await target.canApplyDiffs());
    const worker = new Worker({
      merge: 'all',
      maxBytes: 1e6,
      session,
      write: (batch) => writer.write(batch),
    });
    const counters = new Counters();
    const dispatcher = new Dispatcher({
      workers: [worker],
      isShard,
      counters,
      namespaces: createNamespaces(),
      hash: 'id',
      from: START,
      after: START,
      async readConstraints(namespace) {
        namespace.constraints = { inOrder: false, isCapped: false, isValidated: false };
      },
      async applyCommand() {},
      onUnsupported() {},
      async saveCheckpoint() {},
    });
    await dispatcher.dispatch(createOplogBatch(entries));
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
    await apply([
      { op: 'i', o: { _id: 1 } },
      { op: 'i', o: { _id: 2, at: zero, $a: 1, list: [zero] } },
    ]);
    expect(await collection.find().sort({ _id: 1 }).toArray()).toEqual([
      { _id: 1 },
      { _id: 2, at: zero, $a: 1, list: [zero] },
    ]);
  });

  const MIGRATED = { op: 'i', o: { _id: 1 }, fromMigrate: true };

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
    await expect(
      apply([
        { op: 'i', ns: 'dispatcher.a$b', o: { _id: 1 } },
        { op: 'i', ns: 'dispatcher.', o: { _id: 1 } },
      ]),
    ).rejects.toThrow('the target refused a write to dispatcher.');
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
});

describe('a worker', () => {
  const AFTER = { seconds: 1, increment: 0, term: 1 };
  const DOCUMENT = Buffer.from(BSON.serialize({ _id: 1 }));

  /** @param {Partial<import('../src/workers/worker.js').WorkerOptions>} [options] */
  function create(options) {
    const session = new AbortController();
    const namespaces = createNamespaces();
    /** @type {[string, string[]][]} */
    const written = [];
    /** @type {(() => void)[]} */
    const answers = [];
    const worker = new Worker({
      merge: 'all',
      maxBytes: 1e6,
      session,
      write({ kinds, namespace }) {
        written.push([namespace.name, [...kinds]]);
        return new Promise((resolve) => {
          answers.push(() => resolve(undefined));
        });
      },
      ...options,
    });
    return {
      worker,
      session,
      written,
      /**
       * @param {import('../src/target/write-batch.js').OperationKind} kind
       * @param {string} name
       * @param {number} [count]
       */
      add(kind, name, count = 1) {
        for (let n = 0; n < count; n++) {
          const batch = worker.openBatch(namespaces.named(name), kind, AFTER, () => 0);
          appendDocument(batch.documents, DOCUMENT, 0);
          worker.count(batch, kind);
        }
      },
      /** Completes writes until the backlog is empty. */
      async answerAll() {
        worker.start();
        while (worker.backlog > 0) {
          answers.shift()?.();
          await null;
        }
      },
    };
  }

  test.each([
    ['all', ['db.a insert insert delete insert', 'db.b insert insert']],
    ['neighbours', ['db.a insert', 'db.b insert', 'db.a insert', 'db.a delete', 'db.b insert', 'db.a insert']],
    ['none', ['db.a insert', 'db.b insert', 'db.a insert', 'db.b insert', 'db.a delete', 'db.a insert']],
  ])('with the rule %s, the batches are %j', async (merge, batches) => {
    const { add, written, answerAll } = create({ merge: /** @type {any} */ (merge) });
    add('insert', 'db.a');
    add('insert', 'db.b');
    add('insert', 'db.a');
    add('delete', 'db.a');
    add('insert', 'db.b');
    add('insert', 'db.a');
    await answerAll();
    expect(written.map(([name, kinds]) => [name, ...kinds].join(' '))).toEqual(batches);
  });

  test('neighbours of one kind on one collection become one batch', async () => {
    const { add, written, answerAll } = create({ merge: 'neighbours' });
    add('insert', 'db.a', 3);
    add('update', 'db.a', 2);
    await answerAll();
    expect(written).toEqual([
      ['db.a', ['insert', 'insert', 'insert']],
      ['db.a', ['update', 'update']],
    ]);
  });

  test('operations that come while a write is in flight become the next batch', async () => {
    const { worker, add, written, answerAll } = create();
    add('insert', 'db.a');
    worker.start();
    add('insert', 'db.a', 4);
    expect(worker.backlog).toBe(5);
    await answerAll();
    expect(written).toEqual([
      ['db.a', ['insert']],
      ['db.a', Array(4).fill('insert')],
    ]);
  });

  test('a backlog that takes too much memory makes the reader wait until some is written', async () => {
    // Each batch has one operation, so the batches take much more memory than the documents.
    const { worker, add, answerAll } = create({ maxBytes: 20 * 1024 });
    let added = 0;
    while (!worker.waitForRoom()) add('insert', `db.${added++}`);
    expect(added).toBeGreaterThan(2);
    expect(added).toBeLessThan(20);
    let hasRoom = false;
    const waiting = worker.waitForRoom()?.then(() => {
      hasRoom = true;
    });
    await null;
    expect(hasRoom).toBe(false);
    await answerAll();
    await waiting;
  });

  test('the documents of a large batch count as memory', () => {
    const { worker, add } = create({ maxBytes: 1000 * DOCUMENT.length });
    add('insert', 'db.a', 1000);
    expect(worker.waitForRoom()).not.toBe(undefined);
  });

  test('a failed write ends the session, and waiting for room rejects with its error', async () => {
    const { worker, add, session } = create({ maxBytes: 1, write: () => Promise.reject(new Error('refused')) });
    add('insert', 'db.a');
    worker.start();
    await expect(worker.waitForRoom()).rejects.toThrow('refused');
    expect(session.signal.aborted).toBe(true);
  });
});
