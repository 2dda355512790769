import { OperationName, UNKNOWN } from './checkout-name.js';

/** @import { CheckoutName, RequestName } from './checkout-name.js' */
/** @import { Work } from './checkouts.js' */
/** @import { Connection } from './connections.js' */
/** @import { Entry } from './event-batch.js' */
/** @import { RequestContext } from './request-context.js' */
/** @import { ServerPool } from './server-pool.js' */

/** @typedef {'changeStream' | 'tailableCursor'} CheckoutKind what can keep its connection for as long as it likes */

/**
 * One use of a connection, from its caller's checkOutStarted on. Times are milliseconds of `performance.now()`, NaN until
 * they are known. As a Span, it is when it started.
 */
export class Checkout {
  checkedOutAtMs = NaN;
  checkedInAtMs = NaN;
  /** @type {Connection | null} */
  connection = null;
  /** Whether its operation failed, as far as the driver or the caller reports it. */
  hasFailed = false;
  /** Whether it ended, and for certain. Others that ended can turn out to be another caller's. */
  isOver = false;
  /** For subscribers to store what they know about the caller; the monitor only carries it. @type {unknown} */
  caller = null;

  // For the wait queue.
  /** The connection that is being opened for it. @type {Connection | null} */
  opening = null;
  /** No waiter started before. The driver may have paused between reading its clock and emitting its event. */
  sinceMs = 0;

  // For Checkouts.
  /** @type {RequestContext | null} */
  context = null;
  /** Of its request. @type {RequestName} */
  requestName = UNKNOWN;
  /** @type {Work | null} */
  work = null;
  /** @type {CheckoutName | null} */
  #name = null;
  /** The next one that its request has open. @type {Checkout | null} */
  nextOpen = null;
  /** How many connections of the pool its request had checked out when this wait began. */
  holds = 0;
  /** 0 until it has ended. */
  recordId = 0;
  /** Who had the connection before, if this one waited for it. @type {Checkout | null} */
  previous = null;

  /**
   * @param {ServerPool} pool
   * @param {Entry} entry of its start, or of the end of its wait
   * @param {boolean} wasSeen false if we only know it from its connection
   */
  constructor(pool, { atMs, fromMs, toMs }, wasSeen) {
    this.pool = pool;
    this.checkOutStartedAtMs = wasSeen ? atMs : toMs;
    this.fromMs = fromMs;
    this.toMs = toMs;
    this.wasSeen = wasSeen;
  }

  /** One object for all who waited behind it. */
  get name() {
    this.#name ??= this.work ? new OperationName(this.requestName, this.work) : this.requestName;
    return this.#name;
  }

  get server() {
    return this.pool.address;
  }
}
