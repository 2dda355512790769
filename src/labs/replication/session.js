import { setMaxListeners } from 'node:events';
import { createNamespaces } from './namespaces.js';
import { openTail } from './source/open-tail.js';
import { assertReachesBack, findLast } from './source/oplog.js';
import { createBulkWriter } from './target/bulk-writer.js';
import { createDefiner } from './target/definer.js';
import { createSaver } from './target/saver.js';
import { readConstraints } from './workers/constraints.js';
import { createDispatcher } from './workers/dispatcher.js';
import { createParked } from './workers/parked.js';
import { createWorker } from './workers/worker.js';

/** @import { CheckpointStore, Progress } from './target/checkpoint.js' */
/** @import { Source } from './connect-ends.js' */
/** @import { Position } from './source/position.js' */

/** Queued by all workers of a source together. */
const MAX_OPERATIONS = 400_000;
const MAX_BYTES = 64 << 20;
/** However many workers share that, each has room for a write that is worth its way. */
const MIN_OPERATIONS = 500;

/**
 * @typedef {object} Work what is to be done with one source
 * @property {Source} source
 * @property {ReturnType<typeof import('./target/target.js').createTarget> | null} target null where all is thrown away
 * @property {CheckpointStore} checkpoint
 * @property {number} checkpointEveryMs
 * @property {number} workers
 * @property {'id' | 'collection'} hash
 * @property {boolean} merge
 * @property {import('./namespaces.js').Filter} [filter]
 * @property {Position} [until]
 * @property {boolean} isOneOfSeveral whether other sources are replicated to the same target
 * @property {boolean} isWhole whether all that ever happened on the source is replicated
 * @property {ReturnType<typeof import('./figures.js').createCounts>} counts
 */

/**
 * Replicate from a point on, until there is an end or anything goes wrong; a new session can then begin where the
 * target's checkpoint says. So a line that broke, a server that came back with less than it had, and a process that was
 * killed are one and the same.
 *
 * @param {Work} work
 * @param {Progress} progress
 * @param {AbortSignal} stop ends it once all is written that was read
 */
export async function startSession(work, { applied, since }, stop) {
  const { source, target, checkpoint, merge, hash, until, counts } = work;
  const session = new AbortController();
  // Each worker listens, and there may be many.
  setMaxListeners(0, session.signal);
  const from = since ?? applied;
  const namespaces = createNamespaces(work.filter);
  const parked = createParked(await findLast(source));
  const writeRun = target ? createBulkWriter(target, parked) : async () => {};

  const workers = Array.from({ length: work.workers }, (_, index) => createWorker({
    index, merge, session,
    maxOperations: Math.max(MIN_OPERATIONS, MAX_OPERATIONS / work.workers),
    maxBytes: MAX_BYTES / work.workers,
    async write(run) {
      await writeRun(run);
      counts.addRun(run);
      saver.tell();
    },
  }));
  const saver = createSaver({
    read() {
      parked.assertNone(dispatcher.progress(null).applied);
      return dispatcher.progress(parked.after);
    },
    write: checkpoint.write,
    everyMs: work.checkpointEveryMs,
    onError: (error) => session.abort(error),
  });
  const dispatcher = createDispatcher({
    workers, namespaces, hash, from, after: applied, until, counters: counts.counters, save: saver.save,
    async learn(namespace) {
      namespace.constraints = await readConstraints((target ?? source).client, namespace);
    },
    define: createDefiner({ ...work, namespaces, parked }),
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
      // Before anything else is written, so that a target that refuses it is left as it is.
      await checkpoint.write({ applied, since });
      while (batch && !await dispatcher.take(batch)) {
        saver.tell();
        batch = await tail.next();
      }
      session.signal.throwIfAborted();
      await dispatcher.settle();
      await saver.save();
    } catch (error) {
      session.abort(error);
      throw session.signal.reason;
    } finally {
      saver.stop();
      stop.removeEventListener('abort', close);
      await tail.close();
      // A write that is under way must not come after those of the next session.
      await Promise.all(workers.map((worker) => worker.ended()));
    }
  }

  return {
    done: run(),
    listDepths: () => workers.map(({ depth }) => depth),
    measureLag: () => dispatcher.measureLag(),
  };
}
