import { setMaxListeners } from 'node:events';
import { createNamespaces } from './namespaces.js';
import { openTail } from './source/open-tail.js';
import { assertReachesBack, findLast } from './source/oplog.js';
import { BulkWriter } from './target/bulk-writer.js';
import { CheckpointTimer } from './target/checkpoint.js';
import { readConstraints } from './target/constraints.js';
import { createCommandApplier } from './target/ddl-commands.js';
import { DeferredDocuments } from './target/deferred-documents.js';
import { Dispatcher } from './workers/dispatcher.js';
import { findUnsupported } from './unsupported.js';
import { Worker } from './workers/worker.js';

/** @import { Source } from './connect-ends.js' */
/** @import { Filter, Namespace } from './namespaces.js' */
/** @import { Lag } from './lag.js' */
/** @import { Counters } from './replication-figures.js' */
/** @import { RawEntry } from './source/raw-entry.js' */
/** @import { Unsupported } from './unsupported.js' */
/** @import { Position } from './source/position.js' */
/** @import { CheckpointStore, Progress } from './target/checkpoint.js' */
/** @import { Target } from './target/target.js' */

/** Memory for the backlog of one source. */
const MAX_BYTES = 32 << 20;

/**
 * @typedef {Awaited<ReturnType<typeof startSession>>} Session
 *
 * @typedef {object} SessionOptions
 * @property {Source} source
 * @property {Target | null} target null: a dry run
 * @property {CheckpointStore} checkpoint
 * @property {number} checkpointEveryMs
 * @property {number} workers
 * @property {'id' | 'collection'} hash
 * @property {boolean} merge
 * @property {Filter} [filter]
 * @property {Position} [until]
 * @property {boolean} isOneOfSeveral whether other sources write to the same target
 * @property {boolean} isFromStart whether the source's entire history is replicated
 * @property {boolean} [withoutIndexes] ignores commands about indexes, while a copy catches up
 * @property {Counters} counters
 * @property {Lag} lag
 * @property {(unsupported: Unsupported) => void} onUnsupported
 */

/**
 * Replicates until `until` is reached or something fails. After a failure a new session starts from the checkpoint, so
 * broken connections, servers that lost data and killed processes are all handled the same way.
 *
 * @param {SessionOptions} options
 * @param {Progress} progress
 * @param {AbortSignal} stop ends it once everything read is written
 */
export async function startSession(options, { applied, since }, stop) {
  const { source, target, checkpoint, merge, hash, until, counters, lag } = options;
  const session = new AbortController();
  // Each worker adds a listener.
  setMaxListeners(0, session.signal);
  const from = since ?? applied;
  const namespaces = createNamespaces(options.filter);
  const onUnsupported = (/** @type {RawEntry} */ entry, /** @type {Namespace} */ namespace) => {
    const found = findUnsupported(entry, namespace);
    if (found && namespaces.named(found.name).skipped !== 'excluded') options.onUnsupported(found);
  };
  // A new primary has every entry that an earlier session read, but may not know yet that a majority has it.
  const deferred = new DeferredDocuments(await findLast(source, 'local'));
  const writer = target && new BulkWriter(target, deferred, await target.canApplyDiffs());

  const workers = Array.from({ length: options.workers }, () => new Worker({
    merge, session, maxBytes: MAX_BYTES / options.workers,
    async write(batch) {
      await writer?.write(batch);
      counters.addBatch(batch);
      checkpoints.schedule();
    },
  }));
  const checkpoints = new CheckpointTimer({
    progress() {
      deferred.assertNone(dispatcher.progress(null).applied);
      return dispatcher.progress(deferred.after);
    },
    write: checkpoint.write,
    everyMs: options.checkpointEveryMs,
    onError: (error) => session.abort(error),
  });
  const dispatcher = new Dispatcher({
    workers, namespaces, hash, from, after: applied, until, counters, isShard: source.isShard, onUnsupported,
    saveCheckpoint: () => checkpoints.save(),
    async readConstraints(namespace) {
      namespace.constraints = await readConstraints((target ?? source).end, namespace);
    },
    applyCommand: createCommandApplier({ ...options, namespaces, deferred, onUnsupported }),
  });
  const tail = await openTail(source, from);

  async function run() {
    const close = () => { tail.close(); };
    session.signal.addEventListener('abort', close);
    stop.addEventListener('abort', close);
    const read = async () => {
      const batch = await tail.next();
      lag.hear();
      return batch;
    };
    lag.beginSession(() => dispatcher.findOldestMs());
    try {
      if (stop.aborted) close();
      let batch = await read();
      if (batch) await assertReachesBack(source, from, batch);
      // If the target refuses the checkpoint, nothing else was written.
      await checkpoint.write({ applied, since });
      while (batch && !await dispatcher.dispatch(batch)) {
        checkpoints.schedule();
        batch = await read();
      }
      session.signal.throwIfAborted();
      await dispatcher.drain();
      await checkpoints.save();
      // `until` was reached, so nothing will be repeated that would explain a difference.
      if (batch) deferred.assertNone();
    } catch (error) {
      session.abort(error);
      throw session.signal.reason;
    } finally {
      lag.endSession();
      checkpoints.stop();
      stop.removeEventListener('abort', close);
      await tail.close();
      // A write in flight must not overtake those of the next session.
      await Promise.all(workers.map((worker) => worker.ended()));
    }
  }

  return {
    done: run(),
    listBacklogs: () => workers.map(({ backlog }) => backlog),
  };
}
