import { connectDeployments } from '../base/connect-deployments.js';
import { planSources, runPlan } from './plan-sources.js';
import { Counters } from '../base/replication-figures.js';
import { AWAIT_MS } from '../source/oplog.js';
import { MERGE_RULES } from '../workers/worker.js';

/** @import { Figures } from '../base/replication-figures.js' */
/** @import { Lease } from '../target/lease.js' */
/** @import { Session } from '../workers/session.js' */
/** @import { MergeRule } from '../workers/worker.js' */
/** @import { Unsupported } from '../collections/collection-info.js' */
/** @import { Timestamp } from 'mongodb' */
/** @import { Filter } from '../base/namespaces.js' */

/** Three heartbeats of an idle oplog. */
const MIN_MAX_SILENCE_MS = 3 * AWAIT_MS;

/**
 * @typedef {object} ReplicateOptions
 * @property {string[]} sources connection strings of replica sets; several are the shards of one cluster
 * @property {string | null} target connection string; null: a dry run, which discards every write
 * @property {number} workers in total; each source has its own
 * @property {'id' | 'collection'} hash how operations are assigned to workers. A collection whose order matters (it has
 *   a unique index or a collation, or is capped) always has one worker
 * @property {MergeRule} [merge] which operations become one batch. all: everything that a worker has for a collection;
 *   neighbours: only operations of one kind on one collection that follow each other; none; default: all
 * @property {'snapshot' | 'checkpoint' | 'start' | 'end' | Timestamp | Timestamp[]} from snapshot: copy what is there
 *   and follow the oplog from before the copy, or continue after the checkpoint; checkpoint: continue, and if there is
 *   none, begin with the oplog; start or end of the oplog; after a time (one for all sources, or one for each)
 * @property {Timestamp | Timestamp[] | 'caught up'} [until] end after the entry of this time; caught up: once the
 *   target has everything that the source had a second ago
 * @property {Filter} [namespaces]
 * @property {string} [checkpointId] default: `default`
 * @property {number} [checkpointEveryMs] default: 1000
 * @property {Record<string, unknown>} [writeConcern] default: that of the target's connection string; else documents
 *   are written with `w: 1`, and a checkpoint waits until a majority has them
 * @property {number} [maxSilenceMs] how long a server may take to answer before its connection is considered lost; a
 *   write may take longer while the target works on it; default: 10,000
 * @property {(unsupported: Unsupported) => void} [onUnsupported] called once for each name that is skipped because the
 *   replicator can't replicate it; default: a warning of the process
 * @property {(other: string) => void} [onWait] called when another replicator was heard of lately, and may have ended:
 *   `replicate` then waits, up to 15 s, and throws if it has not; the text describes that process
 * @property {AbortSignal} [signal] has the same effect as `stop`
 */

/** @param {ReplicateOptions} options @throws {Error} that says what is wrong and what is allowed */
function assertOptions({ sources, target, workers, hash, merge, maxSilenceMs, from }) {
  if (sources.length === 0) throw new Error('sources is empty; it must have at least one connection string');
  if (target === undefined || target === '') {
    throw new Error('target is missing; it must be a connection string, or null for a dry run');
  }
  if (hash !== 'id' && hash !== 'collection') throw new Error(`hash is ${hash}; it must be id or collection`);
  if (merge !== undefined && !MERGE_RULES.includes(merge)) {
    throw new Error(`merge is ${merge}; it must be all, neighbours or none`);
  }
  if (!Number.isInteger(workers) || workers < sources.length) {
    throw new Error(`workers is ${workers}; it must be an integer of at least ${sources.length}, one for each source`);
  }
  if (from === 'snapshot' && (sources.length !== 1 || target === null)) {
    throw new Error(
      'from is snapshot, which needs one source and a target. Several sources, such as the shards of a cluster, ' +
        "can't be copied",
    );
  }
  if (maxSilenceMs !== undefined && !(maxSilenceMs >= MIN_MAX_SILENCE_MS)) {
    throw new Error(`maxSilenceMs is ${maxSilenceMs}; it must be at least ${MIN_MAX_SILENCE_MS}`);
  }
}

