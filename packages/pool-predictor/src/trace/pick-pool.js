import { TRACE } from '../assumptions/trace-assumptions.js';
import { sum } from '../base/sample-statistics.js';
import { findManyPools } from './client-use.js';
import { comeFromCallers, completeUses, listWaiting } from './open-checkouts.js';
import { findBreaks, findFailedUses } from './failed-uses.js';
import { findLimitsOf } from './find-limits.js';
import { followOutages, joinMoves } from './outages.js';
import { measurePatience } from './patience.js';
import { listQueryless } from './queryless.js';
import { EVENTS, OUTCOMES } from '../reading/recorded-trace.js';
import { SOCKET_USES, judgeSockets } from './socket-users.js';
import { listWarnings } from './trace-warnings.js';
import { countConflicts } from './pool-transactions.js';

/** @import { RecordedPool, RecordedProcess, RecordedTrace } from '../reading/recorded-trace.js' */
/** @import { SocketUse } from './socket-users.js' */
/** @import { Trace, TraceOpenings } from './trace.js' */

const [SUCCEEDED, , REFUSED, , , CHECKED_OUT] = OUTCOMES.keys();
const [READY, CLOSED] = EVENTS.keys();
const UNSERVED = 'got no connection';
const STILL_WAITED = 'still waited at the end';
/** Null: it is replayed. @type {Record<typeof OUTCOMES[number], string | null>} */
const WHY_LEFT_OUT = {
  checkedIn: null,
  operationFailed: 'had an operation that failed when the pool was cleared',
  checkOutFailed: UNSERVED,
  checkOutAborted: UNSERVED,
  waiting: STILL_WAITED,
  checkedOut: null,
};
const TIMED_OUT = 'timeout';

/**
 * @typedef {object} PoolChoice
 * @property {string} [client] see isCalled, or its appName
 * @property {string} [process] id of the operating system
 *
 * @typedef {{ row: number, served: number, waits: number }} CheckoutCounts of a pool: checkouts that got a connection,
 *   and those that waited for one that was in use
 */

/** Names the client of a pool. @param {Pick<RecordedPool, 'name'>} pool */
export function nameClient({ name }) {
  return name ?? 'client 1';
}

/** Names a pool among those of one client, as /metrics does. @param {Pick<RecordedPool, 'name' | 'address'>} pool */
export function nameWithServer({ name, address }) {
  return `${address}/${nameClient({ name })}`;
}

/**
 * Whether a text is the name of a pool's client, or `host:port/name` of the pool itself.
 * @param {string} text
 * @param {Pick<RecordedPool, 'name' | 'address'>} pool
 */
export function isCalled(text, pool) {
  return text === nameClient(pool) || text === nameWithServer(pool);
}

/**
 * The steps from here on look at one pool, and at who waits for whom in it:
 *
 *     RecordedTrace --pickPool--> Trace --joinRequests--> requests --findFollowUps--> which one follows which answer
 *          |  followOutages, findFailedUses, listWaiting   |  findHandovers        '--listSessions--> callers,
 *          |                                               '--> how late it was handed over      visits
 *          '--judgeSockets--> who uses each socket
 *
 * Picks the pool that predictions are about: the only one of the choice, else the only one where checkouts waited, else
 * the one with the most checkouts.
 *
 * @param {RecordedTrace} trace
 * @param {PoolChoice} [choice] default: all
 * @returns {{ trace: Trace, pool: RecordedPool, process: RecordedProcess, others: RecordedPool[] }}
 *   trace: its checkouts that had a connection, but for those that were lost with it; others: pools with checkouts that
 *   are left out
 * @throws {Error} if there is none, or the trace is a history
 */
export function pickPool(trace, choice = {}) {
  const { file, pools, header } = trace;
  if (header.history)
    throw new Error(
      `${file} is a history: it has the requests that waited longest, and not the whole load. ` +
        'pool-lab doctor and report read it',
    );
  const used = countCheckouts(trace).filter(({ served }) => served > 0);
  const candidates = used.filter(({ row }) => isChosen(trace, pools[row], choice));
  if (candidates.length === 0) {
    if (used.length > 0)
      throw new Error(`${file} has no checkouts of ${describeChoice(choice)}, but ${listPools(trace, used)}`);
    throw new Error(
      `${file} has no checkouts but ${countLeftOut(trace, () => true)
        .map(({ count, why }) => `${count} that ${why}`)
        .join(' and ')}`,
    );
  }
  const waiting = candidates.filter(({ waits }) => waits > 0);
  const [{ row }] = waiting.length === 1 ? waiting : candidates.toSorted((a, b) => b.served - a.served);
  const { trace: joint, joined } = joinMoves(trace, row);
  const clients = findManyPools(trace, row);
  const isRefused = clients && !(clients.kind === 'stay' && choice.client !== undefined);
  return {
    trace: { ...takeRows(joint, row), ...(isRefused && { clients }) },
    pool: pools[row],
    process: trace.processes[pools[row].process],
    others: used.filter((each) => each.row !== row && !joined.has(each.row)).map((each) => pools[each.row]),
  };
}

