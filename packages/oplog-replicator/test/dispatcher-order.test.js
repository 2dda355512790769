import { describe, expect, test } from '@jest/globals';
import { BSON, Long, Timestamp } from 'mongodb';
import { until as waitUntil } from 'test-support/waiting.js';
import { createNamespaces } from '../src/base/namespaces.js';
import { Counters } from '../src/base/replication-figures.js';
import { listDocuments } from '../src/target/write-batch.js';
import { Dispatcher } from '../src/workers/dispatcher.js';
import { MERGE_RULES, Worker } from '../src/workers/worker.js';

/** @import { DispatcherOptions } from '../src/workers/dispatcher.js' */

/** The entries of a test are at 1, 2, 3 and so on, a second apart. @param {number} increment */
const at = (increment) => ({ seconds: 2, increment, term: 1 });
const FREE = { inOrder: false, isCapped: false, isValidated: false };
const insert = (/** @type {number} */ _id, ns = 'db.a') => ({ op: 'i', ns, o: { _id } });
const update = (/** @type {number} */ _id, ns = 'db.a') => ({ op: 'u', ns, o2: { _id }, o: { _id, x: 1 } });
const remove = (/** @type {number} */ _id, ns = 'db.a') => ({ op: 'd', ns, o: { _id } });
const command = (/** @type {Record<string, any>} */ o, more = {}) => ({ op: 'c', ns: 'db.$cmd', o, ...more });

/**
 * A dispatcher whose workers write nowhere, and what happens, in order.
 * @param {Partial<DispatcherOptions> & { workers?: any, workerCount?: number, inOrder?: boolean,
 *   merge?: import('../src/workers/worker.js').MergeRule, exclude?: string[], maxBytes?: number }} [options]
 */
function createRun({ workerCount = 1, inOrder = false, merge = 'all', exclude, maxBytes = 1e6, ...options } = {}) {
  const session = new AbortController();
  /** @type {string[]} */
  const happened = [];
  /** What each worker wrote, such as `insert db.a 1`. @type {string[][]} */
  const written = Array.from({ length: workerCount }, () => []);
  const gate = { isOpen: true };
  const workers = written.map(
    (own) =>
      new Worker({
        merge,
        maxBytes,
        session,
        async write({ namespace, kinds, documents }) {
          await waitUntil('writes may end', () => gate.isOpen);
          const all = listDocuments(documents).map((bytes) => BSON.deserialize(bytes));
          for (const kind of kinds) {
            const [{ _id }] = all.splice(0, kind === 'update' ? 2 : 1);
            own.push(`${kind} ${namespace.name} ${_id}`);
            happened.push(`${kind} ${_id}`);
          }
        },
      }),
  );
  const counters = new Counters();
  /** @type {Dispatcher} */
  const dispatcher = new Dispatcher({
    workers,
    namespaces: createNamespaces({ exclude }),
    hash: 'id',
    isShard: false,
    counters,
    from: at(0),
    after: at(0),
    async readConstraints(namespace) {
      happened.push(`constraints of ${namespace.name}`);
      namespace.constraints = { ...FREE, inOrder };
    },
    async applyCommand(_entry, name) {
      happened.push(`command ${name}`);
    },
    onUnsupported: (_entry, { name }) => happened.push(`unsupported ${name}`),
    async saveCheckpoint() {
      happened.push(`checkpoint ${dispatcher.progress(null).applied.increment}`);
    },
    ...options,
  });
  let count = 0;
  return {
    dispatcher,
    happened,
    written,
    counters,
    gate,
    /** @param {Record<string, any>[]} entries @param {boolean} [isFull] */
    dispatch(entries, isFull = false) {
      const documents = entries.map((entry) => {
        const i = ++count;
        return Buffer.from(
          BSON.serialize({ t: Long.fromNumber(1), ...entry, ts: new Timestamp({ t: 2, i }), wall: new Date(i * 1000) }),
        );
      });
      let end = 0;
      const starts = documents.map(({ length }) => (end += length) - length);
      return dispatcher.dispatch({ bytes: Buffer.concat(documents), starts, isFull });
    },
  };
}

describe('which worker', () => {
  const ids = Array.from({ length: 40 }, (_, index) => index);
  const entries = ids.flatMap((id) => [insert(id), update(id), insert(id, 'db.b'), remove(id)]);

  test.each(MERGE_RULES)('all operations on a document go to one, in their order: merge %s', async (merge) => {
    const { dispatch, dispatcher, written } = createRun({ workerCount: 3, merge });
    await dispatch(entries);
    await dispatcher.drain();
    expect(written.map((own) => own.length > 40)).toEqual([true, true, true]);
    for (const id of ids) {
      const own = written.map((all) => all.filter((each) => each.endsWith(` db.a ${id}`)));
      expect(own.filter(({ length }) => length > 0)).toEqual([
        [`insert db.a ${id}`, `update db.a ${id}`, `delete db.a ${id}`],
      ]);
    }
  });

  test.each([
    ['that is asked for', { hash: /** @type {const} */ ('collection') }],
    ['their order matters', { inOrder: true }],
  ])('all documents of a collection go to one where %s', async (_, options) => {
    const { dispatch, dispatcher, written } = createRun({ workerCount: 2, ...options });
    await dispatch(entries);
    await dispatcher.drain();
    expect(written.map((own) => new Set(own.map((each) => each.split(' ')[1])))).toEqual([
      new Set(['db.a']),
      new Set(['db.b']),
    ]);
  });
});

