import { BsonWriter } from '../bson/bson-writer.js';
import { createRun } from './run.js';

/** @import { Namespace } from '../namespaces.js' */
/** @import { Position } from '../source/position.js' */
/** @import { Kind, Run } from './run.js' */

/**
 * @typedef {object} Lane what one worker has to do on one collection, in order
 * @property {Run[]} runs
 *
 * @typedef {ReturnType<typeof createWorker>} Worker
 */

/** Operations and bytes of one write. The server would take more, and cuts it into transactions of 500 inserts. */
const RUN_OPERATIONS = 1000;
const RUN_BYTES = 4 << 20;

/** Memory of runs that are written is used again: getting it anew from the system takes longer than filling it. */
const SPARE_WRITERS = 8;
const SPARE_BYTES = 256 << 10;

/**
 * A queue, and one write at a time out of it. Operations on one collection keep their order; those on different
 * collections need none, so that neighbours on a collection become one run whatever came between them. What comes
 * while a write is under way waits and grows; where none is, nothing waits for more to come.
 *
 * @param {object} options
 * @param {number} options.index among the workers
 * @param {boolean} options.merge
 * @param {(run: Run) => Promise<void>} options.write
 * @param {number} options.maxOperations queued
 * @param {number} options.maxBytes queued
 * @param {AbortController} options.session ends all, also when a write fails
 */
export function createWorker({ index, merge, write, maxOperations, maxBytes, session }) {
  const { signal } = session;
  const runOperations = merge ? RUN_OPERATIONS : 1;
  /** @type {Lane[]} that have runs, each once, in the order of their turns */
  const ready = [];
  /** @type {Run | null} */
  let current = null;
  let operations = 0;
  let bytes = 0;
  let working = Promise.resolve();
  /** @type {BsonWriter[]} */
  const spare = [];
  /** @type {(() => void)[]} */
  const waiting = [];
  const wake = () => {
    for (const resolve of waiting.splice(0)) resolve();
  };
  signal.addEventListener('abort', wake);

  async function work() {
    while (ready.length > 0 && !signal.aborted) {
      const lane = /** @type {Lane} */ (ready.shift());
      current = /** @type {Run} */ (lane.runs.shift());
      if (lane.runs.length > 0) ready.push(lane);
      try {
        await write(current);
      } catch (error) {
        session.abort(error);
        return;
      }
      operations -= current.count;
      bytes -= current.documents.length;
      reuse(current.documents);
      current = null;
      wake();
    }
  }

  /** @param {BsonWriter} writer */
  function reuse(writer) {
    if (spare.length === SPARE_WRITERS || writer.room > SPARE_BYTES) return;
    writer.length = 0;
    spare.push(writer);
  }

  /** @param {() => boolean} condition */
  async function waitUntil(condition) {
    while (!condition()) {
      signal.throwIfAborted();
      await new Promise((resolve) => { waiting.push(() => resolve(undefined)); });
    }
    signal.throwIfAborted();
  }

  const hasRoom = () => operations < maxOperations && bytes < maxBytes;

  return {
    get depth() {
      return operations;
    },

    /**
     * @param {Kind} kind
     * @param {Namespace} namespace
     * @param {Position} after of the entry before this operation
     * @param {() => number} happenedMs
     * @returns {Run} to which the operation can be appended
     */
    open(kind, namespace, after, happenedMs) {
      const lane = namespace.lanes[index] ??= { runs: [] };
      let run = lane.runs[lane.runs.length - 1];
      if (!run || run.kind !== kind || run.count >= runOperations || run.documents.length >= RUN_BYTES) {
        run = createRun(kind, namespace, { ...after }, happenedMs(), spare.pop() ?? new BsonWriter());
        if (lane.runs.push(run) === 1) ready.push(lane);
      }
      return run;
    },

    /** @param {Run} run @param {number} length of what was appended to it, one operation */
    count(run, length) {
      run.count++;
      operations++;
      bytes += length;
    },

    /** Begin to write, if nothing is being written. */
    start() {
      if (!current && ready.length > 0) working = work();
    },

    /** @returns {Promise<void>} when no write is under way any more, whatever came of it */
    ended: () => working,

    /** @returns {Promise<void> | undefined} undefined where there is room */
    waitForRoom: () => (hasRoom() ? undefined : waitUntil(hasRoom)),

    waitUntilEmpty: () => waitUntil(() => operations === 0),

    /** @returns {Run[]} among which the oldest one is */
    listOldest: () => [...current ? [current] : [], ...ready.map((lane) => lane.runs[0])],
  };
}