/** Connections for the checkpoint, the lease, commands and their effects, and to ask what the target is doing. */
const SPARE_CONNECTIONS = 4;

/**
 * @typedef {object} Replication
 * @property {() => Figures} figures
 * @property {() => Promise<void>} stop resolves once everything read is written and the checkpoint saved
 * @property {Promise<Figures>} done rejects if the replication failed; another one can continue from the checkpoint
 */

/**
 * Applies the oplogs of replica sets to another cluster. The package's README lists what it replicates and its limits.
 *
 * @param {ReplicateOptions} options
 * @returns {Promise<Replication>}
 * @throws {LeaseError} when another process is replicating the same namespaces of a source to this target
 * @throws {Error} when an option is wrong, or a source or the target can't be used; nothing has been replicated then
 */
export async function replicate(options) {
  assertOptions(options);
  const { sources, target, workers, maxSilenceMs, signal } = options;
  const startedAtMs = performance.now();
  let endedAtMs = Infinity;
  const controller = new AbortController();
  const stop = AbortSignal.any([controller.signal, ...(signal ? [signal] : [])]);
  const counters = new Counters();
  const onUnsupported = oncePerName(options.onUnsupported ?? warnUnsupported);
  const deployments = await connectDeployments(
    { sources, target },
    { connections: workers + SPARE_CONNECTIONS, maxSilenceMs },
  );
  /** @type {Lease[]} */
  const leases = [];
  const close = async () => {
    await Promise.all(leases.map((lease) => lease.release()));
    await deployments.close();
  };
  const plans = await planSources({ ...options, onUnsupported }, deployments, { counters, leases, stop }).catch(
    async (error) => {
      await close();
      throw error;
    },
  );
  for (const { lost } of leases) lost.addEventListener('abort', () => controller.abort());
  const copy = plans[0].copy?.figures ?? null;
  /** @type {Session[]} the current one of each source */
  const sessions = [];

  function figures() {
    const backlogByWorker = sessions.flatMap((session) => session.listBacklogs());
    return {
      ...counters,
      backlog: backlogByWorker.reduce((sum, backlog) => sum + backlog, 0),
      backlogByWorker,
      lagMs: Math.max(0, ...plans.map(({ sessionOptions: { lag } }) => lag.measure())),
      copy: copy && { ...copy },
      tookMs: Math.min(performance.now(), endedAtMs) - startedAtMs,
    };
  }

  async function run() {
    try {
      const all = plans.map((plan, index) =>
        runPlan(plan, options.until, {
          stop,
          onSession: (session) => {
            sessions[index] = session;
          },
        }),
      );
      // When one source fails, the others stop.
      await Promise.all(all).catch(() => controller.abort());
      await Promise.allSettled(all);
      for (const { lost } of leases) lost.throwIfAborted();
      await Promise.all(all);
    } finally {
      await close();
      endedAtMs = performance.now();
    }
    return figures();
  }

  const done = run();
  // A failure before the caller awaits `done` is not an unhandled rejection.
  done.catch(() => {});
  return {
    figures,
    done,
    async stop() {
      controller.abort();
      await done.catch(() => {});
    },
  };
}

/** @param {(unsupported: Unsupported) => void} callback @returns {(unsupported: Unsupported) => void} */
function oncePerName(callback) {
  const seen = new Set();
  return (unsupported) => {
    if (seen.has(unsupported.name)) return;
    seen.add(unsupported.name);
    callback(unsupported);
  };
}

/** @param {Unsupported} unsupported */
function warnUnsupported({ kind, name }) {
  process.emitWarning(`${name} is not replicated (${kind})`, 'ReplicationWarning');
}