test.each(MERGE_RULES)(
  'a command waits for what comes before it, and the rest waits for it: merge %s',
  async (merge) => {
    const { dispatch, dispatcher, happened } = createRun({ merge });
    await dispatch([insert(1), command({ drop: 'a' }), insert(2)]);
    await dispatcher.drain();
    expect(happened).toEqual([
      'constraints of db.a',
      'insert 1',
      'checkpoint 1',
      'command drop',
      'checkpoint 2',
      'insert 2',
    ]);
  },
);

describe('the entries that are applied', () => {
  test('begin after one', async () => {
    const { dispatch, dispatcher, happened } = createRun({ after: at(2) });
    await dispatch([insert(1), command({ drop: 'a' }), insert(3)]);
    await dispatcher.drain();
    expect(happened).toEqual(['constraints of db.a', 'insert 3']);
  });

  test.each([
    [1, ['insert 1'], [true, true]],
    [2, ['insert 1', 'insert 2'], [true, true]],
    [3, ['insert 1', 'insert 2', 'insert 3'], [false, true]],
    [4, ['insert 1', 'insert 2', 'insert 3'], [false, false]],
    [undefined, ['insert 1', 'insert 2', 'insert 3'], [false, false]],
  ])('end with number %s: %j', async (increment, expected, isReached) => {
    const { dispatch, dispatcher, happened } = createRun({
      until: increment === undefined ? undefined : at(increment),
    });
    expect([await dispatch([insert(1), insert(2)]), await dispatch([insert(3)])]).toEqual(isReached);
    await dispatcher.drain();
    expect(happened.slice(1)).toEqual(expected);
  });
});

test('progress is the entry before the oldest that is not written, and no later than the limit', async () => {
  const { dispatch, dispatcher, gate } = createRun();
  expect([dispatcher.progress(null), dispatcher.findOldestMs()]).toEqual([{ applied: at(0), since: null }, Infinity]);
  await dispatch([insert(1), insert(2)]);
  await dispatcher.drain();
  gate.isOpen = false;
  await dispatch([insert(3), insert(4)]);
  expect([dispatcher.progress(null).applied, dispatcher.findOldestMs()]).toEqual([at(2), 3000]);
  expect(dispatcher.progress(at(1)).applied).toEqual(at(1));
  gate.isOpen = true;
  await dispatcher.drain();
  expect([dispatcher.progress(null).applied, dispatcher.findOldestMs()]).toEqual([at(4), Infinity]);
  // The source has more, which is at least as old as this.
  await dispatch([insert(5), insert(6)], true);
  await dispatcher.drain();
  expect(dispatcher.findOldestMs()).toBe(6000);
  // It changes with the dispatcher, not with what was returned.
  expect(dispatcher.progress(null).applied).not.toBe(dispatcher.progress(null).applied);
});

test('an entry that is being dispatched is the oldest', async () => {
  /** @type {number[]} */
  const seen = [];
  const { dispatch, dispatcher } = createRun({
    async applyCommand() {
      seen.push(dispatcher.findOldestMs());
    },
  });
  await dispatch([insert(1), command({ drop: 'a' })]);
  await dispatch([command({ drop: 'b' })]);
  expect(seen).toEqual([1000, 3000]);
});

