import { followSource } from '../workers/session.js';
import { createNamespaces } from '../base/namespaces.js';
import { retryTransient } from '../base/errors.js';
import { assertStillHas } from '../source/oplog.js';
import { ByteBudget, forEachConcurrently } from '../base/concurrency.js';
import { commandOn, createCollectionCommand, createIndexCommand } from '../target/ddl-commands.js';
import { listIndexes } from '../collections/ttl-indexes.js';
import { readCatalog } from './catalog.js';
import { copyRange } from './copy-range.js';
import { describeFilter } from './copy-store.js';
import { listCollections, readConstraints } from '../collections/collection-info.js';
import { splitCollection } from './id-ranges.js';

/** @import { Control, SessionOptions } from '../workers/session.js' */
/** @import { Filter } from '../base/namespaces.js' */
/** @import { OplogProgress } from '../target/checkpoint.js' */
/** @import { Target } from '../target/target.js' */
/** @import { CopyFigures } from '../base/replication-figures.js' */
/** @import { CopyState, CopyStore, StoredRange } from './copy-store.js' */
/** @import { CollectionInfo } from '../collections/collection-info.js' */

const RANGE_BYTES = 32 << 20;
/** Documents that are read and written at the same time. */
const MAX_BYTES_AT_ONCE = 16 << 20;
const CHECK_OPLOG_EVERY_MS = 10_000;

/**
 * @typedef {object} CopyOptions
 * @property {SessionOptions & { target: Target }} sessionOptions
 * @property {CopyStore} store
 * @property {CopyFigures} figures
 */

/**
 * Copies all documents, repeats the operations that the source executed meanwhile, and builds the indexes.
 *
 * A copy takes too long to read all documents as of one moment, because servers keep old versions for minutes only. So
 * each document is as of some moment after the copy began. Repeating the oplog from there to a position after the copy
 * brings all of them to that position, just as it does after a crash. Until then a unique index could refuse documents,
 * because a value may have been copied twice while it moved from one document to another. So there are no indexes until
 * then.
 *
 * @param {CopyOptions} options
 * @param {Control} control
 * @returns {Promise<boolean>} false if it was stopped early. The next one continues
 */
export async function copySource(options, control) {
  const { sessionOptions, store, figures } = options;
  const { checkpoint, source, target, filter } = sessionOptions;
  const { stop } = control;
  /** @template T @param {() => Promise<T>} attempt */
  const retry = (attempt) =>
    retryTransient(
      async () => {
        await target.begin();
        return attempt();
      },
      { stop, countProgress: () => figures.bytes },
    );

  const state = await retry(async () => {
    await target.waitForWrites();
    const found = await store.read();
    if (found?.phase === 'catching up') await dropIndexes(target, filter);
    return found && found.phase !== 'creating' ? found : beginCopy(options, stop);
  });
  if (!state) return false;
  Object.assign(figures, { totalDocuments: state.documents, totalBytes: state.bytes });
  if (state.phase === 'copying') {
    await retry(() => copyRanges(options, stop));
    if (stop.aborted) return false;
    await retry(() => store.write({ ...state, phase: 'catching up' }));
  }
  figures.phase = 'catching up';
  const { position, collections } = await retry(() => readCatalog(source, { filter, withIndexes: true }));
  const start = /** @type {OplogProgress} */ (await retry(checkpoint.read));
  await followSource({ ...sessionOptions, until: position, withoutIndexes: true }, start, control);
  if (stop.aborted) return false;

  figures.phase = 'building indexes';
  figures.totalIndexes = collections.reduce((sum, { indexes }) => sum + indexes.length, 0);
  await forEachConcurrently(collections, sessionOptions.workers, async ({ database, collection, indexes }) => {
    if (indexes.length === 0 || stop.aborted) return;
    await retry(() => target.runDdl(createIndexCommand(database, collection, indexes)));
    figures.indexes += indexes.length;
  });
  if (stop.aborted) return false;
  await retry(() => store.write({ ...state, phase: 'done' }));
  await retry(store.deleteRanges);
  figures.phase = 'done';
  return true;
}