/** Whether it got a connection, and its operation did not fail. @param {number} outcome */
function isServed(outcome) {
  return outcome === SUCCEEDED || outcome === CHECKED_OUT;
}

/** @param {RecordedTrace} trace @returns {CheckoutCounts[]} */
function countCheckouts({ pools, checkouts, events }) {
  const { poolOf, outcomeOf, behindCount } = checkouts;
  const failed = findFailedUses({ checkouts, events });
  const counts = pools.map((_, row) => ({ row, served: 0, waits: 0 }));
  for (let index = 0; index < poolOf.length; index++) {
    if (isServed(outcomeOf[index]) || failed.has(index)) counts[poolOf[index]].served++;
    if (behindCount[index] > 0) counts[poolOf[index]].waits++;
  }
  return counts;
}

/** @param {RecordedTrace} trace @param {RecordedPool} pool @param {PoolChoice} choice */
function isChosen({ pools, processes }, pool, { client, process }) {
  if (process !== undefined && process !== String(processes[pool.process].pid)) return false;
  if (client === undefined || isCalled(client, pool)) return true;
  // An appName that several clients share chooses none of them.
  return client === pool.appName && pools.every((each) => each.appName !== client || isSameClient(each, pool));
}

/** @param {RecordedPool} one @param {RecordedPool} other */
function isSameClient(one, other) {
  return nameClient(one) === nameClient(other);
}

/** Whether it is the same client's, for another server. @param {RecordedPool} one @param {RecordedPool} other */
function isOtherServer(one, other) {
  return isSameClient(one, other) && one.process === other.process && one.address !== other.address;
}

/**
 * Names a pool by its client, and by its server too where the client uses several servers at once.
 * @param {RecordedTrace} trace
 * @param {number} row
 * @returns {string} a choice of that pool, see PoolChoice
 */
export function namePool(trace, row) {
  const { pools, checkouts } = trace;
  const pool = pools[row];
  const used = new Set(checkouts.poolOf);
  const others = [...used].filter((each) => isOtherServer(pools[each], pool));
  if (others.length === 0) return nameClient(pool);
  const { joined } = joinMoves(trace, row);
  return others.every((each) => joined.has(each)) ? nameClient(pool) : nameWithServer(pool);
}

/** @param {PoolChoice} choice */
function describeChoice({ client, process }) {
  return [
    ...(client === undefined ? [] : [`client "${client}"`]),
    ...(process === undefined ? [] : [`process ${process}`]),
  ].join(' in ');
}

/** @param {RecordedTrace} trace @param {CheckoutCounts[]} counts */
function listPools({ pools, processes }, counts) {
  return counts
    .map(({ row, served }) => {
      const pool = pools[row];
      const { pid } = processes[pool.process];
      const name = counts.some((each) => isOtherServer(pools[each.row], pool))
        ? nameWithServer(pool)
        : nameClient(pool);
      return `${served} of client "${name}"${pid === undefined ? '' : ` in process ${pid}`}`;
    })
    .join(', ');
}

