import { expect, test } from '@jest/globals';
import { BSON } from 'mongodb';
import { createNamespaces } from '../../src/namespaces.js';
import { appendDocument } from '../../src/target/write-batch.js';
import { Worker } from '../../src/workers/worker.js';

const AFTER = { seconds: 1, increment: 0, term: 1 };
const DOCUMENT = Buffer.from(BSON.serialize({ _id: 1 }));

/** @param {Partial<import('../../src/workers/worker.js').WorkerOptions>} [options] */
function create(options) {
  const session = new AbortController();
  const namespaces = createNamespaces();
  /** @type {[string, string, number][]} */
  const written = [];
  /** @type {(() => void)[]} */
  const answers = [];
  const worker = new Worker({
    merge: true, maxOperations: 10, maxBytes: 1000, session,
    write({ kind, namespace, count }) {
      written.push([namespace.name, kind, count]);
      return new Promise((resolve) => { answers.push(() => resolve(undefined)); });
    },
    ...options,
  });
  return {
    worker,
    session,
    written,
    /** @param {import('../../src/target/write-batch.js').Kind} kind @param {string} name @param {number} [count] */
    add(kind, name, count = 1) {
      for (let n = 0; n < count; n++) {
        const batch = worker.openBatch(kind, namespaces.named(name), AFTER, () => 0);
        appendDocument(batch.documents, DOCUMENT, 0);
        worker.count(batch, DOCUMENT.length);
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

test('neighbouring operations of one kind on one collection become one batch, whatever came between them', async () => {
  const { add, written, answerAll } = create();
  add('insert', 'db.a');
  add('insert', 'db.b');
  add('insert', 'db.a');
  add('delete', 'db.a');
  add('insert', 'db.b');
  add('insert', 'db.a');
  await answerAll();
  expect(written.filter(([name]) => name === 'db.a')).toEqual(
    [['db.a', 'insert', 2], ['db.a', 'delete', 1], ['db.a', 'insert', 1]]);
  expect(written.filter(([name]) => name === 'db.b')).toEqual([['db.b', 'insert', 2]]);
});

test('without merging, each operation is a batch', async () => {
  const { add, written, answerAll } = create({ merge: false });
  add('insert', 'db.a', 3);
  await answerAll();
  expect(written).toHaveLength(3);
});

test('operations that come while a write is in flight become the next batch', async () => {
  const { worker, add, written, answerAll } = create();
  add('insert', 'db.a');
  worker.start();
  add('insert', 'db.a', 4);
  expect(worker.backlog).toBe(5);
  await answerAll();
  expect(written).toEqual([['db.a', 'insert', 1], ['db.a', 'insert', 4]]);
});

test.each([
  ['operations', { maxOperations: 3 }],
  ['bytes', { maxBytes: 3 * DOCUMENT.length }],
])('a backlog with too many %s makes the reader wait until some are written', async (_, limit) => {
  const { worker, add, answerAll } = create(limit);
  add('insert', 'db.a', 2);
  expect(worker.waitForRoom()).toBe(undefined);
  add('insert', 'db.a');
  let hasRoom = false;
  const waiting = worker.waitForRoom()?.then(() => { hasRoom = true; });
  await null;
  expect(hasRoom).toBe(false);
  await answerAll();
  await waiting;
});

test('a failed write ends the session, and waiting for room rejects with its error', async () => {
  const { worker, add, session } = create({ maxOperations: 1, write: () => Promise.reject(new Error('refused')) });
  add('insert', 'db.a');
  worker.start();
  await expect(worker.waitForRoom()).rejects.toThrow('refused');
  expect(session.signal.aborted).toBe(true);
});
