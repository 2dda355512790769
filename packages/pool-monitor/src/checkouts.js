import { AsyncLocalStorage } from 'node:async_hooks';
import { askerOf, longestHolders, MAX_HOLDERS, nameOf } from './holders.js';
import { ConnectionHistory } from './connection-history.js';

/** @import { Connection } from './connections.js' */
/** @import { Asker, Holder, RequestContext } from './holders.js' */
/** @import { PoolMonitor } from './monitor.js' */
/** @import { Checkout, PoolEvent, ServerPool } from './server-pool.js' */

const KEPT_MS = 5 * 60_000;
const MAX_KEPT = 10_000;

/**
 * @typedef {object} CheckoutRecord times are ms since the epoch, null for what never came
 * @property {number} id counts up
 * @property {string | null} pool the name of its client's monitor
 * @property {string | null} route null for a checkout outside of any request
 * @property {string | null} requestId
 * @property {number | null} connectionId the driver's; counts from 1 in each pool
 * @property {number} checkOutStartedAtMs
 * @property {number | null} checkedOutAtMs
 * @property {number | null} checkedInAtMs
 * @property {Holder[]} behind who held its connection while it waited, the longest first; of one that got none, who
 *   had held connections longest when it failed
 * @property {string} outcome `returned`; `operationFailed` if it was returned but what it was used for had failed, so
 *   that its use is no service time; or why it got no connection: the driver's reason, or `gone` if its caller left
 *
 * @typedef {{ context: RequestContext | undefined, asker: Asker | undefined }} Scope whose code runs
 *
 * @typedef {ReturnType<typeof createCheckouts>} Checkouts
 */

/**
 * A record of each checkout of the last minutes: by which request, how long it waited, and behind whom.
 *
 * The driver tells of a checkout's begin and of its return in the caller's own async context, but of the handing over
 * of a connection in anybody's, and names no one. So who holds a connection is known from the order of the queue, and
 * for certain at the return: what is recorded is exact, while the live view can confuse callers that asked within the
 * same millisecond once one of them has been aborted.
 *
 * @param {object} [options]
 * @param {number} [options.keptMs] how far back the record goes
 * @param {number} [options.most] how many checkouts it has at the most
 * @param {() => number} [options.now] the clock of its monitors, if not performance.now(), for tests
 */