/** @param {RecordedTrace} trace @param {number} pool row @returns {Trace} */
function takeRows(trace, pool) {
  const { pools, requests } = trace;
  const { poolOf, outcomeOf, ...checkouts } = trace.checkouts;
  const { outages, startedMs, waitMs, lost, selected } = followOutages(trace, pool);
  const ofPool = Uint32Array.from(poolOf.keys()).filter((row) => poolOf[row] === pool && !lost.has(row));
  const failed = findFailedUses(trace);
  const rows = ofPool.filter((row) => isServed(outcomeOf[row]) || failed.has(row));
  if (selected.size > 0) rows.sort((a, b) => startedMs[a] - startedMs[b] || a - b);
  const answered = new Set(rows.filter((row) => outcomeOf[row] !== CHECKED_OUT).map((row) => checkouts.routeOf[row]));
  /** @template {Float64Array | Int32Array | Uint8Array} T @param {T} column @returns {T} */
  const take = (column) => {
    const taken = /** @type {T} */ (column.slice(0, rows.length));
    rows.forEach((row, index) => (taken[index] = column[row]));
    return taken;
  };
  const firstMs = startedMs[rows[0]];
  const routeOf = take(checkouts.routeOf);
  const used = [...new Set(routeOf)].sort((a, b) => a - b);
  const newRow = new Map(used.map((row, index) => [row, index]));
  const connectionOf = take(checkouts.connectionOf);
  const { process } = pools[pool];
  const uses = judgeSockets(requests, process, isLoopLate(trace, process));
  const isAlike = (/** @type {number} */ row) => startedMs[row] >= firstMs && answered.has(checkouts.routeOf[row]);
  const refused = findRefused(trace, { pool, uses }).filter(isAlike);
  const isOfCallers = comeFromCallers(requests, uses);
  const isReplayed = (/** @type {number} */ row) => !isOfCallers || checkouts.requestOf[row] < 0;
  const waiting = listWaiting(trace).filter((row) => poolOf[row] === pool && isAlike(row) && isReplayed(row));
  const queryless = listQueryless(trace, {
    ...{ process, newRow, uses, firstMs, lastMs: startedMs[rows[rows.length - 1]] },
  });
  const { limits, limitedMs } = findLimitsOf(trace, pool);
  const replayed = new Set([...refused, ...waiting, ...failed]);
  const failedMs = Array.from(
    rows.filter((row) => failed.has(row)),
    (row) => checkouts.useMs[row],
  );
  const moved = outages.map((each) => ({ ...each, atMs: each.atMs - firstMs, readyMs: each.readyMs - firstMs }));
  const leftOut = countLeftOut(trace, (row) => poolOf[row] === pool && !replayed.has(row) && !lost.has(row));
  const describe = (/** @type {number} */ row) => ({
    startedMs: startedMs[row] - firstMs,
    waitMs: waitMs[row],
    route: Number(newRow.get(checkouts.routeOf[row])),
    request: checkouts.requestOf[row],
  });
  // Each caller is in the list already, with its requests before.
  const unserved = sum(
    leftOut.filter(({ why }) => why === UNSERVED || (why === STILL_WAITED && !isOfCallers)).map(({ count }) => count),
  );
  return {
    header: { ...trace.header, maxPoolSize: pools[pool].maxPoolSize },
    resolutionMs: trace.resolutionMs,
    routes: used.map((row) => trace.routes[row]),
    checkOutStartedMs: take(startedMs).map((ms) => ms - firstMs),
    waitMs: take(waitMs),
    useMs: take(completeUses(trace.checkouts)),
    routeOf: routeOf.map((row) => Number(newRow.get(row))),
    operations: trace.operations,
    operationOf: take(checkouts.operationOf),
    isBehind: rows.map((row) => (checkouts.behindCount[row] > 0 || selected.has(row) ? 1 : 0)),
    openings: { ...findOpenings(trace, pool, firstMs), settings: readOpeningSettings(pools[pool]) },
    ...describeRequests(requests, take(checkouts.requestOf), { uses, firstMs }),
    ...(failedMs.length > 0 && { breaks: take(findBreaks(trace, failed)) }),
    ...(connectionOf.some((number) => number > 0) && { connectionOf }),
    ...(moved.length > 0 && { outages: moved }),
    ...(trace.server && { server: trace.server }),
    ...(refused.length > 0 && { refused: refused.map(describe) }),
    ...(waiting.length > 0 && { waiting: waiting.map(describe) }),
    ...(queryless.length > 0 && { queryless }),
    ...(limits.length > 0 && {
      limits: limits.map(({ route, limit, untilAnswer }) => ({
        ...{ route: Number(newRow.get(route)), places: limit, untilAnswer },
      })),
      limitedMs: take(limitedMs),
    }),
    unservedShare: unserved / (unserved + rows.length),
    patience: measurePatience(trace, pool),
    conflicts: countConflicts(trace, pool),
    warnings: [
      ...trace.warnings,
      ...listWarnings({
        outages: moved,
        ...{ refused, waiting, limits, queryless, failedMs, leftOut },
        usedMs: sum(Array.from(rows, (row) => checkouts.useMs[row])),
        routes: trace.routes,
      }),
    ],
  };
}

/**
 * @param {RecordedTrace['requests']} requests
 * @param {Int32Array} requestOf row of each checkout's, -1 where unknown
 * @param {{ uses: Map<number, SocketUse>, firstMs: number }} options uses: of sockets
 * @returns {Partial<Trace>} what is known of the requests, by checkout
 */
