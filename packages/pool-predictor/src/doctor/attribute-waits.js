import { CAUSE, GROWTH_CAUSES } from './causes.js';
import { findHolders } from './find-holders.js';
import { countOpen } from './request-times.js';

/** @import { Intervals } from '../base/intervals.js' */
/** @import { ClientUse } from '../trace/client-use.js' */
/** @import { RecordedTrace } from '../trace/recorded-trace.js' */
/** @import { Cause } from './causes.js' */
/** @import { PoolHolder } from './find-holders.js' */
/** @import { PoolHistory, Why } from './pool-history.js' */
/** @import { RequestCheckouts } from './request-times.js' */
/** @import { LoopFacts, ServerFacts } from './second-facts.js' */

/**
 * What is known beside the checkouts.
 *
 * @typedef {object} WaitEvidence
 * @property {PoolHistory[]} pools by row
 * @property {LoopFacts[]} loops by process
 * @property {ServerFacts[]} servers by process
 * @property {RequestCheckouts} byRequest
 * @property {ClientUse[]} clients see findClientUse
 * @property {Float64Array} waitedMs by checkout, see splitWaits
 * @property {Intervals[]} background by pool, see listBackground
 */

/** Who waits less has not waited: that is the driver's own work. */
const AT_ONCE_MS = 1;
/** The same where a connection was free, on a busy machine. */
const FREE_MS = 5;
/** Opening a connection takes this long only if something in between holds it up. */
const SLOW_HANDSHAKE_MS = 50;
/** Whoever waits longer than this many openings waits because few are opened at the same time. */
const OPENINGS = 2;
/** Parked connections are the cause if they are this share of a pool. */
const PARKED = 0.4;
/** As many holders as a wait names. */
const MAX_BEHIND = 10;

/**
 * @param {RecordedTrace} trace
 * @param {WaitEvidence} evidence
 * @returns {Uint8Array} for each checkout, a row of CAUSES
 */
export function attributeWaits(trace, evidence) {
  const causes = new Uint8Array(trace.checkouts.length);
  for (let row = 0; row < causes.length; row++)
    causes[row] = CAUSE[blameClients(findCause(trace, evidence, row), trace, evidence, row)];
  return causes;
}

/**
 * Whether a wait is one for the many clients of its process: their pools grow, and opening connections keeps the event
 * loop busy.
 *
 * @param {Cause} cause that was found
 * @param {RecordedTrace} trace
 * @param {WaitEvidence} evidence
 * @param {number} row
 * @returns {Cause}
 */
function blameClients(cause, { pools, checkouts: { poolOf } }, { clients }, row) {
  const use = clients.find(({ process }) => process === pools[poolOf[row]].process);
  if (!use || !(GROWTH_CAUSES.includes(cause) || (cause === 'lateEventLoop' && use.kind !== 'stay'))) return cause;
  return use.kind === 'stay' ? 'manyClients' : 'clientPerRequest';
}

/**
 * Whether a checkout waited, whoever it waited for.
 *
 * @param {RecordedTrace['checkouts']} checkouts
 * @param {number} row
 */
function hasWaited({ waitMs, openingMs, behindCount, useMs }, row) {
  if (waitMs[row] >= AT_ONCE_MS || Number.isNaN(useMs[row])) return true;
  return behindCount[row] > 0 || openingMs[row] > 0;
}

/** @param {RecordedTrace} trace @param {WaitEvidence} evidence @param {number} row @returns {Cause} */
function findCause(trace, evidence, row) {
  const { checkouts } = trace;
  if (!hasWaited(checkouts, row)) return 'none';
  const [fromMs, waitMs] = [checkouts.startedMs[row], checkouts.waitMs[row]];
  const toMs = fromMs + waitMs;
  const pool = evidence.pools[checkouts.poolOf[row]];
  if (pool.outages.coveredMs(fromMs, toMs) > waitMs / 2 || isRefusedByClear(trace, row)) return causeOfClear(pool);
  if (checkouts.openingMs[row] > waitMs / 2)
    return causeOfOpening(pool.whyOpened(checkouts.connectionOf[row]), pool, false);
  if (pool.opening.coveredMs(fromMs, toMs) > waitMs / 2) {
    const isLong = waitMs > OPENINGS * pool.medianOpeningMs;
    return causeOfOpening(pool.whyMostOpened(fromMs, toMs), pool, isLong);
  }
  return causeOfQueue(trace, evidence, row, { fromMs, toMs });
}

/** @param {RecordedTrace} trace @param {number} row */
function isRefusedByClear({ checkouts: { useMs, reasonOf }, reasons }, row) {
  const reason = reasons[reasonOf[row]] ?? '';
  return Number.isNaN(useMs[row]) && reason !== '' && !/timeout/i.test(reason);
}

/** @param {Why} why @param {PoolHistory} pool @param {boolean} isLong @returns {Cause} */
function causeOfOpening(why, pool, isLong) {
  if (why === 'idle') return 'idleConnections';
  if (why === 'lost') return 'lostConnections';
  if (why === 'cleared') return causeOfClear(pool);
  if (isLong) return 'maxConnecting';
  return pool.medianHandshakeMs >= SLOW_HANDSHAKE_MS ? 'slowHandshake' : 'coldStart';
}

/** @param {PoolHistory} pool @returns {Cause} */
function causeOfClear({ isLosing }) {
  return isLosing ? 'lostConnections' : 'poolCleared';
}

/**
 * Of a wait for connections that others had.
 *
 * @param {RecordedTrace} trace
 * @param {WaitEvidence} evidence
 * @param {number} row
 * @param {{ fromMs: number, toMs: number }} wait
 * @returns {Cause}
 */
function causeOfQueue(trace, evidence, row, { fromMs, toMs }) {
  const { pools, loops, servers } = evidence;
  const { checkouts, pools: recorded, operations } = trace;
  const pool = checkouts.poolOf[row];
  const { process, maxPoolSize = 0 } = recorded[pool];
  const isLate = loops[process].wasLate(fromMs, toMs);
  const holders = findHolders(trace, pools, row);
  if (holders.length === 0) {
    if (isLate) return 'lateEventLoop';
    return toMs - fromMs < FREE_MS ? 'none' : 'tooLittleData';
  }
  const parked = holders.filter(({ operation }) => operations[operation]?.kind);
  const size = maxPoolSize > 0 && maxPoolSize <= MAX_BEHIND ? maxPoolSize : holders.length;
  if (parked.length / size >= PARKED) return 'parkedConnections';
  if (isLate) return 'lateEventLoop';
  if (servers[process].isSlowed) return 'fullServer';
  const several = holders.filter((holder) => askedAtOnce(trace, evidence, holder, pool) > 0);
  return several.length >= holders.length / 2 ? 'severalAtOnce' : 'fullPool';
}

/**
 * How many connections a holder had or wanted at once: a request more than one, or a job more than there are.
 *
 * @param {RecordedTrace} trace
 * @param {Pick<WaitEvidence, 'byRequest' | 'background'>} evidence
 * @param {Pick<PoolHolder, 'request' | 'atMs'>} holder
 * @param {number} pool row
 * @returns {number} 0: it asked for one at a time
 */
export function askedAtOnce(trace, { byRequest, background }, { request, atMs }, pool) {
  const count = request < 0 ? background[pool].countAt(atMs) : countOpen(trace, byRequest.of(request), pool, atMs);
  return count > (request < 0 ? (trace.pools[pool].maxPoolSize ?? Infinity) : 1) ? count : 0;
}
