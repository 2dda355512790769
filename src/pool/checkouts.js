import { AsyncLocalStorage } from 'node:async_hooks';

/** @import { PoolMonitor } from './monitor.js' */
/** @import { Checkout, Connection, PoolEvent, ServerPool } from './server-pool.js' */

const KEPT_MS = 5 * 60_000;
const MOST_KEPT = 50_000;
const MOST_HOLDERS = 3;

/**
 * @typedef {{ requestId: string | null, route: string | null }} Holder who held a connection that another waited for
 *
 * @typedef {object} RequestContext what a request's checkouts add up to
 * @property {string} route
 * @property {string} requestId
 * @property {number} waitMs waited for connections
 * @property {number} useMs had connections checked out
 * @property {Holder[]} behind who held the connections it waited for
 *
 * @typedef {object} CheckoutRecord times are ms since the epoch, null for what never came
 * @property {number} id counts up
 * @property {string | null} route null for a checkout outside of any request
 * @property {string | null} requestId
 * @property {number | null} connectionId the driver's
 * @property {number} askedAtMs
 * @property {number | null} gotAtMs
 * @property {number | null} returnedAtMs
 * @property {Holder[]} behind
 * @property {string} outcome `returned`, or why it got no connection: the driver's reason, or `gone` if its caller left
 *
 * @typedef {object} Ask what a checkout carries
 * @property {RequestContext | undefined} context
 * @property {Holder[]} behind
 *
 * @typedef {ReturnType<typeof createCheckouts>} Checkouts
 */

/**
 * A record of each checkout of the last minutes: by which request, how long it waited, and behind whom. The request
 * is known because the driver tells of a checkout's begin in the caller's own async context.
 *
 * @param {object} [options]
 * @param {number} [options.keptMs] how far back the record goes
 * @param {number} [options.most] how many checkouts it has at the most
 */
export function createCheckouts({ keptMs = KEPT_MS, most = MOST_KEPT } = {}) {
  /** @type {AsyncLocalStorage<RequestContext>} */
  const storage = new AsyncLocalStorage();
  /** @type {CheckoutRecord[]} */
  let records = [];
  let lastId = 0;
  /** Who had a connection before. @type {WeakMap<Connection, Holder>} */
  const formerHolders = new WeakMap();

  /**
   * @param {Checkout} checkout
   * @param {string} outcome
   */
  function keep(checkout, outcome) {
    records.push({
      id: ++lastId,
      ...holderOf(checkout),
      connectionId: checkout.connection?.id ?? null,
      askedAtMs: toEpoch(checkout.askedAtMs),
      gotAtMs: orNull(checkout.gotAtMs),
      returnedAtMs: orNull(checkout.returnedAtMs),
      behind: askOf(checkout)?.behind ?? [],
      outcome,
    });
    // Cut rarely, and a good piece at once, so that keeping one costs next to nothing.
    if (records.length >= 2 * most) records = records.slice(-most);
  }

  /** @type {Record<string, (event: PoolEvent & { checkout: Checkout }, pool: ServerPool) => void>} */
  const on = {
    asked({ checkout }, pool) {
      const mustWait = pool.states.idle === 0 && pool.limits.max > 0 && pool.connections.size >= pool.limits.max;
      checkout.ask = { context: storage.getStore(), behind: mustWait ? longestHolders(pool) : [] };
    },
    got({ checkout, connection, durationMs }) {
      const ask = askOf(checkout);
      if (!ask) return;
      const former = connection && formerHolders.get(connection);
      if (ask.behind.length > 0 && former && !ask.behind.some(({ requestId }) => requestId === former.requestId)) {
        ask.behind.push(former);
      }
      addWait(ask, durationMs);
    },
    returned({ checkout, connection, durationMs }) {
      if (connection) formerHolders.set(connection, holderOf(checkout));
      const context = askOf(checkout)?.context;
      if (context) context.useMs += durationMs;
      keep(checkout, 'returned');
    },
    failed({ checkout, reason, durationMs }) {
      const ask = askOf(checkout);
      if (ask) addWait(ask, durationMs);
      keep(checkout, reason ?? 'failed');
    },
    gone({ checkout }) {
      keep(checkout, 'gone');
    },
  };

  return {
    /**
     * Record the checkouts of a client.
     * @param {PoolMonitor} monitor
     */
    watch(monitor) {
      monitor.subscribe((event) => {
        const pool = monitor.servers.get(event.server);
        if (pool && event.checkout) on[event.type]?.(/** @type {any} */ (event), pool);
      });
    },
    /**
     * @param {{ route: string, requestId: string }} request
     * @returns {RequestContext}
     */
    createContext: (request) => ({ ...request, waitMs: 0, useMs: 0, behind: [] }),
    /**
     * Run something whose checkouts belong to a request.
     * @template T
     * @param {RequestContext} context
     * @param {() => T} work
     */
    runInRequest: (context, work) => storage.run(context, work),
    /**
     * @param {{ after?: number }} [from] only those with a higher id
     * @returns {CheckoutRecord[]} oldest first, in the order in which they ended
     */
    list({ after = 0 } = {}) {
      const sinceMs = toEpoch(performance.now()) - keptMs;
      return records.slice(-most).filter(({ id, askedAtMs }) => id > after && askedAtMs >= sinceMs);
    },
  };
}

/**
 * Whose checkout it is.
 * @param {Checkout | null} checkout
 * @returns {Holder}
 */
export function holderOf(checkout) {
  const context = checkout && askOf(checkout)?.context;
  return { requestId: context?.requestId ?? null, route: context?.route ?? null };
}

/**
 * Who holds the connections of a pool, the longest first.
 * @param {ServerPool} pool
 * @returns {Holder[]}
 */
export function longestHolders(pool) {
  return [...pool.connections.values()]
    .filter(({ state }) => state === 'active')
    .sort((a, b) => a.sinceMs - b.sinceMs)
    .slice(0, MOST_HOLDERS)
    .map(({ checkout }) => holderOf(checkout));
}

/**
 * @param {Ask} ask
 * @param {number} durationMs
 */
function addWait({ context, behind }, durationMs) {
  if (!context) return;
  context.waitMs += durationMs;
  context.behind.push(...behind);
}

/** @param {Checkout} checkout */
function askOf({ ask }) {
  return /** @type {Ask | undefined} */ (ask);
}

/** @param {number} ms of performance.now() */
function toEpoch(ms) {
  return performance.timeOrigin + ms;
}

/** @param {number} ms */
function orNull(ms) {
  return Number.isNaN(ms) ? null : toEpoch(ms);
}
