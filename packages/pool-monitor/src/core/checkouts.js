import { AsyncLocalStorage } from 'node:async_hooks';
import { Checkout } from './checkout.js';
import { CheckoutLog } from './checkout-log.js';
import { describeCheckout } from './describe-checkout.js';
import { RequestName } from './checkout-name.js';
import { endUse } from './connections.js';
import { EventBatch } from './event-batch.js';
import { EventLog } from './event-log.js';
import { findHolders } from './holders.js';
import { RequestContext } from './request-context.js';

/** @import { Channel } from 'node:diagnostics_channel' */
/** @import { CheckoutPurpose } from './checkout.js' */
/** @import { OpenCheckout } from './checkout-log.js' */
/** @import { Connection } from './connections.js' */
/** @import { BatchedEvent } from './event-batch.js' */
/** @import { PoolMonitor } from './monitor.js' */
/** @import { Request } from './request-context.js' */

/** How many holders of connections a checkout notes when its wait begins. */
const MAX_HELD_BY = 10;
/** Holders of a checkout that waited behind nobody. @type {readonly undefined[]} */
const NOBODY = [];

/**
 * Links each checkout of the last minutes to the request that made it, with its wait and the requests it waited behind.
 *
 * The driver emits checkOutStarted and checkedIn in the caller's own async context, but checkedOut in any context, and
 * that event does not identify the caller. So the holder of a connection is inferred from the order of the queue, and
 * known for certain at checkedIn. Records are therefore exact, but the live view can confuse callers that started
 * within the same millisecond after one of them was aborted.
 */
export class Checkouts {
  /**
   * The request whose code is running, or within it the checkout.
   * @type {AsyncLocalStorage<RequestContext | Checkout>}
   */
  #scopes = new AsyncLocalStorage();
  /**
   * Whether there ever was a request. Without one there are no callers to distinguish, so async flows aren't followed.
   */
  #hasRequests = false;
  #log;
  #events;
  #outside;
  #describe;
  #lastRequest = 0;
  #isClosed = false;
  /** What ends the recording of each client. @type {Map<PoolMonitor, () => void>} */
  #watched = new Map();

