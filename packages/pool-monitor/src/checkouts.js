import { AsyncLocalStorage } from 'node:async_hooks';
import { CheckoutLog } from './checkout-log.js';
import { ConnectionHistory } from './connection-history.js';
import { callerOf, longestHolders, MAX_HOLDERS, nameOf } from './holders.js';
import { RequestContext, RequestName } from './request-context.js';

/** @import { Connection } from './connections.js' */
/** @import { Caller, CheckoutKind } from './holders.js' */
/** @import { PoolMonitor } from './monitor.js' */
/** @import { Checkout, PoolEvent } from './pool-events.js' */
/** @import { Request } from './request-context.js' */
/** @import { ServerPool } from './server-pool.js' */

/** @typedef {{ context: RequestContext | undefined, caller: Caller | undefined }} Scope whose code runs */

/**
 * Links each checkout of the last minutes to the request that made it, with its wait, and the requests it waited behind.
 *
 * The driver emits checkOutStarted and checkedIn in the caller's own async context. It emits checkedOut in anyone's, and
 * does not identify the caller. So we infer the holder of a connection from the order of the queue, and know it for
 * certain at checkedIn. Records are therefore exact. The live view can confuse callers that started within the same
 * millisecond after one of them was aborted.
 */
export class Checkouts {
  /** @type {AsyncLocalStorage<Scope>} */
  #scopes = new AsyncLocalStorage();
  /** Whether there ever was a request. Without one there is nobody to tell apart, and async flows need not be followed. */
  #hasRequests = false;
  /** @type {ConnectionHistory<Caller>} */
  #history = new ConnectionHistory();
  #log;
  #outside;
  #describe;
  #lastRequest = 0;
  #isClosed = false;
  /** @type {(() => void)[]} */
  #unsubscribe = [];

  /**
   * @param {object} [options]
   * @param {number} [options.keptMs] how far back the records go
   * @param {number} [options.maxKept] how many records to keep
   * @param {string | null} [options.outside] the route of checkouts outside of any request
   * @param {() => { operation?: string | null, kind?: CheckoutKind | null } | undefined} [options.describe] called at each
   *   checkOutStarted, in the caller's own async context: what the checkout is for
   * @param {() => number} [options.now] the monitors' clock, if it is not performance.now()
   */
  constructor({ outside = null, describe = () => undefined, ...options } = {}) {
    this.#outside = new RequestName(null, null, outside);
    this.#describe = describe;
    this.#log = new CheckoutLog(options);
  }

  /** The id of the last checkout that ended, however long ago; 0 if there was none. */
  get lastId() {
    return this.#log.lastId;
  }

  /** @param {{ after?: number }} [from] only those with a higher id */
  list(from) {
    return this.#log.list(from);
  }

  /** How many checkouts after an id are no longer listed. Ids can have other gaps. @param {number} after */
  countForgotten(after) {
    return this.#log.countForgotten(after);
  }

