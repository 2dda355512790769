import { AsyncLocalStorage } from 'node:async_hooks';
import { Checkout } from './checkout.js';
import { CheckoutLog } from './checkout-log.js';
import { OperationName, RequestName } from './checkout-name.js';
import { endUse } from './connection-history.js';
import { findHolders } from './holders.js';
import { RequestContext } from './request-context.js';

/** @import { CheckoutKind } from './checkout.js' */
/** @import { Connection } from './connections.js' */
/** @import { PoolMonitor } from './monitor.js' */
/** @import { Request } from './request-context.js' */

/**
 * Links each checkout of the last minutes to the request that made it, with its wait, and the requests it waited behind.
 *
 * The driver emits checkOutStarted and checkedIn in the caller's own async context. It emits checkedOut in anyone's, and
 * does not identify the caller. So we infer the holder of a connection from the order of the queue, and know it for
 * certain at checkedIn. Records are therefore exact. The live view can confuse callers that started within the same
 * millisecond after one of them was aborted.
 */
export class Checkouts {
  /** Whose code runs: a request's, or within it that of one checkout. @type {AsyncLocalStorage<RequestContext | Checkout>} */
  #scopes = new AsyncLocalStorage();
  /** Whether there ever was a request. Without one there is nobody to tell apart, and async flows need not be followed. */
  #hasRequests = false;
  #log;
  #outside;
  #describe;
  #lastRequest = 0;
  #isClosed = false;
  /** What ends the recording of each client. @type {Set<() => void>} */
  #leaving = new Set();

  /**
   * @param {object} [options]
   * @param {number} [options.keptMs] how far back the records go
   * @param {number} [options.maxKept] how many records to keep
   * @param {string | null} [options.outside] the route of checkouts outside of any request
   * @param {() => { operation?: string | null, kind?: CheckoutKind | null } | undefined} [options.describe] called at each
   *   checkOutStarted, in the caller's own async context: what the checkout is for
   * @param {() => number} [options.now] the monitors' clock, if it is not performance.now()
   */
  constructor({ outside = null, describe, ...options } = {}) {
    this.#outside = new RequestName(null, outside);
    this.#describe = describe;
    this.#log = new CheckoutLog(options);
  }

  /** The id of the last checkout that ended, however long ago; 0 if there was none. */
  get lastId() {
    return this.#log.lastId;
  }

  /** @param {Parameters<CheckoutLog['list']>[0]} [from] */
  list(from) {
    return this.#log.list(from);
  }

  /** How many checkouts after an id are no longer listed. Ids can have other gaps. @param {number} after */
  countForgotten(after) {
    return this.#log.countForgotten(after);
  }

  /**
   * Records the checkouts of a client from now on.
   * @param {PoolMonitor} monitor
   * @returns {() => void} stops that. Call it when the client is closed for good, where there are always new ones
   */
  watch(monitor) {
    const unfollow = monitor.follow({
      onCheckOutStarted: (checkout) => this.#onCheckOutStarted(checkout),
      identify: (supposed) => this.#identify(supposed),
      onCheckedIn: (checkout) => this.#onCheckedIn(checkout),
      onCheckOutFailed: (checkout, reason, atMs) => this.#onCheckOutFailed(checkout, reason, atMs),
      onCheckOutAborted: (checkout, atMs) => this.#onCheckOutAborted(checkout, atMs),
      onOperationFailed: (checkout) => this.#log.markOperationFailed(checkout),
    });
    const leave = () => {
      unfollow();
      this.#leaving.delete(leave);
    };
    this.#leaving.add(leave);
    return leave;
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
    return this.#isClosed ? work(context) : this.#scopes.run(context, work, context);
  }