  /**
   * @param {object} [options]
   * @param {number} [options.keptMs] how far back the records go
   * @param {number} [options.maxKept] how many records to keep
   * @param {string | null} [options.outside] the route of checkouts outside of any request
   * @param {() => CheckoutPurpose | null} [options.describe] says what a checkout is for; called at each
   *   checkOutStarted, in the caller's own async context
   * @param {EventBatch} [options.batch] the one of its monitors
   * @param {() => number} [options.now] the monitors' clock, if it is not performance.now()
   */
  constructor({ outside = null, describe, batch = new EventBatch(), ...options } = {}) {
    /** Lets other code keep the order of events. */
    this.batch = batch;
    this.#outside = new RequestName(null, outside);
    this.#describe = describe;
    this.#log = new CheckoutLog(options);
    this.#events = new EventLog();
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

  /** @returns {OpenCheckout[]} those that have not ended: of each pool, first those that wait, the longest first */
  listOpen() {
    this.batch.flush();
    const pools = [...this.#watched.keys()].flatMap(({ servers }) => [...servers.values()]);
    return pools.flatMap((pool) => {
      const held = pool.connections.held.flatMap(({ checkout }) => checkout ?? []);
      return [...pool.waiters(), ...held].map((checkout) => {
        const outcome = checkout.connection ? 'checkedOut' : 'waiting';
        return describeCheckout(checkout, pool.now(), { outcome, reason: null });
      });
    });
  }

  /** The last events of connections and pools. */
  get events() {
    this.batch.flush();
    return this.#events;
  }

  /** Counts the checkouts after an id that are no longer listed. Ids can have other gaps. @param {number} after */
  countForgotten(after) {
    this.batch.flush();
    return this.#log.countForgotten(after);
  }

  /**
   * Records the checkouts of a client from now on.
   * @param {PoolMonitor} monitor
   * @returns {() => void} stops that. In an app that keeps creating clients, call it when the client is closed for good
   */
  watch(monitor) {
    const endTracking = monitor.follow({
      noteStart: (start) => this.#noteStart(start),
      onCheckOutStarted: (checkout, start) => this.#onCheckOutStarted(checkout, start),
      onLeftWaiting: noteHolders,
      noteEnd: (end, connection) => this.#noteEnd(end, connection),
      identify: (inferred, end) => this.#identify(inferred, end),
      callerOf: ({ scope }) => callerIn(scope),
      onCheckedIn: (checkout, isCounted) => this.#onCheckedIn(checkout, isCounted),
      onCheckOutFailed: (checkout, reason, atMs) => this.#onCheckOutFailed(checkout, reason, atMs),
      onCheckOutAborted: (checkout, atMs) => this.#onCheckOutAborted(checkout, atMs),
      onOperationFailed: (checkout) => this.#log.markOperationFailed(checkout),
      onRareEvent: (...event) => this.#events.add(...event),
    });
    const leave = () => {
      endTracking();
      this.#watched.delete(monitor);
    };
    this.#watched.set(monitor, leave);
    return leave;
  }

  /**
   * Runs code whose checkouts belong to a request, including those that come later in the same async flow.
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
   * Does what `run` does, for the rest of the current async flow.
   *
   * @param {Request} request
   * @returns {RequestContext}
   */
  enter(request) {
    const context = this.#open(request);
    if (!this.#isClosed) this.#scopes.enterWith(context);
    return context;
  }

  /**
   * Does what `run` does, for all work that a channel's `runStores` runs.
   *
   * @param {Channel} channel
   * @param {(message: unknown) => Request | undefined} describe says what work it is; undefined: of the one that is
   *   running
   * @returns {() => void} ends it
   */
  bind(channel, describe) {
    channel.bindStore(this.#scopes, (message) => {
      const request = describe(message);
      return request ? this.#open(request) : this.#scopes.getStore();
    });
    return () => void channel.unbindStore(this.#scopes);
  }

  /** The request whose code is running. @returns {RequestContext | null} */
  get current() {
    return contextOf(this.#scope);
  }

  get #scope() {
    return (this.#hasRequests && this.#scopes.getStore()) || null;
  }

  /**
   * Records that a request failed. So the operation of its last checkout did too, even if the connection does not show
   * it.
   * @param {RequestContext} context
   */
  fail({ last }) {
    last?.pool.failOperation(last);
  }

  /**
   * Makes the route of a request final. Call this at the end of a request whose route is a function, because otherwise
   * its records would keep alive everything that the function uses.
   * @param {RequestContext} context
   */
  settle({ name }) {
    name.fixRoute();
  }

  /** Stops recording, and stops following async flows, which costs CPU time. The records stay. */
  close() {
    this.batch.flush();
    this.#isClosed = true;
    for (const leave of this.#watched.values()) leave();
    this.#scopes.disable();
  }

  /** @param {Request} request */
  #open(request) {
    this.#hasRequests = true;
    const context = new RequestContext(request, request.isOutside ? null : ++this.#lastRequest);
    // The driver emits nothing when a signal ends a wait.
    request.signal?.addEventListener(
      'abort',
      () => {
        this.batch.flush();
        context.abort();
      },
      { once: true },
    );
    return context;
  }

  /**
   * @param {BatchedEvent} start
   * @returns {boolean} whether it needs no async scope of its own, as far as is known by now
   */
  #noteStart(start) {
    start.purpose = this.#describe?.() ?? null;
    const scope = this.#scope;
    const context = contextOf(scope);
    if (context && !context.isOver) {
      start.scope = scope;
      start.mayEnter = context.mayBeOpen || mayBeOpen(scope) || !start.pool?.isCallersFlow;
      context.noteStart(start.atMs, !start.mayEnter);
    } else {
      start.scope = null;
      start.mayEnter = this.#hasRequests;
    }
    return !start.mayEnter;
  }

  /** @param {Checkout} checkout @param {BatchedEvent} start */
  #onCheckOutStarted(checkout, { scope, purpose, mayEnter }) {
    const context = contextOf(scope);
    let needsScope = this.#hasRequests;
    checkout.requestName = context?.name ?? this.#outside;
    checkout.purpose = purpose;
    if (!checkout.pool.hasRoom) noteHolders(checkout);
    if (context) {
      checkout.context = context;
      checkout.holds = context.countHeld(checkout.pool);
      needsScope = context.begin(checkout, mayBeOpen(scope));
    }
    // From here until checkedIn the driver runs in this scope. It costs a few microseconds, and most requests need
    // none.
    if (needsScope && mayEnter) this.#scopes.enterWith(checkout);
  }

  /** @param {BatchedEvent} end @param {Connection} [connection] */
  #noteEnd(end, connection) {
    end.scope = this.#scope;
    contextOf(end.scope)?.noteEnd(end, connection);
  }

  /** @param {Checkout} inferred @param {BatchedEvent} end */
  #identify(inferred, { scope }) {
    if (!scope) {
      // Only its connection is known, but it ends in the caller's own code.
      if (!inferred.wasSeen) inferred.requestName = this.#outside;
      return inferred;
    }
    const real = callerIn(scope);
    if (!real || real === inferred || real.isOver || real.pool !== inferred.pool) return inferred;
    if (real.recordId > 0) {
      this.#log.correct(real, inferred);
      inferred.context?.end(inferred);
      inferred.context?.addWait(inferred, real.context?.takeBackWait(real) ?? NaN);
    }
    return real;
  }

  /** @param {Checkout} checkout @param {boolean} isCounted */
  #onCheckedIn(checkout, isCounted) {
    const { context, checkOutStartedAtMs, checkedOutAtMs, checkedInAtMs } = checkout;
    const { items: behind } = endUse(/** @type {Connection} */ (checkout.connection), checkout);
    if (context) {
      if (!isCounted) context.count(checkOutStartedAtMs, checkedOutAtMs, checkedInAtMs);
      context.waitedFor(behind);
      context.end(checkout);
      context.last = checkout;
    }
    this.#log.add(checkout, checkout.hasFailed ? 'operationFailed' : 'checkedIn', behind, null, checkedInAtMs);
  }

