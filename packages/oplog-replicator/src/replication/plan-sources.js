import { followSource } from '../workers/session.js';
import { Lag } from '../source/lag.js';
import { CHECKPOINT_DATABASE } from '../base/namespaces.js';
import { createCopyFigures } from '../base/replication-figures.js';
import { retryTransient } from '../base/errors.js';
import { copySource } from '../snapshot/copy-source.js';
import { createCopyStore, describeFilter } from '../snapshot/copy-store.js';
import { listCollections } from '../collections/collection-info.js';
import { findFirst, findLast, findStart } from '../source/oplog.js';
import { positionAt } from '../source/position.js';
import { createCheckpoint, createMemoryCheckpoint } from '../target/checkpoint.js';
import { acquireLease } from '../target/lease.js';
import { createLeaseStore } from '../target/lease-store.js';
import { Target } from '../target/target.js';
import { assertNoTtl } from '../collections/ttl-indexes.js';

/** @import { Source } from '../base/connect-deployments.js' */
/** @import { Deployment } from '../base/deployment.js' */
/** @import { Control, SessionOptions } from '../workers/session.js' */
/** @import { Filter } from '../base/namespaces.js' */
/** @import { ReplicateOptions } from './replicate.js' */
/** @import { CopyFigures, Counters } from '../base/replication-figures.js' */
/** @import { Lease } from '../target/lease.js' */
/** @import { CopyStore } from '../snapshot/copy-store.js' */
/** @import { OplogProgress } from '../target/checkpoint.js' */
/** @import { Unsupported } from '../collections/collection-info.js' */

const DEFAULT_CHECKPOINT = 'default';
const CHECKPOINT_EVERY_MS = 1000;
/** A target this far behind has caught up: the source may have written its last entry a moment ago. */
const MAX_CAUGHT_UP_S = 1;

/**
 * @typedef {object} SourcePlan
 * @property {SessionOptions} sessionOptions
 * @property {OplogProgress} start
 * @property {{ store: CopyStore, figures: CopyFigures } | null} copy null: nothing is to be copied first
 */

/**
 * @param {ReplicateOptions & { onUnsupported: (unsupported: Unsupported) => void }} options
 * @param {{ sources: Source[], target: Deployment | null }} deployments
 * @param {object} context
 * @param {Counters} context.counters
 * @param {Lease[]} context.leases gets one for each source, unless this is a dry run
 * @param {AbortSignal} context.stop
 */
export async function planSources(options, { sources, target }, { counters, leases, stop }) {
  const { namespaces: filter, checkpointId: name = DEFAULT_CHECKPOINT, onWait } = options;
  if (target) {
    await assertNoTtl(target, filter);
    for (const { setId } of sources) {
      leases.push(await acquireLease(createLeaseStore(target, setId), { name, filter }, { signal: stop, onWait }));
    }
  }
  return Promise.all(
    sources.map((source, index) => planSource(options, { source, index, target, lease: leases[index], counters })),
  );
}

/**
 * @param {ReplicateOptions & { onUnsupported: (unsupported: Unsupported) => void }} options
 * @param {object} context
 * @param {Source} context.source
 * @param {number} context.index of the source
 * @param {Deployment | null} context.target
 * @param {Lease} context.lease undefined in a dry run
 * @param {Counters} context.counters
 * @returns {Promise<SourcePlan>}
 */
async function planSource(options, { source, index, target, lease, counters }) {
  const {
    sources,
    workers,
    hash,
    merge = 'all',
    namespaces,
    writeConcern,
    onUnsupported,
    checkpointId = DEFAULT_CHECKPOINT,
    checkpointEveryMs = CHECKPOINT_EVERY_MS,
  } = options;
  const from = Array.isArray(options.from) ? options.from[index] : options.from;
  const until = Array.isArray(options.until) ? options.until[index] : options.until;
  const isSnapshot = from === 'snapshot';
  if (isSnapshot && source.isShard)
    throw new Error(`from is snapshot, and ${source.deployment.name} is a shard, which can't be copied`);
  const writer = target && new Target(target, { replication: checkpointId, lease, writeConcern });
  const checkpoint = writer
    ? createCheckpoint(writer, { name: checkpointId, setId: source.setId })
    : createMemoryCheckpoint();
  await checkpoint.claim();
  const saved = isSnapshot || from === 'checkpoint' ? await checkpoint.read() : null;
  const store = writer && createCopyStore(writer, { name: checkpointId, setId: source.setId });
  const isSaved = saved !== null;
  const needsCopy = store && target ? await checkCopy(store, { target, namespaces, isSnapshot, isSaved }) : false;
  // A copy reads the oplog from now on.
  const first = from === 'checkpoint' ? 'start' : isSnapshot ? 'end' : from;
  const start = saved ?? { applied: await findStart(source, first), since: null };
  return {
    start,
    copy: store && needsCopy ? { store, figures: createCopyFigures() } : null,
    sessionOptions: {
      source,
      checkpoint,
      checkpointEveryMs,
      counters,
      hash,
      merge,
      filter: namespaces,
      target: writer,
      lag: new Lag(start.applied),
      onUnsupported,
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
 * @param {Deployment} options.target
 * @param {Filter} [options.namespaces]
 * @returns {Promise<boolean>} whether a copy has to begin or continue
 * @throws {Error} when the target has other data, or half a copy and `from` does not continue it
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
    throw new Error(
      `the copy on ${target.name} began with the filter ${state.filter}, and this one is ${filter}. Use the same, ` +
        `or drop what was copied and the database ${CHECKPOINT_DATABASE}`,
    );
  }
  if (state.phase === 'done') return false;
  if (isSnapshot) return true;
  throw new Error(`${target.name} has a copy that is not complete. It continues with from: 'snapshot'`);
}

/**
 * @param {Deployment} target
 * @param {Filter} [filter]
 * @throws {Error} when it has a collection that the copy would have to create
 */
async function assertEmpty(target, filter) {
  const [found] = (await listCollections(target, filter)).replicated;
  if (!found) return;
  throw new Error(
    `${target.name} already has the collection ${found.name}, and no copy of this source began there. Drop it, ` +
      'or exclude it',
  );
}

/**
 * Copies the source's documents, if that is needed, and follows the oplog.
 * @param {SourcePlan} plan
 * @param {ReplicateOptions['until']} until
 * @param {Control} control
 */
export async function runPlan({ sessionOptions, start, copy }, until, control) {
  const { source, checkpoint, target, lag } = sessionOptions;
  const { stop } = control;
  const retry = (/** @type {() => Promise<any>} */ attempt) => retryTransient(attempt, { stop });
  if (copy) {
    const isDone = await copySource(
      { ...copy, sessionOptions: { ...sessionOptions, target: /** @type {Target} */ (target) } },
      control,
    );
    if (!isDone) return;
  }
  let next = copy ? await retry(checkpoint.read) : start;
  for (;;) {
    const last = until === 'caught up' ? await retry(() => findLast(source)) : sessionOptions.until;
    await followSource({ ...sessionOptions, until: last }, next, control);
    if (until !== 'caught up' || stop.aborted) break;
    const { seconds } = await retry(() => findLast(source));
    if (seconds - last.seconds <= MAX_CAUGHT_UP_S) break;
    next = await retry(checkpoint.read);
  }
  lag.end();
}
