import { setMaxListeners } from 'node:events';
import { createNamespaces } from './namespaces.js';
import { openTail } from './source/open-tail.js';
import { assertReachesBack, findLast } from './source/oplog.js';
import { createCommandApplier } from './target/apply-command.js';
import { BulkWriter } from './target/bulk-writer.js';
import { createCheckpointTimer } from './target/checkpoint-timer.js';
import { readConstraints } from './workers/constraints.js';
import { DeferredDocuments } from './workers/deferred-documents.js';
import { Dispatcher } from './workers/dispatcher.js';
import { Worker } from './workers/worker.js';

/** @import { CheckpointStore, Progress } from './target/checkpoint.js' */
/** @import { Source } from './connect-ends.js' */
/** @import { Position } from './source/position.js' */

/** In the queues of all workers of a source together. */
const MAX_OPERATIONS = 400_000;
const MAX_BYTES = 64 << 20;
/** Each worker has room for a batch of useful size, however many there are. */
const MIN_OPERATIONS = 500;

/**
 * @typedef {object} Work the replication of one source
 * @property {Source} source
 * @property {ReturnType<typeof import('./target/target.js').createTarget> | null} target null when writes are discarded
 * @property {CheckpointStore} checkpoint
 * @property {number} checkpointEveryMs
 * @property {number} workers
 * @property {'id' | 'collection'} hash
 * @property {boolean} merge
 * @property {import('./namespaces.js').Filter} [filter]
 * @property {Position} [until]
 * @property {boolean} isOneOfSeveral whether other sources go to the same target
 * @property {boolean} isFromStart whether the source's whole history is replicated
 * @property {ReturnType<typeof import('./replication-figures.js').createCounts>} counts
 */

/**
 * Replicates from a position until the end is reached or something fails. A new session then starts from the target's
 * checkpoint, so a broken connection, a server that lost data and a killed process are all handled the same way.
 *
 * @param {Work} work
 * @param {Progress} progress
 * @param {AbortSignal} stop ends it once everything read is written
 */
export async function startSession(work, { applied, since }, stop) {
  const { source, target, checkpoint, merge, hash, until, counts } = work;
  const session = new AbortController();
  // Each worker listens, and there may be many.
  setMaxListeners(0, session.signal);
  const from = since ?? applied;
  const namespaces = createNamespaces(work.filter);
  const deferred = new DeferredDocuments(await findLast(source));
  const writer = target && new BulkWriter(target, deferred);

  const workers = Array.from({ length: work.workers }, (_, index) => new Worker({
    index, merge, session,
    maxOperations: Math.max(MIN_OPERATIONS, MAX_OPERATIONS / work.workers),
    maxBytes: MAX_BYTES / work.workers,
    async write(batch) {
      await writer?.write(batch);
      counts.addBatch(batch);
      checkpoints.schedule();
    },
  }));
  const checkpoints = createCheckpointTimer({
    read() {
      deferred.assertNone(dispatcher.progress(null).applied);
      return dispatcher.progress(deferred.after);
    },
    write: checkpoint.write,
    everyMs: work.checkpointEveryMs,
    onError: (error) => session.abort(error),
  });
  const dispatcher = new Dispatcher({
    workers, namespaces, hash, from, after: applied, until, counters: counts.counters, saveCheckpoint: checkpoints.save,
    async readConstraints(namespace) {
      namespace.constraints = await readConstraints((target ?? source).client, namespace);
    },
    applyCommand: createCommandApplier({ ...work, namespaces, deferred }),
  });
  const tail = await openTail(source, from);

  async function run() {
    const close = () => { tail.close(); };
    session.signal.addEventListener('abort', close);
    stop.addEventListener('abort', close);
    try {
      if (stop.aborted) close();
      let batch = await tail.next();
      if (batch) await assertReachesBack(source, from, batch);
      // Written first, so that a target that refuses it stays untouched.
      await checkpoint.write({ applied, since });
      while (batch && !await dispatcher.dispatch(batch)) {
        checkpoints.schedule();
        batch = await tail.next();
      }
      session.signal.throwIfAborted();
      await dispatcher.drain();
      await checkpoints.save();
    } catch (error) {
      session.abort(error);
      throw session.signal.reason;
    } finally {
      checkpoints.stop();
      stop.removeEventListener('abort', close);
      await tail.close();
      // A write in flight must not land after those of the next session.
      await Promise.all(workers.map((worker) => worker.ended()));
    }
  }

  return {
    done: run(),
    listDepths: () => workers.map(({ depth }) => depth),
    measureLag: () => dispatcher.measureLag(),
  };
}
