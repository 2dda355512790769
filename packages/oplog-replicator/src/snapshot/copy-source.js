import { followSource } from '../follow-source.js';
import { createNamespaces } from '../namespaces.js';
import { retryTransient } from '../retry.js';
import { assertStillHas } from '../source/oplog.js';
import { ByteBudget } from '../target/byte-budget.js';
import { readConstraints } from '../target/constraints.js';
import { createIndexCommand } from '../target/ddl-commands.js';
import { withoutTtl } from '../ttl-indexes.js';
import { listIndexes, readCatalog } from './catalog.js';
import { copyPiece } from './copy-piece.js';
import { describeFilter } from './copy-store.js';
import { forEachOf } from './for-each-of.js';
import { listCollections } from './list-collections.js';
import { splitCollection } from './pieces.js';

/** @import { Control } from '../follow-source.js' */
/** @import { Filter } from '../namespaces.js' */
/** @import { SessionOptions } from '../session.js' */
/** @import { Progress } from '../target/checkpoint.js' */
/** @import { Target } from '../target/target.js' */
/** @import { CopyFigures } from '../replication-figures.js' */
/** @import { CopyState, CopyStore, StoredPiece } from './copy-store.js' */
/** @import { Listed } from './list-collections.js' */

const PIECE_BYTES = 32 << 20;
/** Of the documents that are read and written at the same time. */
const MAX_BYTES_AT_ONCE = 16 << 20;
const CHECK_OPLOG_EVERY_MS = 10_000;
/** The options of a collection that no client may send. */
const INTERNAL_OPTIONS = ['temp', 'autoIndexId', 'idIndex'];

/**
 * @typedef {object} CopyOptions
 * @property {SessionOptions & { target: Target }} sessionOptions
 * @property {CopyStore} store
 * @property {CopyFigures} figures
 */

/**
 * Copies all documents, repeats what the source did meanwhile, and builds the indexes.
 *
 * A copy takes too long to read all documents as of one moment, because servers keep old versions for minutes only. So each
 * document is as of some moment after the copy began. Repeating the oplog from there to a position after the copy makes all
 * of them as of that position: that is what a crash needs, too. Until then a unique index could refuse documents, because
 * a value may have been copied twice while it moved from one document to another. So there are no indexes until then.
 *
 * @param {CopyOptions} options
 * @param {Control} control
 * @returns {Promise<boolean>} false: it was stopped before its end. The next one continues
 */
export async function copySource(options, control) {
  const { sessionOptions, store, figures } = options;
  const { checkpoint, source, target, filter } = sessionOptions;
  const { stop } = control;
  /** @template T @param {() => Promise<T>} attempt */
  const retry = (attempt) => retryTransient(async () => {
    await target.begin();
    return attempt();
  }, { stop, countProgress: () => figures.bytes });

  const state = await retry(async () => {
    await target.waitForWrites();
    const found = await store.read();
    if (found?.phase === 'catching up') await dropIndexes(target, filter);
    return found && found.phase !== 'creating' ? found : beginCopy(options, stop);
  });
  if (!state) return false;
  Object.assign(figures, { totalDocuments: state.documents, totalBytes: state.bytes });
  if (state.phase === 'copying') {
    await retry(() => copyPieces(options, stop));
    if (stop.aborted) return false;
    await retry(() => store.write({ ...state, phase: 'catching up' }));
  }
  figures.phase = 'catching up';
  const { position, collections } = await retry(() => readCatalog(source, { filter, withIndexes: true }));
  const start = /** @type {Progress} */ (await retry(checkpoint.read));
  await followSource({ ...sessionOptions, until: position, withoutIndexes: true }, start, control);
  if (stop.aborted) return false;

  figures.phase = 'building indexes';
  figures.totalIndexes = collections.reduce((sum, { indexes }) => sum + indexes.length, 0);
  await forEachOf(collections, sessionOptions.workers, async ({ database, collection, indexes }) => {
    if (indexes.length === 0 || stop.aborted) return;
    await retry(() => target.runDdl(createIndexCommand(database, collection, indexes)));
    figures.indexes += indexes.length;
  });
  if (stop.aborted) return false;
  await retry(() => store.write({ ...state, phase: 'done' }));
  await retry(store.deletePieces);
  figures.phase = 'done';
  return true;
}