export function createCheckouts({ keptMs = KEPT_MS, most = MAX_KEPT, now = () => performance.now() } = {}) {
  /** @type {AsyncLocalStorage<Scope>} */
  const scopes = new AsyncLocalStorage();
  /** @type {CheckoutRecord[]} */
  let records = [];
  let lastId = 0;
  /** The newest of those that are kept no more. */
  let droppedId = 0;
  /** @type {ConnectionHistory<Asker>} */
  const history = new ConnectionHistory();
  /** @type {WeakMap<Checkout, CheckoutRecord>} */
  const recordOf = new WeakMap();

  /**
   * @param {Checkout} checkout
   * @param {string | null} pool
   * @param {Holder[]} behind
   * @param {string} outcome
   */
  function keep(checkout, pool, behind, outcome) {
    const asker = askerOf(checkout);
    asker.context?.behind.push(...behind);
    const record = {
      id: ++lastId,
      pool,
      ...nameOf(asker),
      connectionId: checkout.connection?.id ?? null,
      checkOutStartedAtMs: toEpoch(asker.checkOutStartedAtMs),
      checkedOutAtMs: orNull(checkout.checkedOutAtMs),
      checkedInAtMs: orNull(checkout.checkedInAtMs),
      behind,
      outcome,
    };
    records.push(record);
    recordOf.set(checkout, record);
    // Cut rarely, and a good piece at once, so that keeping one costs next to nothing.
    if (records.length >= 2 * most) {
      droppedId = records[records.length - most - 1].id;
      records = records.slice(-most);
    }
  }

  /**
   * A checkout ends in its caller's own code. If it was taken for another's, the two change places.
   * @param {Checkout} checkout
   */
  function putRight(checkout) {
    const asker = scopes.getStore()?.asker;
    const supposed = askerOf(checkout);
    if (!asker || asker === supposed || !Number.isNaN(asker.checkout.checkedInAtMs)) return;
    const other = asker.checkout;
    other.ask = supposed;
    supposed.checkout = other;
    checkout.ask = asker;
    asker.checkout = checkout;
    const mistaken = recordOf.get(other);
    if (mistaken?.outcome !== 'gone') return;
    if (supposed.wasSeen) Object.assign(mistaken, nameOf(supposed), { checkOutStartedAtMs: toEpoch(supposed.checkOutStartedAtMs) });
    else records = records.filter((record) => record !== mistaken);
  }

  /** @type {Record<string, (event: PoolEvent & { checkout: Checkout }, pool: ServerPool, name: string | null) => void>} */
  const on = {
    asked({ checkout }, pool) {
      const context = scopes.getStore()?.context;
      const asker = { context, checkOutStartedAtMs: checkout.checkOutStartedAtMs, wasSeen: true, checkout };
      checkout.ask = asker;
      if (context) context.last = undefined;
      // The driver says nothing when a signal ends a wait.
      context?.signal?.addEventListener('abort', () => pool.leave(asker.checkout), { once: true });
      // From here to the return of the connection the driver runs in this scope.
      scopes.enterWith({ context, asker });
    },
    returned({ checkout }, pool, name) {
      putRight(checkout);
      const asker = askerOf(checkout);
      const { checkOutStartedAtMs, context } = asker;
      const { connection, checkedOutAtMs, checkedInAtMs } = /** @type {Checkout & { connection: Connection }} */ (checkout);
      if (context) {
        context.waitMs += checkedOutAtMs - checkOutStartedAtMs;
        context.useMs += checkedInAtMs - checkedOutAtMs;
        context.last = { checkout, pool };
      }
      const waitedFor = history.end(connection, { who: asker, checkOutStartedAtMs, checkedOutAtMs, checkedInAtMs }, MAX_HOLDERS);
      keep(checkout, name, waitedFor.map(nameOf), checkout.hasFailed ? 'operationFailed' : 'returned');
    },
    operationFailed({ checkout }) {
      const record = recordOf.get(checkout);
      if (record) record.outcome = 'operationFailed';
    },
    failed({ checkout, reason, atMs }, pool, name) {
      // A pool refuses everyone in the same breath; a timeout is the caller's own.
      if (reason === 'timeout') putRight(checkout);
      const { checkOutStartedAtMs, context } = askerOf(checkout);
      if (context) context.waitMs += atMs - checkOutStartedAtMs;
      keep(checkout, name, longestHolders(pool), reason ?? 'failed');
    },
    gone({ checkout, atMs }, pool, name) {
      const { checkOutStartedAtMs, context } = askerOf(checkout);
      // Taken for gone without having said so, it may turn up again with its wait.
      if (context?.signal?.aborted) context.waitMs += atMs - checkOutStartedAtMs;
      keep(checkout, name, [], 'gone');
    },
  };

  /**
   * @param {{ after?: number }} [from] only those with a higher id
   * @returns {CheckoutRecord[]} oldest first, in the order in which they ended
   */
  function list({ after = 0 } = {}) {
    const sinceMs = toEpoch(now()) - keptMs;
    return records.slice(-most).filter(({ id, checkOutStartedAtMs }) => id > after && checkOutStartedAtMs >= sinceMs);
  }

  return {
    list,
    /** The last checkout that ended, however long ago; 0 if there was none. */
    lastId: () => lastId,
    /**
     * How many that ended after an id are not listed any more: an id that is missing need not be one of them.
     * @param {number} after
     */
    countForgotten: (after) => (
      Math.max(0, droppedId - after) + records.filter(({ id }) => id > after).length - list({ after }).length),
    /**
     * Record the checkouts of a client.
     * @param {PoolMonitor} monitor
     */
    watch(monitor) {
      monitor.subscribe((event) => {
        const pool = monitor.servers.get(event.server);
        if (pool && event.checkout) on[event.type]?.(/** @type {any} */ (event), pool, monitor.name);
      });
    },
    /**
     * @param {{ route: string, requestId: string, signal?: AbortSignal }} request
     * @returns {RequestContext}
     */
    createContext: (request) => ({ ...request, waitMs: 0, useMs: 0, behind: [] }),
    /**
     * Run something whose checkouts belong to a request.
     * @template T
     * @param {RequestContext} context
     * @param {() => T} work
     */
    runInRequest: (context, work) => scopes.run({ context, asker: undefined }, work),
    /**
     * A request has failed: so has what its last checkout was for, even where that is not seen on the connection.
     * @param {RequestContext} context
     */
    fail({ last }) {
      last?.pool.failOperation(last.checkout);
    },
  };
}

/** @param {number} ms of performance.now() */
function toEpoch(ms) {
  return performance.timeOrigin + ms;
}

/** @param {number} ms */
function orNull(ms) {
  return Number.isNaN(ms) ? null : toEpoch(ms);
}