  /** @param {Checkout} checkout @param {string} reason @param {number} atMs */
  #onCheckOutFailed(checkout, reason, atMs) {
    const { context } = checkout;
    const behind = findHolders(checkout.pool);
    if (context) {
      context.addWait(checkout, atMs);
      context.waitedFor(behind);
      context.end(checkout);
    }
    this.#log.add(checkout, 'checkOutFailed', behind, reason, atMs);
  }

  /** @param {Checkout} checkout @param {number} atMs */
  #onCheckOutAborted(checkout, atMs) {
    const { context } = checkout;
    // If its signal did not fire, the abort is only inferred, and the checkout may still come back with its wait.
    if (context?.signal?.aborted) context.addWait(checkout, atMs);
    context?.end(checkout);
    this.#log.add(checkout, 'checkOutAborted', NOBODY, null, atMs);
  }
}

/** @param {Checkout} checkout whose wait begins */
function noteHolders(checkout) {
  checkout.heldBy = findHolders(checkout.pool, MAX_HELD_BY);
}

/**
 * Whether code in a scope may be that of a checkout that has not ended. One that failed or was aborted may be another
 * caller's, so its scope stays its own. The next checkout there needs another.
 * @param {RequestContext | Checkout | null} scope
 * @returns {scope is Checkout}
 */
function mayBeOpen(scope) {
  return scope instanceof Checkout && !scope.isOver;
}

/**
 * @param {RequestContext | Checkout | null} scope
 * @returns {Checkout | null} the checkout that its code can have made, if there is just one
 */
function callerIn(scope) {
  return mayBeOpen(scope) ? scope : (contextOf(scope)?.alone ?? null);
}

/**
 * @param {RequestContext | Checkout | null} scope
 * @returns {RequestContext | null} the request whose code runs in it
 */
function contextOf(scope) {
  return scope instanceof Checkout ? scope.context : scope;
}