  /** Records the checkouts of a client from now on. @param {PoolMonitor} monitor */
  watch(monitor) {
    this.#unsubscribe.push(monitor.subscribe((event) => {
      const pool = monitor.servers.get(event.server);
      if (!pool || !event.checkout) return;
      const known = /** @type {PoolEvent & { checkout: Checkout }} */ (event);
      if (event.type === 'checkOutStarted') this.#onCheckOutStarted(known, pool);
      else if (event.type === 'checkedIn') this.#onCheckedIn(known, pool, monitor.name);
      else if (event.type === 'operationFailed') this.#log.markOperationFailed(event.checkout);
      else if (event.type === 'checkOutFailed') this.#onCheckOutFailed(known, pool, monitor.name);
      else if (event.type === 'checkOutAborted') this.#onCheckOutAborted(known, monitor.name);
    }));
  }

  /**
   * Runs code whose checkouts belong to a request, also those that come later in the same async flow.
   *
   * @template T
   * @param {Request} request
   * @param {(context: RequestContext) => T} work gets what is known about the request, which its checkouts update
   * @returns {T} what `work` returned
   */
  run(request, work) {
    const context = this.#open(request);
    return this.#isClosed ? work(context) : this.#scopes.run({ context, caller: undefined }, () => work(context));
  }

  /**
   * Like `run`, for the rest of the current async flow: the checkouts of what is called from here on belong to the request.
   *
   * @param {Request} request
   * @returns {RequestContext}
   */
  enter(request) {
    const context = this.#open(request);
    if (!this.#isClosed) this.#scopes.enterWith({ context, caller: undefined });
    return context;
  }

  /**
   * A request failed, so the operation of its last checkout did too, even if the connection does not show it.
   * @param {RequestContext} context
   */
  fail({ last }) {
    last?.pool.failOperation(last.checkout);
  }

  /**
   * The route of a request is final, so its records need not ask for it any more. Call this at the end of a request whose
   * route is a function. Otherwise its records keep alive whatever that function uses.
   * @param {RequestContext} context
   */
  settle({ name }) {
    name.settle();
  }

  /** Stops recording, and following async flows, which costs some time. The records stay. */
  close() {
    this.#isClosed = true;
    for (const unsubscribe of this.#unsubscribe.splice(0)) unsubscribe();
    this.#scopes.disable();
  }

  /** @param {Request} request */
  #open(request) {
    this.#hasRequests = true;
    return new RequestContext(request, ++this.#lastRequest);
  }

  /** @param {{ checkout: Checkout }} event @param {ServerPool} pool */
  #onCheckOutStarted({ checkout }, pool) {
    const context = this.#scopes.getStore()?.context;
    const { operation = null, kind = null } = this.#describe() ?? {};
    /** @type {Caller} */
    const caller = {
      context, name: context?.name ?? this.#outside, operation, kind, holds: context?.countHeld(pool) ?? 0,
      checkOutStartedAtMs: checkout.checkOutStartedAtMs, wasSeen: true, checkout, pool,
    };
    checkout.caller = caller;
    if (context) {
      context.last = undefined;
      context.open.add(caller);
    }
    // From here until checkedIn the driver runs in this scope.
    if (this.#hasRequests) this.#scopes.enterWith({ context, caller });
  }

  /** @param {{ checkout: Checkout }} event @param {ServerPool} pool @param {string | null} name */
  #onCheckedIn({ checkout }, pool, name) {
    this.#correctCaller(checkout);
    const caller = callerOf(checkout);
    const { checkOutStartedAtMs, context } = caller;
    const { connection, checkedOutAtMs, checkedInAtMs } = /** @type {Checkout & { connection: Connection }} */ (checkout);
    if (context) {
      context.waitMs += checkedOutAtMs - checkOutStartedAtMs;
      context.useMs += checkedInAtMs - checkedOutAtMs;
      context.last = { checkout, pool };
      context.open.delete(caller);
    }
    const use = { who: caller, checkOutStartedAtMs, checkedOutAtMs, checkedInAtMs };
    const behind = this.#history.end(connection, use, MAX_HOLDERS).map(nameOf);
    context?.behind.push(...behind);
    this.#log.add(checkout, { pool: name, behind, outcome: checkout.hasFailed ? 'operationFailed' : 'checkedIn' });
  }

  /** @param {PoolEvent & { checkout: Checkout }} event @param {ServerPool} pool @param {string | null} name */
  #onCheckOutFailed({ checkout, reason, atMs }, pool, name) {
    // A pool refuses all its callers in one turn. Only a timeout happens in the caller's own scope.
    if (reason === 'timeout') this.#correctCaller(checkout);
    const caller = callerOf(checkout);
    const { checkOutStartedAtMs, context } = caller;
    const behind = longestHolders(pool);
    if (context) context.waitMs += atMs - checkOutStartedAtMs;
    context?.open.delete(caller);
    context?.behind.push(...behind);
    this.#log.add(checkout, { pool: name, behind, outcome: 'checkOutFailed', reason });
  }

  /** @param {PoolEvent & { checkout: Checkout }} event @param {string | null} name */
  #onCheckOutAborted({ checkout, atMs }, name) {
    const caller = callerOf(checkout);
    const { checkOutStartedAtMs, context } = caller;
    // If its signal did not fire, we only infer the abort: the checkout may still come back with its wait.
    if (context?.signal?.aborted) context.waitMs += atMs - checkOutStartedAtMs;
    context?.open.delete(caller);
    this.#log.add(checkout, { pool: name, outcome: 'checkOutAborted' });
  }

  /**
   * A checkout ends in its caller's own code. If we had linked it to another caller, the two swap.
   * @param {Checkout} checkout
   */
  #correctCaller(checkout) {
    const caller = this.#scopes.getStore()?.caller;
    const supposed = callerOf(checkout);
    if (!caller || caller === supposed || !Number.isNaN(caller.checkout.checkedInAtMs)) return;
    const other = caller.checkout;
    other.caller = supposed;
    supposed.checkout = other;
    checkout.caller = caller;
    caller.checkout = checkout;
    if (this.#log.correctAborted(other, supposed)) supposed.context?.open.delete(supposed);
  }
}
