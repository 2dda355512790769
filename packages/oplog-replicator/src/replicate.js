import { connectEnds } from './connect-ends.js';
import { followSource } from './follow-source.js';
import { Lag } from './lag.js';
import { CHECKPOINT_DATABASE } from './namespaces.js';
import { Counters, createCopyFigures } from './replication-figures.js';
import { retryTransient } from './retry.js';
import { assertEmpty, copySource, describeFilter } from './snapshot/copy-source.js';
import { createCopyStore } from './snapshot/copy-store.js';
import { AWAIT_MS, findFirst, findLast, findStart } from './source/oplog.js';
import { positionAt } from './source/position.js';
import { createCheckpoint, createMemoryCheckpoint } from './target/checkpoint.js';
import { createTarget } from './target/target.js';
import { assertNoTtl } from './ttl-indexes.js';

/** @import { Timestamp } from 'mongodb' */
/** @import { Source } from './connect-ends.js' */
/** @import { End } from './end.js' */
/** @import { Control } from './follow-source.js' */
/** @import { Filter } from './namespaces.js' */
/** @import { CopyFigures, Figures } from './replication-figures.js' */
/** @import { Session, SessionOptions } from './session.js' */
/** @import { CopyStore } from './snapshot/copy-store.js' */
/** @import { Progress } from './target/checkpoint.js' */
/** @import { Target } from './target/target.js' */
/** @import { Unsupported } from './unsupported.js' */

const DEFAULT_CHECKPOINT = 'default';
const CHECKPOINT_EVERY_MS = 1000;
/** For the checkpoint, for commands and their effects, and to ask what the target is doing. */
const SPARE_CONNECTIONS = 3;
/** Three heartbeats of an idle oplog. */
const MIN_MAX_SILENCE_MS = 3 * AWAIT_MS;
/** How much the source may have executed since, in seconds, because the last entry was written a moment ago. */
const CAUGHT_UP_S = 1;

/**
 * @typedef {object} ReplicateOptions
 * @property {string[]} sources connection strings of replica sets; several are the shards of one cluster
 * @property {string | null} target connection string; null: a dry run, which discards every write
 * @property {number} workers in total; each source has its own
 * @property {'id' | 'collection'} hash how operations are assigned to workers. A collection whose order matters (it has a
 *   unique index or a collation, or is capped) always has one worker
 * @property {boolean} [merge] whether neighbouring operations on one collection become one batch; default: true
 * @property {'snapshot' | 'checkpoint' | 'start' | 'end' | Timestamp | Timestamp[]} from snapshot: copy what is there and
 *   follow the oplog from before the copy, or continue after the checkpoint; checkpoint: continue, and if there is none,
 *   begin with the oplog; start or end of the oplog; after a time (one for all sources, or one for each)
 * @property {Timestamp | Timestamp[] | 'caught up'} [until] end after the entry of this time; caught up: once the target has
 *   everything that the source had a second ago
 * @property {Filter} [namespaces]
 * @property {string} [checkpointId] default: `default`
 * @property {number} [checkpointEveryMs] default: 1000
 * @property {Record<string, unknown>} [writeConcern] default: that of the target's connection string; else documents are
 *   written with `w: 1`, and a checkpoint waits until a majority has them
 * @property {number} [maxSilenceMs] how long a server may take to answer before its connection is considered lost; a write
 *   may take longer while the target works on it; default: 10,000
 * @property {(unsupported: Unsupported) => void} [onUnsupported] called once for each name that is skipped because the
 *   replicator can't replicate it; default: a warning of the process
 * @property {AbortSignal} [signal] has the same effect as `stop`
 *
 * @typedef {object} Plan for one source
 * @property {SessionOptions} sessionOptions
 * @property {Progress} start
 * @property {{ store: CopyStore, figures: CopyFigures } | null} copy null: nothing is to be copied first
 *
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
 * @throws {Error} when an option is wrong, or a source or the target can't be used; nothing has been written then
 */