/** @param {CopyOptions} options @param {AbortSignal} stop @returns {Promise<CopyState | null>} null: it was stopped */
async function beginCopy({ sessionOptions: { source, target, checkpoint, filter, onUnsupported }, store }, stop) {
  /** @type {CopyState} */
  const state = { phase: 'creating', filter: describeFilter(filter), documents: 0, bytes: 0 };
  await store.write(state);
  await store.deletePieces();
  // An earlier attempt may have created some.
  for (const { name, database, collection } of (await listCollections(target.end, filter)).replicated) {
    await target.runDdl({ database, names: [name], command: { drop: collection }, alreadyDoneCodes: [] });
  }
  const { position, collections, unsupported } = await readCatalog(source, { filter, withIndexes: false });
  unsupported.forEach(onUnsupported);
  for (const listed of collections) {
    if (stop.aborted) return null;
    await create(target, listed);
    const { pieces, documents, bytes } = await splitCollection(source.end, listed, PIECE_BYTES);
    await store.addPieces(pieces);
    state.documents += documents;
    state.bytes += bytes;
  }
  // No transaction is half in the oplog there: only those of several shards could be.
  await checkpoint.write({ applied: position, since: null });
  await store.write({ ...state, phase: 'copying' });
  return { ...state, phase: 'copying' };
}

/** @param {CopyOptions} options @param {AbortSignal} stop */
async function copyPieces({ sessionOptions, store, figures }, stop) {
  const { source, target, checkpoint, filter, workers } = sessionOptions;
  const { applied } = /** @type {Progress} */ (await checkpoint.read());
  const pieces = await store.listPieces();
  const done = pieces.filter(({ isDone }) => isDone);
  for (const field of /** @type {const} */ (['bytes', 'documents'])) {
    figures[field] = done.reduce((sum, piece) => sum + piece[field], 0);
  }
  const namespaces = createNamespaces(filter);
  const budget = new ByteBudget(MAX_BYTES_AT_ONCE);
  const failing = new AbortController();
  const signal = AbortSignal.any([stop, failing.signal]);
  let checkedAtMs = performance.now();

  /** @param {StoredPiece} piece */
  async function copyOne(piece) {
    if (signal.aborted) return;
    if (performance.now() - checkedAtMs > CHECK_OPLOG_EVERY_MS) {
      checkedAtMs = performance.now();
      await assertStillHas(source, applied);
    }
    const namespace = namespaces.named(piece.name);
    if (piece.isCapped) await empty(target, namespace);
    namespace.constraints ??= await readConstraints(target.end, namespace);
    const copied = { bytes: 0, documents: 0 };
    await copyPiece(piece, {
      source: source.end, target, namespace, after: applied, budget, signal,
      onBatch({ bytes, documents }) {
        copied.bytes += bytes;
        copied.documents += documents;
        figures.bytes += bytes;
        figures.documents += documents;
      },
    });
    await store.finishPiece(piece, copied);
  }

  // The longer ago a capped collection was copied, the more documents it may have removed since.
  const left = pieces.filter(({ isDone }) => !isDone).sort((one, other) => Number(other.isCapped) - Number(one.isCapped));
  await forEachOf(left, workers, (piece) => copyOne(piece).catch((error) => {
    failing.abort(error);
    if (!stop.aborted) throw failing.signal.reason;
  }));
}

/** @param {Target} target @param {Pick<Listed, 'name' | 'database' | 'collection' | 'options'>} listed */
async function create(target, { name, database, collection, options }) {
  const allowed = Object.entries(withoutTtl(options)).filter(([option]) => !INTERNAL_OPTIONS.includes(option));
  const command = { create: collection, ...Object.fromEntries(allowed) };
  await target.runDdl({ database, names: [name], command, alreadyDoneCodes: [] });
}

/** Removes what an earlier attempt has copied. @param {Target} target @param {{ name: string, database: string, collection: string }} namespace */
async function empty(target, { name, database, collection }) {
  const [{ options }] = await target.end.readAll(database, { listCollections: 1, filter: { name: collection } });
  await target.runDdl({ database, names: [name], command: { drop: collection }, alreadyDoneCodes: [] });
  await create(target, { name, database, collection, options: Object.fromEntries(options) });
}

/** An earlier attempt may have built some, and the source may have dropped them since. @param {Target} target @param {Filter} [filter] */
async function dropIndexes({ end, runDdl }, filter) {
  for (const { name, database, collection } of (await listCollections(end, filter)).replicated) {
    if ((await listIndexes(end, { database, collection })).length === 0) continue;
    await runDdl({ database, names: [name], command: { dropIndexes: collection, index: '*' }, alreadyDoneCodes: [] });
  }
}
