import { nameClient } from '../trace/pick-pool.js';
import { askedAtOnce } from './attribute-waits.js';
import { OPENING_CAUSES } from './causes.js';
import { findHolders } from './find-holders.js';

/** @import { ClientUse } from '../trace/client-use.js' */
/** @import { RecordedTrace } from '../trace/recorded-trace.js' */
/** @import { WaitEvidence } from './attribute-waits.js' */
/** @import { Cause } from './causes.js' */
/** @import { FailedOperations } from './failed-operations.js' */
/** @import { ServerFacts } from './second-facts.js' */
/** @import { FoundLimit } from './find-limits.js' */

/** @typedef {{ route: string | null, operation: string | null, share: number }} NamedShare */

/**
 * The facts behind a cause, of the pool in which it cost the most time. What does not concern the cause is left out.
 *
 * @typedef {object} CauseFacts
 * @property {string} [client] named only if there are several pools
 * @property {number} [maxPoolSize] 0: no limit
 * @property {NamedShare[]} routes that waited, with their shares of the waited time
 * @property {NamedShare[]} holders that had the connections, with their shares; the first one had the most
 * @property {{ medianMs: number, count: number, maxConnecting?: number, maxIdleTimeMS?: number }} [opening] count: of
 *   connections for this reason
 * @property {{ count: number, reason: string }} [clears]
 * @property {{ connections: number, operation: string }} [parked] connections: the most at once
 * @property {number} [atOnce] the most connections that one request asked for
 * @property {{ cores?: number, busyShare?: number, otherCores?: number, growth: number, isFull: boolean, isQueueing:
 *   boolean }} [server] see ServerFacts
 * @property {FailedOperations} [failed]
 * @property {{ maxMs: number, busy: number }} [loop] means over the seconds
 * @property {number} [limit] requests at once
 * @property {ClientUse} [clients]
 */

/**
 * @param {Cause} cause
 * @param {{ trace: RecordedTrace, evidence: WaitEvidence, limits: FoundLimit[], rows: number[] }} found rows: checkouts
 *   that waited for it
 * @returns {CauseFacts}
 */
export function describeCause(cause, { trace, evidence, limits, rows }) {
  const { checkouts, pools, routes } = trace;
  if (cause === 'concurrencyLimit') {
    const [{ route, limit }] = limits.toSorted((a, b) => b.waits.length - a.waits.length);
    return { limit, routes: [{ route: routes[route] ?? null, operation: null, share: 1 }], holders: [] };
  }
  const pool =
    weigh(
      rows,
      (row) => String(checkouts.poolOf[row]),
      (row) => evidence.waitedMs[row],
    )[0]?.key ?? 0;
  const own = rows.filter((row) => checkouts.poolOf[row] === Number(pool));
  const { process } = pools[Number(pool)];
  const loop = evidence.loops[process];
  return {
    ...(pools.length > 1 && { client: nameClient(pools[Number(pool)]) }),
    maxPoolSize: pools[Number(pool)].maxPoolSize,
    routes: weighRoutes(trace, evidence, own),
    holders: weighHolders(trace, evidence, own),
    ...describeOpening(cause, trace, evidence, Number(pool)),
    ...(cause === 'parkedConnections' && { parked: describeParked(trace, evidence, own) }),
    ...(cause === 'severalAtOnce' && { atOnce: countAtOnce(trace, evidence, own, Number(pool)) }),
    ...(cause === 'fullServer' && { server: describeServer(evidence.servers[process]) }),
    ...(cause === 'lateEventLoop' && { loop: { maxMs: loop.maxMs, busy: loop.busy } }),
  };
}

/** @param {ServerFacts} server */
export function describeServer({ cores, busyShare, otherCores, growth, isFull, isQueueing }) {
  return { cores, busyShare, ...(otherCores !== undefined && { otherCores }), growth, isFull, isQueueing };
}

