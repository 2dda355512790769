import { assertOptions } from './assert-options.js';
import { connectEnds } from './connect-ends.js';
import { createCounts } from './replication-figures.js';
import { followSource } from './follow-source.js';
import { findBegin, findFirst } from './source/oplog.js';
import { positionAt } from './source/position.js';
import { createCheckpoint, createMemoryCheckpoint } from './target/checkpoint.js';
import { createTarget } from './target/target.js';

/** @import { Timestamp } from 'mongodb' */
/** @import { Progress } from './target/checkpoint.js' */
/** @import { End, Source } from './connect-ends.js' */
/** @import { Figures } from './replication-figures.js' */
/** @import { Session } from './follow-source.js' */
/** @import { Work } from './session.js' */

const DEFAULT_CHECKPOINT = 'default';
const CHECKPOINT_EVERY_MS = 1000;

/**
 * @typedef {object} ReplicateOptions
 * @property {string[]} sources connection strings of replica sets; several are the shards of one cluster, read at once
 * @property {string | null} target connection string; null with the tunnel mock
 * @property {'direct' | 'mock'} tunnel direct writes, mock throws away
 * @property {number} workers of all sources together; each source has some of its own
 * @property {'id' | 'collection'} hash what decides which worker does an operation. A collection whose order matters (it
 *   has a unique index or a collation, or is capped) always has one worker
 * @property {boolean} [merge] whether neighbours of one kind on one collection become one write, as they do unless told
 * @property {'checkpoint' | 'start' | 'end' | Timestamp | Timestamp[]} from what comes after this time (one for each
 *   source, or one for all); start: all that is in the oplog; checkpoint: where the last one of the same name ended,
 *   and at the start where there was none
 * @property {Timestamp | Timestamp[]} [until] end once all up to this time is done
 * @property {import('./namespaces.js').Filter} [namespaces]
 * @property {string} [checkpointId] name of the checkpoint in the target, which has one for each name and source
 * @property {number} [checkpointEveryMs] while operations come, 1000 unless told
 * @property {Record<string, unknown>} [writeConcern] the target's default unless told
 * @property {AbortSignal} [signal] ends it as `stop` does
 *
 * @typedef {object} Replication
 * @property {() => Figures} figures
 * @property {() => Promise<void>} stop ends it once all is written that was read, and the checkpoint with it
 * @property {Promise<Figures>} done when it ended; rejects with what went wrong, after which it can be begun again from
 *   its checkpoint
 */

/**
 * Do on a target what happens on replica sets, as their oplogs say.
 *
 * It replicates inserts, updates, deletes and transactions (their parts become visible one by one), and the making,
 * renaming, changing and dropping of collections and indexes. It leaves out the databases admin, config and local, and
 * collections whose names begin with `system.`, so no views and no time series; a capped collection that loses
 * documents while they are replicated again after a crash may differ. Of sharded clusters it replicates the shards, as
 * long as no chunk moves and no collection is dropped or renamed.
 *
 * @param {ReplicateOptions} options
 * @returns {Promise<Replication>}
 * @throws {Error} when an option is wrong, or an end can't be reached or will not do: nothing was written then
 */
export async function replicate(options) {
  assertOptions(options);
  const { sources: urls, target: url, tunnel, workers, signal } = options;
  const startedAtMs = performance.now();
  let endedAtMs = Infinity;
  const controller = new AbortController();
  const stop = AbortSignal.any([controller.signal, ...signal ? [signal] : []]);
  const counts = createCounts();
  const ends = await connectEnds({ sources: urls, target: tunnel === 'direct' ? url : null }, workers);
  const plans = await Promise.all(ends.sources.map((source, index) => plan(options, { ...ends, source, index, counts })))
    .catch(async (error) => {
      await ends.close();
      throw error;
    });
  /** @type {Session[]} of each source the one that runs */
  const sessions = [];

  function figures() {
    const queueDepths = sessions.flatMap((session) => session.listDepths());
    return {
      ...counts.counters,
      queued: queueDepths.reduce((sum, depth) => sum + depth, 0),
      queueDepths,
      lagMs: Math.max(0, ...sessions.map((session) => session.measureLag())),
      tookMs: Math.min(performance.now(), endedAtMs) - startedAtMs,
    };
  }

  async function run() {
    try {
      const all = plans.map(({ work, begin }, index) => (
        followSource(work, begin, { stop, onSession: (session) => { sessions[index] = session; } })));
      // One that fails ends the others.
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
  // Whoever waits for it learns of a failure.
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
 * @param {ReplicateOptions} options
 * @param {object} parts
 * @param {Source} parts.source
 * @param {number} parts.index of the source
 * @param {End | null} parts.target
 * @param {ReturnType<typeof createCounts>} parts.counts
 * @returns {Promise<{ work: Work, begin: Progress }>} what is to be done with a source, and from where on
 */
async function plan(options, { source, index, target, counts }) {
  const {
    sources, workers, hash, merge = true, namespaces, writeConcern, checkpointId = DEFAULT_CHECKPOINT,
    checkpointEveryMs = CHECKPOINT_EVERY_MS,
  } = options;
  const from = Array.isArray(options.from) ? options.from[index] : options.from;
  const until = Array.isArray(options.until) ? options.until[index] : options.until;
  const checkpoint = target
    ? createCheckpoint(target.client, { name: checkpointId, setId: source.setId }, writeConcern)
    : createMemoryCheckpoint();
  const kept = from === 'checkpoint' ? await checkpoint.read() : null;
  const first = from === 'checkpoint' ? 'start' : from;
  return {
    begin: kept ?? { applied: await findBegin(source, first), since: null },
    work: {
      source, checkpoint, checkpointEveryMs, counts, hash, merge, filter: namespaces,
      target: target && createTarget(target, { replication: checkpointId, writeConcern }),
      workers: Math.floor((workers + index) / sources.length),
      until: until && positionAt(until),
      isOneOfSeveral: sources.length > 1,
      isFromStart: !kept && first === 'start' && (await findFirst(source)).isFromStart,
    },
  };
}
