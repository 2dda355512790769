import { setMaxListeners } from 'node:events';
import { createNamespaces } from '../base/namespaces.js';
import { openTail } from '../source/open-tail.js';
import { assertReachesBack, findLast } from '../source/oplog.js';
import { BulkWriter } from '../target/bulk-writer.js';
import { CheckpointTimer } from '../target/checkpoint.js';
import { readConstraints, findUnsupported } from '../collections/collection-info.js';
import { createCommandApplier } from '../target/ddl-commands.js';
import { DeferredDocuments } from '../target/deferred-documents.js';
import { Dispatcher } from './dispatcher.js';
import { Worker } from './worker.js';
import { retryTransient } from '../base/errors.js';

/** @import { Source } from '../base/connect-deployments.js' */
/** @import { Filter, Namespace, Namespaces } from '../base/namespaces.js' */
/** @import { Lag } from '../source/lag.js' */
/** @import { Counters } from '../base/replication-figures.js' */
/** @import { OplogEntry } from '../source/oplog-entry.js' */
/** @import { OplogTail } from '../source/oplog.js' */
/** @import { Unsupported } from '../collections/collection-info.js' */
/** @import { Position } from '../source/position.js' */
/** @import { CheckpointStore, OplogProgress } from '../target/checkpoint.js' */
/** @import { Target } from '../target/target.js' */
/** @import { MergeRule } from './worker.js' */

/** Memory for the backlog of one source. */
const MAX_BYTES = 32 << 20;

/**
 * @typedef {object} SessionOptions
 * @property {Source} source
 * @property {Target | null} target null: a dry run
 * @property {CheckpointStore} checkpoint
 * @property {number} checkpointEveryMs
 * @property {number} workers
 * @property {'id' | 'collection'} hash
 * @property {MergeRule} merge
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
 */
export class Session {
  #options;
  #start;
  #stop;
  #controller = new AbortController();
  #deferred;
  #tail;
  #workers;
  #checkpoints;
  #dispatcher;

  /**
   * @param {SessionOptions} options
   * @param {OplogProgress} start
   * @param {AbortSignal} stop ends it once everything read is written
   */
  static async start(options, start, stop) {
    const { source, target } = options;
    // A new primary has every entry that an earlier session read, but may not know yet that a majority has it.
    const deferred = new DeferredDocuments(await findLast(source, 'local'));
    const namespaces = createNamespaces(options.filter);
    deferred.restore(start.applied, start.deferred ?? [], namespaces);
    const writer = target && new BulkWriter(target, deferred, await target.canApplyDiffs());
    const tail = await openTail(source, start.since ?? start.applied);
    return new Session({ ...options, deferred, namespaces, writer, tail }, start, stop);
  }

