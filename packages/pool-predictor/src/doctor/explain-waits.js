import { COMMON } from '../assumptions/common-assumptions.js';
import { DOCTOR } from '../assumptions/doctor-assumptions.js';
import { GROWTH_CAUSES } from './causes.js';
import { countOpen } from './request-times.js';
import { SECOND_MS } from './second-facts.js';
import { isOfTransactions } from './transaction-costs.js';

/** @import { ClientUse } from '../trace/client-use.js' */
/** @import { RecordedTrace } from '../reading/recorded-trace.js' */
/** @import { Cause } from './causes.js' */
/** @import { PoolHistory, Why } from './pool-history.js' */
/** @import { RequestCheckouts, listBackground } from './request-times.js' */
/** @import { LoopFacts, ServerFacts } from './second-facts.js' */
/** @import { PoolTransaction } from '../trace/pool-transactions.js' */

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
 * @property {ReturnType<typeof listBackground>} background
 * @property {Map<number, PoolTransaction>[]} transactions by pool, see listTransactions
 * @property {Set<number>} repeating requests that had to begin a transaction again
 */

/**
 * Why a checkout, or a request outside of the pool, waited, and behind whom. Numbers of things are rows, or -1.
 *
 * @typedef {object} Wait
 * @property {Cause} cause
 * @property {number} row of the checkout; -1: the request waited for a concurrency limit
 * @property {number} request
 * @property {number} route
 * @property {number} pool
 * @property {number} waitedMs how much it adds to the wait of its request, see splitWaits
 * @property {PoolHolder[]} holders who had all connections of the pool; none if one was free
 *
 * @typedef {{ request: number, route: number, operation: number, atMs: number }} PoolHolder a checkout that had a
 *   connection while another one waited; atMs: when it had it
 */

/** The monitor names this many holders of a wait. */
const MAX_BEHIND = 10;

/**
 * Explains each checkout of a trace. Everything else that the doctor says about waits groups these rows.
 *
 * @param {RecordedTrace} trace
 * @param {WaitEvidence} evidence
 * @returns {Wait[]} by row of the checkout
 */
export function explainWaits(trace, evidence) {
  const source = { trace, evidence };
  return Array.from({ length: trace.checkouts.length }, (_, row) => {
    if (!hasWaited(trace.checkouts, row)) return new CheckoutWait('none', row, source);
    const cause = findCause(trace, evidence, row, findHolders(trace, evidence.pools, row));
    return new CheckoutWait(blameClients(cause, trace, evidence, row), row, source);
  });
}

/** A Wait that reads everything but its cause from the trace: there may be a million. @implements {Wait} */
class CheckoutWait {
  #source;

  /** @param {Cause} cause @param {number} row @param {{ trace: RecordedTrace, evidence: WaitEvidence }} source */
  constructor(cause, row, source) {
    this.cause = cause;
    this.row = row;
    this.#source = source;
  }

  get request() {
    return this.#source.trace.checkouts.requestOf[this.row];
  }

  get route() {
    return this.#source.trace.checkouts.routeOf[this.row];
  }

  get pool() {
    return this.#source.trace.checkouts.poolOf[this.row];
  }

  get waitedMs() {
    return this.#source.evidence.waitedMs[this.row];
  }

  get holders() {
    const { trace, evidence } = this.#source;
    return this.cause === 'none' ? [] : findHolders(trace, evidence.pools, this.row);
  }
}

/**
 * Finds who had all connections of the pool while a checkout waited: those that the trace names, else those that were
 * in use in the middle of the wait. Checkouts that begin in the same moment see the connections free that the first of
 * them get.
 *
 * @param {RecordedTrace} trace
 * @param {PoolHistory[]} pools
 * @param {number} row of the checkout
 * @returns {PoolHolder[]} none if a connection was free
 */
function findHolders({ checkouts, behind, pools: recorded }, pools, row) {
  const from = checkouts.behindFrom[row];
  const [startedMs, waitMs] = [checkouts.startedMs[row], checkouts.waitMs[row]];
  if (checkouts.behindCount[row] > 0)
    return Array.from({ length: checkouts.behindCount[row] }, (_, index) => ({
      request: behind.requestOf[from + index],
      route: behind.routeOf[from + index],
      operation: behind.operationOf[from + index],
      atMs: startedMs,
    }));
  const { maxPoolSize = 0 } = recorded[checkouts.poolOf[row]];
  const history = pools[checkouts.poolOf[row]];
  const atMs = startedMs + waitMs / 2;
  if (maxPoolSize === 0 || history.inUse.countAt(atMs) < maxPoolSize) return [];
  return history.holdersAt(atMs).map((holder) => ({
    request: checkouts.requestOf[holder],
    route: checkouts.routeOf[holder],
    operation: checkouts.operationOf[holder],
    atMs,
  }));
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
  if (waitMs[row] >= COMMON.waitedMs || Number.isNaN(useMs[row])) return true;
  return behindCount[row] > 0 || openingMs[row] > 0;
}

