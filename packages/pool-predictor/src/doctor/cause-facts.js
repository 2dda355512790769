import { groupBy } from '../base/group-by.js';
import { sum } from '../base/sample-statistics.js';
import { namePool } from '../trace/pick-pool.js';
import { OPENING_CAUSES } from './causes.js';
import { askedAtOnce } from './explain-waits.js';

/** @import { ClientUse } from '../trace/client-use.js' */
/** @import { RecordedTrace } from '../reading/recorded-trace.js' */
/** @import { PoolHolder, Wait, WaitEvidence } from './explain-waits.js' */
/** @import { Cause } from './causes.js' */
/** @import { FailedOperations } from './failed-operations.js' */
/** @import { ServerFacts } from './second-facts.js' */
/** @import { TransactionCosts } from './transaction-costs.js' */
/** @import { FoundLimit } from '../trace/find-limits.js' */

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
 * @property {{ cores?: number, busyShare?: number, otherCores?: number, growth: number, isLocal: boolean, isFull:
 *   boolean, isQueueing: boolean }} [server] see ServerFacts
 * @property {FailedOperations} [failed]
 * @property {TransactionCosts} [transactions]
 * @property {{ maxMs: number, busy: number }} [loop] means over the seconds
 * @property {number} [limit] requests at once
 * @property {ClientUse} [clients]
 */

/**
 * @param {Cause} cause
 * @param {Wait[]} all that have it
 * @param {{ trace: RecordedTrace, evidence: WaitEvidence, limits: FoundLimit[], costs: TransactionCosts[] }} found
 * @returns {CauseFacts}
 */
export function describeCause(cause, all, { trace, evidence, limits, costs }) {
  const { pools, routes } = trace;
  if (cause === 'concurrencyLimit') {
    const [{ route, limit }] = limits.toSorted((a, b) => b.waits.length - a.waits.length);
    return { limit, routes: [{ route: routes[route] ?? null, operation: null, share: 1 }], holders: [] };
  }
  const [{ key: pool }] = weigh(all, (wait) => wait.pool);
  const waits = all.filter((wait) => wait.pool === pool);
  const { process } = pools[pool];
  const { maxMs, busy } = evidence.loops[process];
  return {
    ...(pools.length > 1 && { client: namePool(trace, pool) }),
    maxPoolSize: pools[pool].maxPoolSize,
    routes: weigh(waits, (wait) => wait.route).map(({ key, share }) => ({
      ...{ route: routes[key] ?? null, operation: null, share },
    })),
    holders: weighHolders(trace, waits),
    ...describeOpening(cause, trace, evidence, pool),
    ...(cause === 'parkedConnections' && { parked: describeParked(trace, waits) }),
    ...(cause === 'severalAtOnce' && { atOnce: countAtOnce(trace, evidence, waits) }),
    ...(cause === 'transactions' && { transactions: costs[0] }),
    ...(cause === 'fullServer' && { server: describeServer(evidence.servers[process]) }),
    ...(cause === 'lateEventLoop' && { loop: { maxMs, busy } }),
  };
}

/** @param {ServerFacts} server */
export function describeServer({ cores, busyShare, otherCores, growth, isLocal, isFull, isQueueing }) {
  return { cores, busyShare, ...(otherCores !== undefined && { otherCores }), growth, isLocal, isFull, isQueueing };
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

/** @param {RecordedTrace} trace @param {Wait[]} waits @returns {NamedShare[]} */
function weighHolders({ routes, operations }, waits) {
  /** There may be millions of holders. @type {Map<string, number>} */
  const sums = new Map();
  for (const { holders, waitedMs } of waits)
    for (const { route, operation } of holders) {
      const key = `${route} ${operation}`;
      sums.set(key, (sums.get(key) ?? 0) + waitedMs / holders.length);
    }
  const all = [...sums].map(([key, waitedMs]) => ({ key, waitedMs }));
  return weigh(all, ({ key }) => key).map(({ key, share }) => {
    const [route, operation] = key.split(' ').map(Number);
    return { route: routes[route] ?? null, operation: operations[operation]?.name ?? null, share };
  });
}

/** Describes the most parked connections at once. @param {RecordedTrace} trace @param {Wait[]} waits */
function describeParked({ operations }, waits) {
  /** @type {PoolHolder[]} */
  let most = [];
  for (const { holders } of waits) {
    const parked = holders.filter(({ operation }) => operations[operation]?.kind);
    if (parked.length > most.length) most = parked;
  }
  return { connections: most.length, operation: operations[most[0]?.operation]?.name ?? '' };
}

/**
 * Finds the most connections that a holder, or one who waited, asked for at once.
 * @param {RecordedTrace} trace @param {WaitEvidence} evidence @param {Wait[]} waits
 */
function countAtOnce(trace, evidence, waits) {
  const { startedMs, routeOf } = trace.checkouts;
  let most = 0;
  for (const { row, request, pool, holders } of waits)
    for (const each of [{ request, route: routeOf[row], atMs: startedMs[row] }, ...holders])
      most = Math.max(most, askedAtOnce(trace, evidence, each, pool));
  return most;
}

/**
 * Finds the shares of the waited time.
 *
 * @template {{ waitedMs: number }} T
 * @template K
 * @param {T[]} items
 * @param {(item: T) => K} keyOf
 * @returns {{ key: K, share: number }[]} the heaviest first
 */
function weigh(items, keyOf) {
  const total = sum(items.map(({ waitedMs }) => waitedMs)) || 1;
  return [...groupBy(items, keyOf)]
    .map(([key, own]) => ({ key, share: sum(own.map(({ waitedMs }) => waitedMs)) / total }))
    .toSorted((a, b) => b.share - a.share);
}