/** @param {Cause} cause @param {RecordedTrace} trace @param {WaitEvidence} evidence @param {number} pool row */
function describeOpening(cause, { pools }, evidence, pool) {
  const history = evidence.pools[pool];
  if (cause === 'poolCleared') {
    const { clears } = history;
    return { clears: { count: clears.length, reason: clears[0]?.reason ?? '' } };
  }
  if (!OPENING_CAUSES.includes(cause)) return {};
  const why = { idleConnections: 'idle', lostConnections: 'lost' }[/** @type {string} */ (cause)] ?? 'growth';
  const optionOf = (/** @type {string} */ name) =>
    /** @type {number | undefined} */ (pools[pool].options?.[name]?.value);
  return {
    opening: {
      medianMs: history.medianOpeningMs,
      count: history.count(/** @type {import('./pool-history.js').Why} */ (why)),
      maxConnecting: optionOf('maxConnecting'),
      maxIdleTimeMS: optionOf('maxIdleTimeMS'),
    },
  };
}

/** @param {RecordedTrace} trace @param {WaitEvidence} evidence @param {number[]} rows @returns {NamedShare[]} */
function weighRoutes({ checkouts, routes }, { waitedMs }, rows) {
  return weigh(
    rows,
    (row) => String(checkouts.routeOf[row]),
    (row) => waitedMs[row],
  ).map(({ key, share }) => ({
    route: routes[Number(key)] ?? null,
    operation: null,
    share,
  }));
}

/** @param {RecordedTrace} trace @param {WaitEvidence} evidence @param {number[]} rows @returns {NamedShare[]} */
function weighHolders(trace, { pools, waitedMs }, rows) {
  const holders = rows.flatMap((row) => {
    const found = findHolders(trace, pools, row);
    return found.map((holder) => ({ ...holder, weight: waitedMs[row] / found.length }));
  });
  return weigh(
    holders,
    ({ route, operation }) => `${route} ${operation}`,
    ({ weight }) => weight,
  ).map(({ key, share }) => {
    const [route, operation] = key.split(' ').map(Number);
    return { route: trace.routes[route] ?? null, operation: trace.operations[operation]?.name ?? null, share };
  });
}

/** @param {RecordedTrace} trace @param {WaitEvidence} evidence @param {number[]} rows */
function describeParked(trace, { pools }, rows) {
  let connections = 0;
  let name = '';
  for (const row of rows) {
    const parked = findHolders(trace, pools, row).filter(({ operation }) => trace.operations[operation]?.kind);
    if (parked.length <= connections) continue;
    connections = parked.length;
    ({ name } = trace.operations[parked[0].operation]);
  }
  return { connections, operation: name };
}

/**
 * The most connections that a holder, or one who waited, asked for at once.
 * @param {RecordedTrace} trace @param {WaitEvidence} evidence @param {number[]} rows @param {number} pool row
 */
function countAtOnce(trace, evidence, rows, pool) {
  const { requestOf, startedMs } = trace.checkouts;
  let most = 0;
  for (const row of rows) {
    const own = { request: requestOf[row], atMs: startedMs[row] };
    for (const each of [own, ...findHolders(trace, evidence.pools, row)])
      most = Math.max(most, askedAtOnce(trace, evidence, each, pool));
  }
  return most;
}

/**
 * @template T
 * @param {T[]} items
 * @param {(item: T) => string} keyOf
 * @param {(item: T) => number} weightOf
 * @returns {{ key: string, share: number }[]} the heaviest first
 */
function weigh(items, keyOf, weightOf) {
  /** @type {Map<string, number>} */
  const weights = new Map();
  let total = 0;
  for (const item of items) {
    const weight = weightOf(item);
    weights.set(keyOf(item), (weights.get(keyOf(item)) ?? 0) + weight);
    total += weight;
  }
  return [...weights]
    .map(([key, weight]) => ({ key, share: weight / (total || 1) }))
    .toSorted((a, b) => b.share - a.share);
}