/**
 * @param {RecordedTrace} trace
 * @param {WaitEvidence} evidence
 * @param {number} row of a checkout that waited
 * @param {PoolHolder[]} holders
 * @returns {Cause}
 */
function findCause(trace, evidence, row, holders) {
  const { checkouts } = trace;
  const [fromMs, waitMs] = [checkouts.startedMs[row], checkouts.waitMs[row]];
  const toMs = fromMs + waitMs;
  const pool = evidence.pools[checkouts.poolOf[row]];
  if (pool.outages.coveredMs(fromMs, toMs) > waitMs / 2 || isRefusedByClear(trace, row)) return causeOfClear(pool);
  if (checkouts.openingMs[row] > waitMs / 2)
    return causeOfOpening(pool.whyOpened(checkouts.connectionOf[row]), pool, false);
  if (pool.opening.coveredMs(fromMs, toMs) > waitMs / 2) {
    const isLong = waitMs > DOCTOR.openings * pool.medianOpeningMs;
    return causeOfOpening(pool.whyMostOpened(fromMs, toMs), pool, isLong);
  }
  return causeOfQueue(trace, evidence, row, holders);
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
  return pool.handshakeMs >= COMMON.slowMs ? 'slowHandshake' : 'coldStart';
}

/** @param {PoolHistory} pool @returns {Cause} */
function causeOfClear({ isLosing }) {
  return isLosing ? 'lostConnections' : 'poolCleared';
}

/**
 * Finds the cause of a wait for connections that others had.
 *
 * @param {RecordedTrace} trace
 * @param {WaitEvidence} evidence
 * @param {number} row
 * @param {PoolHolder[]} holders
 * @returns {Cause}
 */
function causeOfQueue(trace, evidence, row, holders) {
  const { checkouts, pools, operations } = trace;
  const [pool, fromMs, waitMs] = [checkouts.poolOf[row], checkouts.startedMs[row], checkouts.waitMs[row]];
  const { process, maxPoolSize = 0 } = pools[pool];
  const loop = evidence.loops[process];
  const isLate = loop.wasLate(fromMs, fromMs + waitMs);
  if (holders.length === 0) {
    if (isLate) return 'lateEventLoop';
    return waitMs < COMMON.lateMs ? 'none' : 'tooLittleData';
  }
  const parked = holders.filter(({ operation }) => operations[operation]?.kind);
  const size = maxPoolSize > 0 && maxPoolSize <= MAX_BEHIND ? maxPoolSize : holders.length;
  if (parked.length / size >= DOCTOR.parkedShare) return 'parkedConnections';
  // While a loop is blocked, connections stay in use. A pool that is in use for much longer would be full without that.
  const inUse = isLate ? evidence.pools[pool].inUse.meanCount(fromMs - SECOND_MS, fromMs + waitMs) : 0;
  const isBusyAnyway = inUse >= (COMMON.mostShare + loop.blockedShare) * (maxPoolSize || Infinity);
  if (isLate && (loop.isFull || !isBusyAnyway)) return 'lateEventLoop';
  if (evidence.servers[process].isSlowed) return 'fullServer';
  const several = holders.filter((holder) => askedAtOnce(trace, evidence, holder, pool) > 0);
  if (several.length >= holders.length / 2) return 'severalAtOnce';
  return isOfTransactions(checkouts, evidence, row, holders) ? 'transactions' : 'fullPool';
}

/**
 * Counts the connections that a holder had or wanted at once: a request more than one, or a job more than there are.
 *
 * @param {RecordedTrace} trace
 * @param {Pick<WaitEvidence, 'byRequest' | 'background'>} evidence
 * @param {Pick<PoolHolder, 'request' | 'route' | 'atMs'>} holder
 * @param {number} pool row
 * @returns {number} 0: it asked for one at a time
 */
export function askedAtOnce(trace, { byRequest, background }, { request, route, atMs }, pool) {
  const count =
    request < 0
      ? (background[pool].get(route)?.countAt(atMs) ?? 0)
      : countOpen(trace, byRequest.of(request), pool, atMs);
  return count > (request < 0 ? (trace.pools[pool].maxPoolSize ?? Infinity) : 1) ? count : 0;
}