describe('a transaction', () => {
  const lsid = { id: 'session' };
  /** @param {Record<string, any>[]} operations @param {Record<string, any>} [more] @param {number} [number] */
  const applyOps = (operations, more = {}, number = 1) =>
    command({ applyOps: operations, ...more }, { lsid, txnNumber: Long.fromNumber(number) });
  const end = (/** @type {string} */ name, number = 1) =>
    command({ [name]: 1 }, { lsid, txnNumber: Long.fromNumber(number) });
  /** @param {ReturnType<typeof createRun>} run */
  const writes = ({ happened }) => happened.filter((each) => /^(insert|update|delete)/.test(each));

  test('in one entry is applied in its place', async () => {
    const run = createRun();
    await run.dispatch([insert(1), applyOps([insert(2), update(1)]), insert(3)]);
    await run.dispatcher.drain();
    expect(writes(run)).toEqual(['insert 1', 'insert 2', 'update 1', 'insert 3']);
    expect(run.dispatcher.progress(null)).toEqual({ applied: at(3), since: null });
  });

  test('with a command in it waits for that, and is not over by then', async () => {
    const run = createRun();
    await run.dispatch([insert(1), applyOps([insert(2), command({ create: 'x' }), insert(3)])]);
    await run.dispatcher.drain();
    expect(run.happened.slice(1)).toEqual([
      'insert 1',
      'insert 2',
      'checkpoint 1',
      'command create',
      'checkpoint 1',
      'insert 3',
    ]);
  });

  test('in several entries is applied with its last one; until then a restart needs its first', async () => {
    const run = createRun();
    await run.dispatch([insert(1), applyOps([insert(2)], { partialTxn: true }), insert(3)]);
    await run.dispatcher.drain();
    expect(writes(run)).toEqual(['insert 1', 'insert 3']);
    expect(run.dispatcher.progress(null)).toEqual({ applied: at(3), since: at(1) });
    // A progress before its first entry has nothing of it.
    expect(run.dispatcher.progress(at(1)).since).toBeNull();
    await run.dispatch([applyOps([insert(4)]), insert(5)]);
    await run.dispatcher.drain();
    expect(writes(run)).toEqual(['insert 1', 'insert 3', 'insert 2', 'insert 4', 'insert 5']);
    expect(run.dispatcher.progress(null)).toEqual({ applied: at(5), since: null });
  });

  test('that is prepared is applied when it is committed, and never when it is aborted', async () => {
    const run = createRun();
    await run.dispatch([
      applyOps([insert(1)], { prepare: true }),
      applyOps([insert(2)], { prepare: true }, 2),
      end('abortTransaction', 2),
      end('commitTransaction'),
      end('commitTransaction', 2),
    ]);
    await run.dispatcher.drain();
    expect(writes(run)).toEqual(['insert 1']);
    expect(run.dispatcher.progress(null).since).toBeNull();
  });

  test('that began before the first entry to apply is applied whole, if it ends after it', async () => {
    const run = createRun({ after: at(3) });
    await run.dispatch([
      applyOps([insert(1)], { partialTxn: true }),
      insert(2),
      insert(3),
      applyOps([insert(4)]),
      insert(5),
    ]);
    await run.dispatcher.drain();
    expect(writes(run)).toEqual(['insert 1', 'insert 4', 'insert 5']);
    expect(run.dispatcher.progress(null).since).toBeNull();
  });

  test.each([
    ['its last entry', applyOps([insert(4)])],
    ['its commit', end('commitTransaction')],
    ['its abort', end('abortTransaction')],
  ])('that ended before it, with %s, is over', async (_, last) => {
    const run = createRun({ after: at(3) });
    await run.dispatch([applyOps([insert(1)], { partialTxn: true }), insert(2), last, insert(5)]);
    await run.dispatcher.drain();
    expect(writes(run)).toEqual(['insert 5']);
    expect(run.dispatcher.progress(null).since).toBeNull();
  });

  test('that has not ended before it is kept', async () => {
    const run = createRun({ after: at(3) });
    // A document can look like a command.
    const odd = { op: 'i', ns: 'db.a', o: { abortTransaction: 1, _id: 3 }, lsid, txnNumber: Long.fromNumber(1) };
    await run.dispatch([insert(1), applyOps([insert(2)], { partialTxn: true }), odd, insert(4)]);
    expect(run.dispatcher.progress(null).since).toEqual(at(1));
    await run.dispatcher.drain();
  });
});

test('workers begin at once, and the dispatcher waits while their backlog is full', async () => {
  const { dispatch, happened, gate } = createRun({ maxBytes: 2000 });
  await dispatch([insert(1)]);
  await waitUntil('it is written', () => happened.includes('insert 1'));
  gate.isOpen = false;
  let isDispatched = false;
  const large = { op: 'i', ns: 'db.a', o: { _id: 2, text: 'x'.repeat(4000) } };
  const dispatching = dispatch([large]).then(() => {
    isDispatched = true;
  });
  await new Promise(setImmediate);
  expect(isDispatched).toBe(false);
  gate.isOpen = true;
  await dispatching;
  expect(happened.at(-1)).toBe('insert 2');
});

test('what is not replicated is counted by its reason', async () => {
  const { dispatch, dispatcher, happened, counters } = createRun({ exclude: ['db.b'] });
  await dispatch([insert(1, 'db.b'), insert(2, 'config.x'), insert(3, 'admin.system.users'), insert(4)]);
  await dispatcher.drain();
  expect(counters).toMatchObject({ excluded: 1, internal: 1, unsupported: 1 });
  expect(happened).toEqual(['unsupported admin.system.users', 'constraints of db.a', 'insert 4']);
});

test('a document without _id is an error that names the collection', async () => {
  const { dispatch } = createRun();
  await expect(dispatch([{ op: 'i', ns: 'db.a', o: { x: 1 } }])).rejects.toThrow(
    "db.a: can't replicate a document without _id",
  );
});