function describeRequests({ startedMs, durationMs, statusOf, socketOf: sockets }, requestOf, { uses, firstMs }) {
  const socketOf = requestOf.map((row) => (row < 0 ? -1 : sockets[row]));
  return {
    ...(requestOf.some((row) => row >= 0) && {
      requestOf,
      requestStartedMs: Float64Array.from(requestOf, (row) => (row < 0 ? NaN : startedMs[row] - firstMs)),
      // A client that left was not answered. What its request did then is known by its checkouts alone.
      requestEndedMs: Float64Array.from(requestOf, (row) =>
        row < 0 || statusOf[row] === 0 ? NaN : startedMs[row] + durationMs[row] - firstMs,
      ),
    }),
    ...(uses.size > 0 && {
      socketOf,
      socketUseOf: Uint8Array.from(socketOf, (socket) => SOCKET_USES.indexOf(uses.get(socket) ?? 'unknown')),
    }),
  };
}

/** @param {RecordedPool} pool @returns {TraceOpenings['settings']} */
function readOpeningSettings({ options = {} }) {
  return Object.fromEntries(
    ['minPoolSize', 'maxConnecting', 'maxIdleTimeMS'].flatMap((name) => {
      const value = options[name]?.value;
      return typeof value === 'number' ? [[name, value]] : [];
    }),
  );
}

/**
 * @param {RecordedTrace} trace
 * @param {number} pool row
 * @param {number} firstMs
 * @returns {Omit<TraceOpenings, 'settings'>}
 */
function findOpenings({ checkouts, events }, pool, firstMs) {
  /** @type {{ fromMs: number, durationMs: number }[]} */
  const openings = [];
  const openedLater = new Set();
  const seen = new Set(checkouts.connectionOf.filter((number, row) => number > 0 && checkouts.poolOf[row] === pool));
  for (let row = 0; row < events.length; row++) {
    if (events.poolOf[row] !== pool) continue;
    if (events.kindOf[row] === CLOSED) seen.add(events.connectionOf[row]);
    if (events.kindOf[row] !== READY || !(events.atMs[row] > firstMs)) continue;
    openedLater.add(events.connectionOf[row]);
    const durationMs = events.durationMs[row];
    if (durationMs >= 0) openings.push({ fromMs: events.atMs[row] - firstMs - durationMs, durationMs });
  }
  openings.sort((a, b) => a.fromMs - b.fromMs);
  return {
    openAtStart: [...seen].filter((number) => number > 0 && !openedLater.has(number)).length,
    fromMs: Float64Array.from(openings, ({ fromMs }) => fromMs),
    durationsMs: Float64Array.from(openings, ({ durationMs }) => durationMs),
  };
}

/**
 * Finds checkouts that got no connection in time, of requests that did not wait for the answer to another. What these
 * would have done with a connection, others of their route did.
 *
 * @param {RecordedTrace} trace
 * @param {{ pool: number, uses: Map<number, SocketUse> }} of uses: of sockets
 * @returns {number[]} rows
 */
function findRefused({ checkouts, requests, reasons }, { pool, uses }) {
  const { poolOf, outcomeOf, reasonOf, requestOf } = checkouts;
  return [...poolOf.keys()].filter((row) => {
    const use = requestOf[row] < 0 ? undefined : uses.get(requests.socketOf[requestOf[row]]);
    return (
      poolOf[row] === pool &&
      outcomeOf[row] === REFUSED &&
      reasons[reasonOf[row]] === TIMED_OUT &&
      (use === 'arriving' || use === 'alone')
    );
  });
}

/**
 * Whether a busy event loop blurs which request came first. The busier a second, the more requests met it, so it counts
 * as much. Half of them decide: an app that starts is late.
 *
 * @param {RecordedTrace} trace
 * @param {number} process row
 */
function isLoopLate({ seconds: { loop } }, process) {
  let [busy, late] = [0, 0];
  for (const { process: row, busy: share = 0, meanMs } of loop) {
    if (row !== process) continue;
    busy += share;
    if (meanMs >= TRACE.lateLoopMs) late += share;
  }
  return late > busy / 2;
}

/** @param {RecordedTrace} trace @param {(row: number) => boolean} isCounted */
function countLeftOut({ checkouts: { outcomeOf } }, isCounted) {
  /** @type {Map<string, number>} */
  const counts = new Map();
  for (let row = 0; row < outcomeOf.length; row++) {
    const why = WHY_LEFT_OUT[OUTCOMES[outcomeOf[row]]];
    if (why !== null && isCounted(row)) counts.set(why, (counts.get(why) ?? 0) + 1);
  }
  return Array.from(counts, ([why, count]) => ({ why, count })).sort((a, b) => a.why.localeCompare(b.why));
}
