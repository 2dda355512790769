import { createTraceLoad } from '../load/trace-load.js';
import { shareServer } from '../server/share-server.js';
import { NO_OVERHEAD } from '../simulator/service-time.js';
import { pickPool } from '../trace/pick-pool.js';
import { foldRoutes, thinTrace } from '../trace/trace.js';
import { checkTrace } from './check-trace.js';
import { createWidening } from './trust.js';
import { poolOfRecording, poolOfTrace, separateRoutes } from './pool-settings.js';

/** @import { TraceLoad } from '../load/trace-load.js' */
/** @import { Service } from '../simulator/service-time.js' */
/** @import { PoolChoice } from '../trace/pick-pool.js' */
/** @import { RecordedTrace } from '../reading/recorded-trace.js' */
/** @import { Trace } from '../trace/trace.js' */
/** @import { TraceCheck } from './check-trace.js' */
/** @import { AppPool } from './pool-settings.js' */

/** Pieces of a longer trace are replayed: the percentiles of more checkouts are hardly more exact. */
const MAX_CHECKOUTS = 10_000;
/** Nobody reads more columns. */
const MAX_ROUTES = 50;

/**
 * One pool of a recording, as everything that predicts from it needs it.
 *
 * @typedef {object} Recording
 * @property {ReturnType<typeof pickPool>} picked the pool, as it was recorded
 * @property {Trace} trace its checkouts, and how they shared the server
 * @property {TraceLoad} load
 * @property {Service} [overhead] what a response takes beyond wait and service time, where it is known
 * @property {AppPool} [settings] of the recorded app, where they are known
 * @property {Trace[]} others the same pool in the other recordings
 */

/**
 * Picks the pool that predictions are about, see pickPool, and as much of it as is replayed.
 *
 * @param {RecordedTrace} recorded
 * @param {PoolChoice} [choice]
 * @returns {ReturnType<typeof pickPool>}
 */
export function pickReplayed(recorded, choice) {
  const picked = pickPool(recorded, choice);
  return { ...picked, trace: thinTrace(foldRoutes(picked.trace, MAX_ROUTES), MAX_CHECKOUTS) };
}

/**
 * Opens recordings of one load. The first is replayed; others, from pools of other sizes, show how queries slow each
 * other down.
 *
 * @param {RecordedTrace[]} traces at least one
 * @param {PoolChoice & { serverCores?: number | 'none', callers?: number }} [options] serverCores: that queries share;
 *   none: they never slow each other down; callers: that sent all requests, each after the answer to its last, 0 if
 *   they arrived on their own; default of both: as the recordings show
 * @returns {Recording}
 * @throws {Error} if a recording does not have the chosen pool
 */
export function openRecording(traces, { serverCores, callers, ...choice } = {}) {
  const [picked, ...others] = traces.map((each) => pickReplayed(each, choice));
  picked.trace.callers = callers;
  const { pool, overhead } = /** @type {Record<string, any>} */ (picked.trace.header);
  const settings = poolOfTrace(pool, picked.pool);
  const separate = settings && separateRoutes(settings);
  const trace =
    serverCores === 'none'
      ? picked.trace
      : shareServer(
          [picked, ...others].map((each) => each.trace),
          {
            cores: serverCores,
            pool: poolOfRecording(picked.trace, settings),
            separateRoutes: separate,
          },
        );
  const load = createTraceLoad(trace, { resample: true, separateRoutes: separate });
  return {
    picked,
    trace,
    load,
    overhead: load.isMeasured ? NO_OVERHEAD : overhead,
    settings,
    others: others.map((each) => each.trace),
  };
}

/**
 * Checks whether a recording predicts another one at another size, if there is one.
 *
 * @param {Pick<Recording, 'trace' | 'settings' | 'others'> & { load: Pick<TraceLoad, 'source'> }} recording
 * @param {{ other?: Trace, firstSeed?: number }} [options] other: instead of those that were opened
 * @returns {Promise<TraceCheck | null>} null if there is none that says its size
 */
export async function checkRecording({ trace, load, settings, others }, { other, firstSeed } = {}) {
  const checked =
    other ?? others.find((each) => poolOfRecording(each) && each.header.maxPoolSize !== trace.header.maxPoolSize);
  const pool = checked && poolOfRecording(checked, settings);
  if (!checked || !pool || load.source?.kind !== 'trace') return null;
  return checkTrace(trace, {
    pool,
    other: checked,
    separateRoutes: settings && separateRoutes(settings),
    followUps: load.source.options.followUps,
    widening: createWidening(trace, [Number(trace.header.maxPoolSize)])(Number(checked.header.maxPoolSize)),
    firstSeed,
  });
}
