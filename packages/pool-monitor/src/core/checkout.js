import { OperationName, UNKNOWN } from './checkout-name.js';

/** @import { CheckoutName, RequestName } from './checkout-name.js' */
/** @import { Connection } from './connections.js' */
/** @import { BatchedEvent } from './event-batch.js' */
/** @import { RequestContext } from './request-context.js' */
/** @import { ServerPool } from './server-pool.js' */

/**
 * @typedef {'changeStream' | 'tailableCursor'} CheckoutKind of an operation that can keep its connection for as long as
 *   it likes
 *
 * @typedef {object} CheckoutPurpose what a checkout is for
 * @property {string | null} [operation] command and collection, such as `find users`
 * @property {CheckoutKind | null} [kind]
 * @property {number} [transaction] the same number for the operations of a transaction, counts from 1
 * @property {unknown} [errorCode] the server's, if an operation of a transaction has failed
 */

/** @type {readonly CheckoutName[]} */
const NOBODY = [];

/**
 * One use of a connection, from its caller's checkOutStarted on. Times are milliseconds of `performance.now()`, NaN
 * until they are known. `fromMs` and `toMs` are the StartInterval in which it started.
 */
export class Checkout {
  checkedOutAtMs = NaN;
  checkedInAtMs = NaN;
  /** @type {Connection | null} */
  connection = null;
  /** Whether its operation failed, as far as the driver or the caller reports it. */
  hasFailed = false;
  /** Whether nobody had used its connection before, as far as its opening was seen. Known when it ends, as the next. */
  isFresh = false;
  /** How much of its wait was the opening of the connection that it got. */
  openingMs = 0;
  /** Whether it ended, and for certain. Others that ended can turn out to be another caller's. */
  isOver = false;
  /** What a subscriber captured or knows about the caller; the monitor only carries it. @type {unknown} */
  caller = null;

  // For the wait queue.
  /** The connection that is being opened for it. @type {Connection | null} */
  opening = null;
  /** It can't have started before this. The driver may have paused between reading its clock and emitting its event. */
  sinceMs = 0;

  // For Checkouts.
  /** @type {RequestContext | null} */
  context = null;
  /** The name of its request. @type {RequestName} */
  requestName = UNKNOWN;
  /** @type {CheckoutPurpose | null} */
  purpose = null;
  /** @type {CheckoutName | null} */
  #name = null;
  /** The next checkout that its request has open. @type {Checkout | null} */
  nextOpen = null;
  /** How many connections of the pool its request had checked out when this wait began. */
  holds = 0;
  /** Who had the pool's connections then, if none was free, the longest first. @type {readonly CheckoutName[]} */
  heldBy = NOBODY;
  /** When its wait ended without a connection, if its request counts that. */
  gaveUpAtMs = NaN;
  /** 0 until it has ended. */
  recordId = 0;
  /** Who had the connection before, if this one waited for it. @type {Checkout | null} */
  previous = null;

  /**
   * @param {ServerPool} pool
   * @param {BatchedEvent} event its start, or the end of its wait
   * @param {boolean} wasSeen false if it is only known from its connection
   */
  constructor(pool, { atMs, fromMs, toMs }, wasSeen) {
    this.pool = pool;
    this.checkOutStartedAtMs = wasSeen ? atMs : toMs;
    this.fromMs = fromMs;
    this.toMs = toMs;
    this.wasSeen = wasSeen;
  }

  /** One object for every checkout that waited behind it. */
  get name() {
    if (!this.purpose) return this.requestName;
    this.#name ??= new OperationName(this.requestName, this.purpose);
    return this.#name;
  }
}

/**
 * Corrects which checkout was linked to which connection. A checkout ends in its caller's own code. If that caller was
 * linked to another connection, or to a place in the queue, or was given up, it exchanges places with the checkout that
 * was inferred.
 *
 * @param {ServerPool} pool
 * @param {Checkout} inferred the one that ends according to the order of the queue
 * @param {Checkout} real the one that ends
 */
export function exchangePlaces(pool, inferred, real) {
  const { connection, checkedOutAtMs, hasFailed } = real;
  takePlace(real, inferred);
  if (connection === null) {
    if (inferred.wasSeen) pool.queue.replace(real, inferred);
    // Nobody waits there. It was not known who got the connection, and it was this one.
    else pool.queue.remove(real);
  }
  takePlace(inferred, { connection, checkedOutAtMs, hasFailed });
}

/** @param {Checkout} checkout @param {Pick<Checkout, 'connection' | 'checkedOutAtMs' | 'hasFailed'>} place */
function takePlace(checkout, { connection, checkedOutAtMs, hasFailed }) {
  checkout.connection = connection;
  checkout.checkedOutAtMs = checkedOutAtMs;
  checkout.hasFailed = hasFailed;
  if (connection) connection.checkout = checkout;
}
