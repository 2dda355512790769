import { AsyncLocalStorage } from 'node:async_hooks';
import { Checkout } from './checkout.js';
import { CheckoutLog } from './checkout-log.js';
import { RequestName } from './checkout-name.js';
import { endUse } from './connection-history.js';
import { EventBatch } from './event-batch.js';
import { findHolders } from './holders.js';
import { RequestContext } from './request-context.js';

/** @import { CheckoutKind } from './checkout.js' */
/** @import { Connection } from './connections.js' */
/** @import { Entry } from './event-batch.js' */
/** @import { PoolMonitor } from './monitor.js' */
/** @import { Request } from './request-context.js' */

/** @typedef {{ operation?: string | null, kind?: CheckoutKind | null }} Work what a checkout is for */

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
   * @param {() => Work | null} [options.describe] called at each checkOutStarted, in the caller's own async context: what the
   *   checkout is for
   * @param {EventBatch} [options.batch] the one of its monitors
   * @param {() => number} [options.now] the monitors' clock, if it is not performance.now()
   */
  constructor({ outside = null, describe, batch = new EventBatch(), ...options } = {}) {
    /** For whoever else must keep the order of events. */
    this.batch = batch;
    this.#outside = new RequestName(null, outside);
    this.#describe = describe;
    this.#log = new CheckoutLog(options);
  }

  /** The id of the last checkout that ended, however long ago; 0 if there was none. */
  get lastId() {
    this.batch.flush();
    return this.#log.lastId;
  }

  /** @param {Parameters<CheckoutLog['list']>[0]} [from] */
  list(from) {
    this.batch.flush();
    return this.#log.list(from);
  }

  /** How many checkouts after an id are no longer listed. Ids can have other gaps. @param {number} after */
  countForgotten(after) {
    this.batch.flush();
    return this.#log.countForgotten(after);
  }

  /**
   * Records the checkouts of a client from now on.
   * @param {PoolMonitor} monitor
   * @returns {() => void} stops that. Call it when the client is closed for good, where there are always new ones
   */
  watch(monitor) {
    const unfollow = monitor.follow({
      noteStart: (start) => this.#noteStart(start),
      onCheckOutStarted: (checkout, start) => this.#onCheckOutStarted(checkout, start),
      noteEnd: (end) => this.#noteEnd(end),
      identify: (supposed, end) => this.#identify(supposed, end),
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
    return contextOf(this.#scope);
  }

  get #scope() {
    return (this.#hasRequests && this.#scopes.getStore()) || null;
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
    this.batch.flush();
    this.#isClosed = true;
    for (const leave of this.#leaving) leave();
    this.#scopes.disable();
  }

  /** @param {Request} request */
  #open(request) {
    this.#hasRequests = true;
    const context = new RequestContext(request, ++this.#lastRequest);
    // The driver emits nothing when a signal ends a wait.
    request.signal?.addEventListener('abort', () => {
      this.batch.flush();
      context.abort();
    }, { once: true });
    return context;
  }

  /** @param {Entry} start @returns {boolean} whether it needs no async scope of its own, as far as is known now */
  #noteStart(start) {
    start.work = this.#describe?.() ?? null;
    const context = this.current;
    if (context && !context.isOver) {
      start.scope = context;
      start.mayEnter = context.isOpen || !start.pool?.isCallersFlow;
      context.isBeginning = !start.mayEnter;
    } else {
      start.scope = null;
      start.mayEnter = this.#hasRequests;
    }
    return !start.mayEnter;
  }

  /** @param {Checkout} checkout @param {Entry} start */
  #onCheckOutStarted(checkout, { scope, work, mayEnter }) {
    const context = /** @type {RequestContext | null} */ (scope);
    let needsScope = this.#hasRequests;
    checkout.requestName = context?.name ?? this.#outside;
    checkout.work = work;
    if (context) {
      checkout.context = context;
      checkout.holds = context.countHeld(checkout.pool);
      needsScope = context.begin(checkout);
    }
    // From here until checkedIn the driver runs in this scope. Most requests need none: it costs them a few microseconds.
    if (needsScope && mayEnter) this.#scopes.enterWith(checkout);
  }

  /** @param {Entry} end */
  #noteEnd(end) {
    end.scope = this.#scope;
    const context = contextOf(end.scope);
    if (context) context.isBeginning = false;
  }

  /** @param {Checkout} supposed @param {Entry} end */
  #identify(supposed, { scope }) {
    if (!scope) return supposed;
    const own = scope instanceof Checkout && !scope.isOver ? scope : contextOf(scope)?.alone;
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

/** @param {RequestContext | Checkout | null} scope @returns {RequestContext | null} whose code runs in it */
function contextOf(scope) {
  return scope instanceof Checkout ? scope.context : scope;
}
