import { expect, test } from '@jest/globals';
import { BSON } from 'mongodb';
import { createNamespaces } from '../../src/base/namespaces.js';
import { appendDocument } from '../../src/target/write-batch.js';
import { Worker } from '../../src/workers/worker.js';

const AFTER = { seconds: 1, increment: 0, term: 1 };
const DOCUMENT = Buffer.from(BSON.serialize({ _id: 1 }));

/** @param {Partial<import('../../src/workers/worker.js').WorkerOptions>} [options] */
function create(options) {
  const session = new AbortController();
  const namespaces = createNamespaces();
  /** @type {[string, string[]][]} */
  const written = [];
  /** @type {(() => void)[]} */
  const answers = [];
  const worker = new Worker({
    merge: true,
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
     * @param {import('../../src/target/write-batch.js').OperationKind} kind
     * @param {string} name
     * @param {number} [count]
     */
    add(kind, name, count = 1) {
      for (let n = 0; n < count; n++) {
        const batch = worker.openBatch(namespaces.named(name), AFTER, () => 0);
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

test('neighbouring operations on one collection become one batch, whatever came between them', async () => {
  const { add, written, answerAll } = create();
  add('insert', 'db.a');
  add('insert', 'db.b');
  add('insert', 'db.a');
  add('delete', 'db.a');
  add('insert', 'db.b');
  add('insert', 'db.a');
  await answerAll();
  expect(written.filter(([name]) => name === 'db.a')).toEqual([['db.a', ['insert', 'insert', 'delete', 'insert']]]);
  expect(written.filter(([name]) => name === 'db.b')).toEqual([['db.b', ['insert', 'insert']]]);
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