  /**
   * Use Session.start.
   * @param {SessionOptions & { deferred: DeferredDocuments, namespaces: Namespaces, writer: BulkWriter | null,
   *   tail: OplogTail }} options
   * @param {OplogProgress} start
   * @param {AbortSignal} stop
   */
  constructor(options, start, stop) {
    this.#options = options;
    this.#start = start;
    this.#stop = stop;
    this.#deferred = options.deferred;
    this.#tail = options.tail;
    // Each worker adds a listener.
    setMaxListeners(0, this.#controller.signal);
    this.#workers = this.#createWorkers();
    this.#checkpoints = new CheckpointTimer({
      progress: () => this.#findProgress(),
      write: options.checkpoint.write,
      everyMs: options.checkpointEveryMs,
      onError: (error) => this.#controller.abort(error),
    });
    this.#dispatcher = this.#createDispatcher();
    /** Resolves at the end of the session, or rejects with what ended it. */
    this.done = this.#run();
  }

  listBacklogs() {
    return this.#workers.map(({ backlog }) => backlog);
  }

  #createWorkers() {
    const { workers: count, merge, writer, counters } = this.#options;
    return Array.from(
      { length: count },
      () =>
        new Worker({
          merge,
          session: this.#controller,
          maxBytes: MAX_BYTES / count,
          write: async (batch) => {
            await writer?.write(batch);
            counters.addBatch(batch);
            this.#checkpoints.schedule();
          },
        }),
    );
  }

  #createDispatcher() {
    const { source, target, hash, until, counters, namespaces } = this.#options;
    const { applied, since } = this.#start;
    const onUnsupported = (/** @type {OplogEntry} */ entry, /** @type {Namespace} */ namespace) => {
      const found = findUnsupported(entry, namespace);
      if (found && namespaces.named(found.name).skipped !== 'excluded') this.#options.onUnsupported(found);
    };
    return new Dispatcher({
      workers: this.#workers,
      namespaces,
      hash,
      from: since ?? applied,
      after: applied,
      until,
      counters,
      isShard: source.isShard,
      onUnsupported,
      saveCheckpoint: () => {
        // Everything before is written or deferred.
        this.#deferred.save(this.#dispatcher.progress(null).applied);
        return this.#checkpoints.save();
      },
      async readConstraints(namespace) {
        namespace.constraints = await readConstraints((target ?? source).deployment, namespace);
      },
      applyCommand: createCommandApplier({ ...this.#options, onUnsupported }),
    });
  }

  #findProgress() {
    this.#deferred.assertNone(this.#dispatcher.progress(null).applied);
    const progress = this.#dispatcher.progress(this.#deferred.after);
    return { ...progress, deferred: this.#deferred.listSaved(progress.applied) };
  }

  async #read() {
    const batch = await this.#tail.next();
    this.#options.lag.hear();
    return batch;
  }

  async #run() {
    const { source, checkpoint, lag } = this.#options;
    const { signal } = this.#controller;
    const close = () => {
      this.#tail.close();
    };
    signal.addEventListener('abort', close);
    this.#stop.addEventListener('abort', close);
    lag.beginSession(() => this.#dispatcher.findOldestMs());
    try {
      if (this.#stop.aborted) close();
      let batch = await this.#read();
      if (batch) await assertReachesBack(source, this.#start.since ?? this.#start.applied, batch);
      // If the target refuses the checkpoint, nothing else was written.
      await checkpoint.write(this.#start);
      while (batch && !(await this.#dispatcher.dispatch(batch))) {
        this.#checkpoints.schedule();
        batch = await this.#read();
      }
      signal.throwIfAborted();
      await this.#dispatcher.drain();
      await this.#checkpoints.save();
      // `until` was reached, so nothing will be repeated that would explain a difference.
      if (batch) this.#deferred.assertNone();
    } catch (error) {
      this.#controller.abort(error);
      throw signal.reason;
    } finally {
      lag.endSession();
      this.#checkpoints.stop();
      this.#stop.removeEventListener('abort', close);
      await this.#tail.close();
      // A write in flight must not overtake those of the next session.
      await Promise.all(this.#workers.map((worker) => worker.ended()));
    }
  }
}

/**
 * @typedef {object} Control
 * @property {AbortSignal} stop ends it once everything read is written
 * @property {(session: Session) => void} onSession called with each new session
 */

/**
 * Replicates one source. After a transient error a new session continues from the checkpoint.
 *
 * @param {SessionOptions} options
 * @param {OplogProgress} start
 * @param {Control} control
 * @throws {Error} that a retry does not solve
 */
export async function followSource(options, start, { stop, onSession }) {
  const { target, checkpoint, counters } = options;
  /** @type {OplogProgress | null} */
  let progress = start;
  await retryTransient(
    async () => {
      await target?.begin();
      await target?.waitForWrites();
      const session = await Session.start(options, progress ?? (await checkpoint.read()) ?? start, stop);
      progress = null;
      onSession(session);
      await session.done;
    },
    { stop, countProgress: () => counters.processed },
  );
}