/** @param {CopyOptions} options @param {AbortSignal} stop @returns {Promise<CopyState | null>} null: it was stopped */
async function beginCopy({ sessionOptions: { source, target, checkpoint, filter, onUnsupported }, store }, stop) {
  /** @type {CopyState} */
  const state = { phase: 'creating', filter: describeFilter(filter), documents: 0, bytes: 0 };
  await store.write(state);
  await store.deleteRanges();
  // An earlier attempt may have created some.
  for (const { database, collection } of (await listCollections(target.deployment, filter)).replicated) {
    await target.runDdl(commandOn(database, collection, { drop: collection }, []));
  }
  const { position, collections, unsupported } = await readCatalog(source, { filter, withIndexes: false });
  unsupported.forEach(onUnsupported);
  for (const listed of collections) {
    if (stop.aborted) return null;
    await create(target, listed);
    const { ranges, documents, bytes } = await splitCollection(source.deployment, listed, RANGE_BYTES);
    await store.addRanges(ranges);
    state.documents += documents;
    state.bytes += bytes;
  }
  // No transaction is half in the oplog there: only those of several shards could be.
  await checkpoint.write({ applied: position, since: null });
  await store.write({ ...state, phase: 'copying' });
  return { ...state, phase: 'copying' };
}

/** @param {CopyOptions} options @param {AbortSignal} stop */
async function copyRanges({ sessionOptions, store, figures }, stop) {
  const { source, target, checkpoint, filter, workers } = sessionOptions;
  const { applied } = /** @type {OplogProgress} */ (await checkpoint.read());
  const ranges = await store.listRanges();
  const done = ranges.filter(({ isDone }) => isDone);
  for (const field of /** @type {const} */ (['bytes', 'documents'])) {
    figures[field] = done.reduce((sum, range) => sum + range[field], 0);
  }
  const namespaces = createNamespaces(filter);
  const budget = new ByteBudget(MAX_BYTES_AT_ONCE);
  const failing = new AbortController();
  const signal = AbortSignal.any([stop, failing.signal]);
  let checkedAtMs = performance.now();

  /** @param {StoredRange} range */
  async function copyOne(range) {
    if (signal.aborted) return;
    if (performance.now() - checkedAtMs > CHECK_OPLOG_EVERY_MS) {
      checkedAtMs = performance.now();
      await assertStillHas(source, applied);
    }
    const namespace = namespaces.named(range.name);
    if (range.isCapped) await empty(target, namespace);
    namespace.constraints ??= await readConstraints(target.deployment, namespace);
    const copied = { bytes: 0, documents: 0 };
    await copyRange(range, {
      source: source.deployment,
      target,
      namespace,
      after: applied,
      budget,
      signal,
      onBatch({ bytes, documents }) {
        copied.bytes += bytes;
        copied.documents += documents;
        figures.bytes += bytes;
        figures.documents += documents;
      },
    });
    await store.finishRange(range, copied);
  }

  // The longer ago a capped collection was copied, the more documents it may have removed since.
  const left = ranges
    .filter(({ isDone }) => !isDone)
    .sort((one, other) => Number(other.isCapped) - Number(one.isCapped));
  await forEachConcurrently(left, workers, (range) =>
    copyOne(range).catch((error) => {
      failing.abort(error);
      if (!stop.aborted) throw failing.signal.reason;
    }),
  );
}

/** @param {Target} target @param {Pick<CollectionInfo, 'database' | 'collection' | 'options'>} listed */
async function create(target, { database, collection, options }) {
  await target.runDdl({ ...createCollectionCommand(database, collection, options), alreadyDoneCodes: [] });
}

/**
 * Removes documents that an earlier attempt has copied.
 * @param {Target} target
 * @param {{ database: string, collection: string }} namespace
 */
async function empty(target, { database, collection }) {
  const [{ options }] = await target.deployment.readAll(database, { listCollections: 1, filter: { name: collection } });
  await target.runDdl(commandOn(database, collection, { drop: collection }, []));
  await create(target, { database, collection, options: Object.fromEntries(options) });
}

/**
 * An earlier attempt may have built some, and the source may have dropped them since.
 * @param {Target} target
 * @param {Filter} [filter]
 */
async function dropIndexes(target, filter) {
  const { deployment } = target;
  for (const { database, collection } of (await listCollections(deployment, filter)).replicated) {
    if ((await listIndexes(deployment, { database, collection })).length === 0) continue;
    await target.runDdl(commandOn(database, collection, { dropIndexes: collection, index: '*' }, []));
  }
}