export async function replicate(options) {
  assertOptions(options);
  const { sources, target, workers, maxSilenceMs, signal } = options;
  const startedAtMs = performance.now();
  let endedAtMs = Infinity;
  const controller = new AbortController();
  const stop = AbortSignal.any([controller.signal, ...signal ? [signal] : []]);
  const counters = new Counters();
  const onUnsupported = oncePerName(options.onUnsupported ?? warnUnsupported);
  const ends = await connectEnds({ sources, target }, { connections: workers + SPARE_CONNECTIONS, maxSilenceMs });
  const plans = await planSources({ ...options, onUnsupported }, ends, counters).catch(async (error) => {
    await ends.close();
    throw error;
  });
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
      const all = plans.map((plan, index) => (
        runPlan(plan, options.until, { stop, onSession: (session) => { sessions[index] = session; } })));
      // When one source fails, the others stop.
      await Promise.all(all).catch(() => controller.abort());
      await Promise.allSettled(all);
      await Promise.all(all);
    } finally {
      await ends.close();
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

/**
 * @param {Plan} plan
 * @param {ReplicateOptions['until']} until
 * @param {Control} control
 */
async function runPlan({ sessionOptions, start, copy }, until, control) {
  const { source, checkpoint, target, lag } = sessionOptions;
  const { stop } = control;
  const retry = (/** @type {() => Promise<any>} */ attempt) => retryTransient(attempt, { stop });
  if (copy) {
    const isDone = await copySource({ ...copy, sessionOptions: { ...sessionOptions, target: /** @type {Target} */ (target) } }, control);
    if (!isDone) return;
  }
  let next = copy ? await retry(checkpoint.read) : start;
  for (;;) {
    const last = until === 'caught up' ? await retry(() => findLast(source)) : sessionOptions.until;
    await followSource({ ...sessionOptions, until: last }, next, control);
    if (until !== 'caught up' || stop.aborted) break;
    const { seconds } = await retry(() => findLast(source));
    if (seconds - last.seconds <= CAUGHT_UP_S) break;
    next = await retry(checkpoint.read);
  }
  lag.end();
}

/** @param {ReplicateOptions} options @throws {Error} that says what is wrong and what is allowed */
function assertOptions({ sources, target, workers, hash, maxSilenceMs, from }) {
  if (sources.length === 0) throw new Error('sources is empty; it must have at least one connection string');
  if (target === undefined || target === '') {
    throw new Error('target is missing; it must be a connection string, or null for a dry run');
  }
  if (hash !== 'id' && hash !== 'collection') throw new Error(`hash is ${hash}; it must be id or collection`);
  if (!Number.isInteger(workers) || workers < sources.length) {
    throw new Error(`workers is ${workers}; it must be an integer of at least ${sources.length}, one for each source`);
  }
  if (from === 'snapshot' && (sources.length !== 1 || target === null)) {
    throw new Error('from is snapshot, which needs one source and a target. Several sources, such as the shards of a cluster, '
      + "can't be copied");
  }
  if (maxSilenceMs !== undefined && !(maxSilenceMs >= MIN_MAX_SILENCE_MS)) {
    throw new Error(`maxSilenceMs is ${maxSilenceMs}; it must be at least ${MIN_MAX_SILENCE_MS}`);
  }
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

/**
 * @param {ReplicateOptions & { onUnsupported: (unsupported: Unsupported) => void }} options
 * @param {{ sources: Source[], target: End | null }} ends
 * @param {Counters} counters
 */
async function planSources(options, { sources, target }, counters) {
  if (target) await assertNoTtl(target, options.namespaces);
  return Promise.all(sources.map((source, index) => planSource(options, { source, index, target, counters })));
}

/**
 * @param {ReplicateOptions & { onUnsupported: (unsupported: Unsupported) => void }} options
 * @param {object} parts
 * @param {Source} parts.source
 * @param {number} parts.index of the source
 * @param {End | null} parts.target
 * @param {Counters} parts.counters
 * @returns {Promise<Plan>}
 */
async function planSource(options, { source, index, target, counters }) {
  const {
    sources, workers, hash, merge = true, namespaces, writeConcern, onUnsupported, checkpointId = DEFAULT_CHECKPOINT,
    checkpointEveryMs = CHECKPOINT_EVERY_MS,
  } = options;
  const from = Array.isArray(options.from) ? options.from[index] : options.from;
  const until = Array.isArray(options.until) ? options.until[index] : options.until;
  const isSnapshot = from === 'snapshot';
  if (isSnapshot && source.isShard) throw new Error(`from is snapshot, and ${source.end.name} is a shard, which can't be copied`);
  const writer = target && createTarget(target, { replication: checkpointId, writeConcern });
  const checkpoint = writer
    ? createCheckpoint(writer, { name: checkpointId, setId: source.setId })
    : createMemoryCheckpoint();
  const saved = isSnapshot || from === 'checkpoint' ? await checkpoint.read() : null;
  const store = writer && createCopyStore(writer, { name: checkpointId, setId: source.setId });
  const needsCopy = store ? await checkCopy(store, { ...options, target: /** @type {End} */ (target), isSnapshot, isSaved: saved !== null }) : false;
  // A copy reads the oplog from now on.
  const first = from === 'checkpoint' ? 'start' : isSnapshot ? 'end' : from;
  const start = saved ?? { applied: await findStart(source, first), since: null };
  return {
    start,
    copy: store && needsCopy ? { store, figures: createCopyFigures() } : null,
    sessionOptions: {
      source, checkpoint, checkpointEveryMs, counters, hash, merge, filter: namespaces, target: writer,
      lag: new Lag(start.applied), onUnsupported,
      workers: Math.floor((workers + index) / sources.length),
      until: until && until !== 'caught up' ? positionAt(until) : undefined,
      isOneOfSeveral: sources.length > 1,
      isFromStart: !saved && first === 'start' && (await findFirst(source)).isFromStart,
    },
  };
}

/**
 * @param {CopyStore} store
 * @param {object} options
 * @param {boolean} options.isSnapshot whether a copy may begin or continue
 * @param {boolean} options.isSaved whether there is a checkpoint
 * @param {End} options.target
 * @param {Filter} [options.namespaces]
 * @returns {Promise<boolean>} whether a copy has to begin or continue
 * @throws {Error} when the target has something else, or half a copy that nobody wants to continue
 */
async function checkCopy(store, { isSnapshot, isSaved, target, namespaces }) {
  const state = await store.read();
  if (!state) {
    if (!isSnapshot || isSaved) return false;
    await assertEmpty(target, namespaces);
    return true;
  }
  const filter = describeFilter(namespaces);
  if (isSnapshot && state.filter !== filter) {
    throw new Error(`the copy on ${target.name} began with the filter ${state.filter}, and this one is ${filter}. Use the same, `
      + `or drop what was copied and the database ${CHECKPOINT_DATABASE}`);
  }
  if (state.phase === 'done') return false;
  if (isSnapshot) return true;
  throw new Error(`${target.name} has a copy that is not complete. It continues with from: 'snapshot'`);
}