  /**
   * Like `run`, for the rest of the current async flow: the checkouts of what is called from here on belong to the request.
   *
   * @param {Request} request
   * @returns {RequestContext}
   */
  enter(request) {
    const context = this.#open(request);
    if (!this.#isClosed) this.#scopes.enterWith(context);
    return context;
  }

  /** The request whose code runs. @returns {RequestContext | null} */
  get current() {
    const scope = this.#hasRequests ? this.#scopes.getStore() : undefined;
    return (scope instanceof Checkout ? scope.context : scope) ?? null;
  }

  /**
   * A request failed, so the operation of its last checkout did too, even if the connection does not show it.
   * @param {RequestContext} context
   */
  fail({ last }) {
    last?.pool.failOperation(last);
  }

  /**
   * The route of a request is final. Call this at the end of one whose route is a function: its records would keep alive
   * whatever that uses.
   * @param {RequestContext} context
   */
  settle({ name }) {
    name.settle();
  }

  /** Stops recording, and following async flows, which costs some time. The records stay. */
  close() {
    this.#isClosed = true;
    for (const leave of this.#leaving) leave();
    this.#scopes.disable();
  }

  /** @param {Request} request */
  #open(request) {
    this.#hasRequests = true;
    return new RequestContext(request, ++this.#lastRequest);
  }

  /** @param {Checkout} checkout */
  #onCheckOutStarted(checkout) {
    const followed = this.current;
    const context = followed?.isOver ? null : followed;
    const name = context?.name ?? this.#outside;
    let needsScope = this.#hasRequests;
    const work = this.#describe?.();
    checkout.name = work ? new OperationName(name, work.operation ?? null, work.kind ?? null) : name;
    if (context) {
      checkout.context = context;
      checkout.holds = context.countHeld(checkout.pool);
      needsScope = context.begin(checkout);
    }
    // From here until checkedIn the driver runs in this scope. Most requests need none: it costs them a few microseconds.
    if (needsScope) this.#scopes.enterWith(checkout);
  }

  /** @param {Checkout} supposed */
  #identify(supposed) {
    if (!this.#hasRequests) return supposed;
    const scope = this.#scopes.getStore();
    const own = scope instanceof Checkout && !scope.isOver ? scope : this.current?.alone;
    if (!own || own === supposed || own.isOver || own.pool !== supposed.pool) return supposed;
    if (own.recordId > 0) {
      this.#log.correct(own, supposed);
      supposed.context?.end(supposed);
    }
    return own;
  }

  /** @param {Checkout} checkout */
  #onCheckedIn(checkout) {
    const { context, checkOutStartedAtMs, checkedOutAtMs, checkedInAtMs } = checkout;
    const behind = endUse(/** @type {Connection} */ (checkout.connection), checkout);
    if (context) {
      context.waitMs += checkedOutAtMs - checkOutStartedAtMs;
      context.useMs += checkedInAtMs - checkedOutAtMs;
      context.waitedFor(behind);
      context.end(checkout);
      context.last = checkout;
    }
    this.#log.add(checkout, checkout.hasFailed ? 'operationFailed' : 'checkedIn', behind, null);
  }

  /** @param {Checkout} checkout @param {string} reason @param {number} atMs */
  #onCheckOutFailed(checkout, reason, atMs) {
    const { context, checkOutStartedAtMs } = checkout;
    const behind = findHolders(checkout.pool);
    if (context) {
      context.waitMs += atMs - checkOutStartedAtMs;
      context.waitedFor(behind);
      context.end(checkout);
    }
    this.#log.add(checkout, 'checkOutFailed', behind, reason);
  }

  /** @param {Checkout} checkout @param {number} atMs */
  #onCheckOutAborted(checkout, atMs) {
    const { context, checkOutStartedAtMs } = checkout;
    // If its signal did not fire, we only infer the abort: the checkout may still come back with its wait.
    if (context?.signal?.aborted) context.waitMs += atMs - checkOutStartedAtMs;
    context?.end(checkout);
    this.#log.add(checkout, 'checkOutAborted', null, null);
  }
}
