import { Abandoned } from './abandoned.js';
import { Checkout, exchangePlaces } from './checkout.js';
import { Connections } from './connections.js';
import { Lifetime } from './lifetime.js';
import { PoolEvents } from './pool-events.js';
import { WaitQueue } from './wait-queue.js';

/** @import { Connection } from './connections.js' */
/** @import { BatchedEvent } from './event-batch.js' */
/** @import { Subscribers } from './pool-events.js' */
/** @import { StartInterval } from './wait-queue.js' */

/** @typedef {{ max: number, min: number, maxConnecting: number, connectTimeoutMs: number }} PoolLimits */

/** The driver closes a broken connection right after its checkedIn. Only listeners of the app can come between. */
const RIGHT_AFTER_MS = 5;
/** By the driver's type of a server. @type {Record<string, 'primary' | 'secondary'>} */
const ROLES = { RSPrimary: 'primary', RSSecondary: 'secondary' };

/**
 * A mirror of the driver's pool for one server, built from the driver's events.
 *
 * Two things happen in the driver without an event, and are inferred from what must follow:
 * - A caller aborts its checkout. Unless the caller reports it with `abort`, it leaves the queue when a caller that
 *   started a millisecond later is served. It does not count while the pool has room for it.
 * - The driver drops a connection that was being opened when the pool was cleared: see Abandoned.
 */
export class ServerPool {
  paused = false;
  isClosed = false;
  /** Whether the driver runs a checkout in its caller's async flow to the end. Old drivers do not. */
  isCallersFlow = false;
  lifetime = new Lifetime();
  /** What the driver dropped at a clear. */
  abandoned = new Abandoned(this, (connection) => this.#close(connection, 'abandoned'));
  /** The driver's type of the server. */
  #type = 'Unknown';
  /** Whether the server takes writes. */
  #isWritable = false;
  /** Why the driver lost the server, if it did. It says so right before it clears the pool. @type {string | null} */
  #serverError = null;
  /** Whether anyone checked out a connection since the server last changed its type. */
  #isUsed = false;
  /** The last checkout, until the next one starts. @type {Checkout | null} */
  #checkedIn = null;
  /** The driver's number of the newest connection when the pool was cleared: it gives none up to it to anybody else. */
  #outdatedUpTo = 0;
  /** Whether the driver has not looked at its queue since a connection could not be opened for minPoolSize. */
  #isQueueForgotten = false;
  /**
   * The waiter of a connection that was just opened, or could not be. The next event serves or refuses it.
   * @type {{ waiter: Checkout, connection: Connection } | null}
   */
  #due = null;
  /** Whether a checkout may be in the queue that knows nobody it waits behind. */
  #mayLackHolders = false;
  #events;

  /**
   * @param {string} address
   * @param {string | null} clientName
   * @param {PoolLimits} limits
   * @param {() => number} now
   * @param {Subscribers} subscribers
   */
  constructor(address, clientName, limits, now, subscribers) {
    this.address = address;
    /** What records keep of a pool. */
    this.identity = { pool: clientName, server: address };
    this.limits = limits;
    this.now = now;
    this.connections = new Connections();
    this.#events = new PoolEvents(this.identity, subscribers);
    this.queue = new WaitQueue(now());
  }

  /** Whether new queries go to this server. They do not go to an unread secondary or to a former primary. */
  get isServing() {
    return !this.isClosed && (this.#isWritable || this.#isUsed);
  }

  /** What the server is in its replica set. @returns {'primary' | 'secondary' | null} null if it is in none */
  get role() {
    return ROLES[this.#type] ?? null;
  }

  /**
   * Whether the driver would have served its queue by now. If so, callers that are still in our queue were aborted. The
   * driver looks at its queue within a microtask of each change, but for one: see #isQueueForgotten.
   */
  get hasRoom() {
    if (this.#isQueueForgotten) return false;
    const { max, maxConnecting } = this.limits;
    const mayOpen = this.connections.states.connecting < maxConnecting && (max === 0 || this.connections.size < max);
    return this.paused || this.connections.states.idle > 0 || mayOpen;
  }

  /** How many callers wait for a connection, including those a connection is being opened for. */
  get waiting() {
    return this.queue.assigned.size + (this.hasRoom ? 0 : this.queue.queued.length);
  }

  /** Lists those callers, the longest wait first. */
  waiters() {
    return [...this.queue.assigned.values(), ...(this.hasRoom ? [] : this.queue.queued)].sort(
      (a, b) => a.checkOutStartedAtMs - b.checkOutStartedAtMs,
    );
  }

  /** @param {BatchedEvent} start */
  onCheckOutStarted(start) {
    this.#beginTurn();
    const checkout = new Checkout(this, start, true);
    checkout.caller = start.caller;
    this.#isUsed = true;
    this.#checkedIn = null;
    this.queue.push(checkout);
    this.#notePeakWaiting();
    this.#events.tracker?.onCheckOutStarted(checkout, start);
    this.#mayLackHolders ||= checkout.heldBy.length === 0;
    this.#events.emit('checkOutStarted', start.atMs, checkout);
  }

  /** @param {number} id */
  onConnectionCreated(id) {
    this.#dropDue();
    this.abandoned.dropExcess();
    const atMs = this.now();
    const connection = this.connections.add(id, 'connecting', atMs, atMs);
    connection.isSpare = this.#isQueueForgotten || this.queue.queued.length === 0;
    if (!connection.isSpare) this.queue.assign(connection);
    this.#notePeakWaiting();
  }

  /**
   * @param {number} id
   * @param {number} driverMs the driver's own figure, used if the connection's creation was not seen
   */
  onConnectionReady(id, driverMs) {
    const atMs = this.now();
    this.#beginTurn();
    this.abandoned.recover(id);
    const seen = this.connections.get(id);
    const connection = seen ?? this.connections.add(id, 'connecting', atMs, atMs - driverMs);
    const durationMs = seen ? atMs - seen.sinceMs : driverMs;
    connection.readyAtMs = atMs;
    this.#expectWaiter(connection);
    this.connections.enter(connection, id <= this.#outdatedUpTo ? 'stale' : 'idle', atMs);
    this.lifetime.connect.record(durationMs);
    this.#events.emitRare('connectionReady', atMs, connection, null, durationMs);
  }

  /** @param {BatchedEvent} served its interval is when the wait began */
  onCheckedOut(served) {
    const { atMs, connectionId: id } = served;
    if (this.#due?.connection.id !== id) this.#beginTurn();
    const connection = this.connections.get(id) ?? this.connections.add(id, 'idle', atMs);
    const started = this.#takeNext(served, atMs);
    this.#due = null;
    // A caller that waited since before an election does not mean that new queries go here.
    if (!started) this.#isUsed = true;
    const checkout = started ?? new Checkout(this, served, false);
    // An aborted caller came before this one, so the connection being opened for this one now goes to the next.
    if (checkout.opening) this.queue.assign(checkout.opening);
    checkout.opening = null;
    this.connections.enter(connection, 'active', atMs);
    connection.uses += 1;
    connection.checkout = checkout;
    checkout.connection = connection;
    checkout.checkedOutAtMs = atMs;
    const durationMs = atMs - checkout.checkOutStartedAtMs;
    this.lifetime.checkedOut += 1;
    this.lifetime.wait.record(durationMs);
    const { active } = this.connections.states;
    if (active > this.lifetime.peakActive) this.lifetime.peakActive = active;
    // Others of the same tick may have counted on this connection.
    if (this.queue.queued.length > 0) this.#notePeakWaiting();
    if (this.#mayLackHolders) this.#addHolders();
    this.#events.emit('checkedOut', atMs, checkout, connection, null, durationMs);
  }

  /** @param {BatchedEvent} end */
  onCheckedIn(end) {
    const { atMs, connectionId: id } = end;
    this.#beginTurn();
    const connection = this.connections.get(id) ?? this.connections.add(id, 'idle', atMs);
    this.#checkIn(connection, connection.checkout && this.#identify(connection.checkout, end), atMs, end.isCounted);
  }

  /** @param {string} reason @param {BatchedEvent} end its interval is when the wait began */
  onCheckOutFailed(reason, end) {
    const { atMs } = end;
    const isTimeout = reason === 'timeout';
    if (isTimeout) this.#dropDue();
    this.#isQueueForgotten &&= isTimeout;
    let checkout = isTimeout ? this.queue.takeTimedOut(end) : this.#takeRefused(end, atMs);
    this.#due = null;
    const opening = checkout?.opening;
    if (checkout) {
      checkout.opening = null;
      // The driver refuses all its callers in one turn. Only a timeout happens in the caller's own code.
      if (isTimeout) checkout = this.#identify(checkout, end);
      checkout.isOver = isTimeout;
    }
    // The driver refused the caller while opening its connection, so it has dropped that connection. If others started
    // in the same millisecond, it may have been one of theirs.
    if (opening && !isTimeout) this.abandoned.drop(opening, this.queue.listOpening(end));
    this.lifetime.checkOutFailed[reason] = (this.lifetime.checkOutFailed[reason] ?? 0) + 1;
    if (checkout) this.#events.tracker?.onCheckOutFailed(checkout, reason, atMs);
    this.#events.emit(
      'checkOutFailed',
      atMs,
      checkout,
      null,
      reason,
      atMs - (checkout?.checkOutStartedAtMs ?? end.toMs),
    );
  }

  /** @param {number} id @param {string} reason */
  onConnectionClosed(id, reason) {
    this.#dropDue();
    this.abandoned.recover(id);
    const connection = this.connections.get(id);
    if (!connection) return;
    const last = this.#checkedIn;
    // A connection that breaks while it is idle is noticed later, usually by the next checkout.
    if (reason === 'error' && last?.connection === connection && this.now() - last.checkedInAtMs < RIGHT_AFTER_MS)
      this.failOperation(last);
    this.#expectWaiter(connection);
    if (connection.state === 'connecting') this.#isQueueForgotten = connection.isSpare && !this.paused;
    this.#close(connection, reason);
  }

  /**
   * Starts afresh: the address already had a pool if the client lost that server, or was closed and connected again.
   */
  onPoolCreated() {
    this.onPoolClosed();
    this.connections.newestId = 0;
    this.#outdatedUpTo = 0;
    this.isClosed = false;
  }

  /**
   * Drops the waiters from before: while the pool was paused, the driver refused its whole queue.
   * @param {StartInterval} ready
   */
  onPoolReady(ready) {
    this.paused = false;
    this.#dropAborted(this.queue.removeBefore(ready));
  }

  /** @param {boolean} pauses false behind a load balancer, where a clear concerns a single service */
  onPoolCleared(pauses) {
    this.#beginTurn();
    this.lifetime.cleared += 1;
    this.#events.emitRare('poolCleared', this.now(), null, this.#serverError);
    if (!pauses) return;
    this.paused = true;
    this.abandoned.begin();
    // The driver never hands these out again, but it closes them only at the next checkout, if ever.
    this.#outdatedUpTo = this.connections.newestId;
    for (const connection of this.connections.values())
      if (connection.state === 'idle') this.#close(connection, 'stale');
  }

  /** Ends all. After this event, the driver does not report what becomes of open checkouts and connections. */
  onPoolClosed() {
    this.paused = true;
    for (const connection of this.connections.values()) {
      if (connection.checkout) {
        this.failOperation(connection.checkout);
        this.#checkIn(connection, connection.checkout, this.now());
      }
      this.onConnectionClosed(connection.id, 'poolClosed');
    }
    this.#dropAborted(this.queue.queued.splice(0));
    this.#due = null;
    this.isClosed = true;
  }

  /** @param {number} id the connection that the command runs on @param {number} transaction */
  onTransaction(id, transaction) {
    const checkout = this.connections.get(id)?.checkout;
    if (checkout && !checkout.purpose?.transaction) checkout.purpose = { ...checkout.purpose, transaction };
  }

  /** @param {number} id the connection that the failed command ran on @param {any} error */
  onCommandFailed(id, error) {
    const checkout = this.connections.get(id)?.checkout;
    if (!checkout) return;
    if (checkout.purpose?.transaction) checkout.purpose.errorCode = error?.code;
    this.failOperation(checkout);
  }

  /** @param {{ type: string }} before @param {{ type: string, isWritable: boolean, error?: Error | null }} now */
  onServerDescriptionChanged(before, now) {
    this.#type = now.type;
    this.#isWritable = now.isWritable;
    this.#serverError = now.error ? describeError(now.error) : null;
    if (before.type !== now.type) this.#isUsed = false;
  }

  /** Records that the operation of a checkout failed, so its use is no service time. @param {Checkout} checkout */
  failOperation(checkout) {
    if (checkout.hasFailed) return;
    checkout.hasFailed = true;
    this.lifetime.operationsFailed += 1;
    this.#events.tracker?.onOperationFailed(checkout);
    this.#events.emit('operationFailed', this.now(), checkout, checkout.connection);
  }

  /**
   * Records that a caller stopped waiting. The driver has no event for that.
   * @param {Checkout} checkout ignored if it is not waiting
   */
  abort(checkout) {
    if (this.queue.remove(checkout)) this.#dropAborted([checkout]);
  }

  /**
   * Tells the last waiters who has the connections. When they asked for one in the same tick as the holders, all still
   * looked free.
   */
  #addHolders() {
    const { queued } = this.queue;
    if (queued.length > 0 && (this.hasRoom || this.connections.states.connecting > 0)) return;
    this.#mayLackHolders = false;
    for (let index = queued.length - 1; index >= 0 && queued[index].heldBy.length === 0; index -= 1)
      this.#events.tracker?.onLeftWaiting(queued[index]);
  }

  /**
   * @param {Connection} connection
   * @param {Checkout | null} checkout its holder
   * @param {number} atMs
   * @param {boolean} [isCounted] see CallerTracker
   */
  #checkIn(connection, checkout, atMs, isCounted = false) {
    connection.checkout = null;
    this.connections.enter(connection, 'idle', atMs);
    if (!checkout) return;
    checkout.checkedInAtMs = atMs;
    checkout.isOver = true;
    if (connection.uses === 1) this.#noteFirstUse(connection, checkout);
    const durationMs = atMs - checkout.checkedOutAtMs;
    this.lifetime.use.record(durationMs);
    this.#checkedIn = checkout;
    this.#events.tracker?.onCheckedIn(checkout, isCounted);
    this.#events.emit('checkedIn', atMs, checkout, connection, null, durationMs);
  }

  /** @param {Connection} connection @param {Checkout} checkout */
  #noteFirstUse({ createdAtMs, readyAtMs }, checkout) {
    const { checkOutStartedAtMs } = checkout;
    checkout.isFresh = !Number.isNaN(readyAtMs);
    if (readyAtMs > checkOutStartedAtMs) checkout.openingMs = readyAtMs - Math.max(createdAtMs, checkOutStartedAtMs);
  }

  /** The driver has looked at its queue, or is about to. */
  #beginTurn() {
    this.#isQueueForgotten = false;
    this.#dropDue();
  }

  /** @param {Connection} connection that was opened, or could not be */
  #expectWaiter(connection) {
    const waiter = this.queue.unassign(connection);
    this.#due = waiter && { waiter, connection };
  }

  /** The driver passed over a waiter that was due, so it was aborted. */
  #dropDue() {
    if (this.#due) this.abort(this.#due.waiter);
    this.#due = null;
  }

  /** @param {StartInterval} started @param {number} atMs */
  #takeNext(started, atMs) {
    this.#dropAborted(this.queue.removeBefore(started), atMs);
    return this.queue.takeNext(started);
  }

  /**
   * Takes the caller that the driver refused. If its connection was dropped, that often happens in its own code.
   * @param {BatchedEvent} end
   * @param {number} atMs
   */
  #takeRefused(end, atMs) {
    const caller = this.#events.tracker?.callerOf(end) ?? null;
    return this.queue.takeOpening(end, caller) ?? this.#takeNext(end, atMs);
  }

  /** @param {readonly Checkout[]} checkouts that left the queue without an event @param {number} [atMs] */
  #dropAborted(checkouts, atMs = this.now()) {
    for (const checkout of checkouts) {
      this.#events.tracker?.onCheckOutAborted(checkout, atMs);
      this.#events.emit('checkOutAborted', atMs, checkout);
    }
  }

  /**
   * @param {Checkout} inferred from the order of the queue
   * @param {BatchedEvent} end
   * @returns {Checkout} the one that really ends
   */
  #identify(inferred, end) {
    const checkout = this.#events.tracker?.identify(inferred, end) ?? inferred;
    if (checkout !== inferred) exchangePlaces(this, inferred, checkout);
    return checkout;
  }

  /** @param {Connection} connection @param {string} reason */
  #close(connection, reason) {
    const atMs = this.now();
    this.connections.close(connection, reason);
    this.#events.emitRare('connectionClosed', atMs, connection, reason, atMs - connection.createdAtMs);
  }

  #notePeakWaiting() {
    const { lifetime, waiting } = this;
    if (waiting > lifetime.peakWaiting) lifetime.peakWaiting = waiting;
  }
}

/** Connection strings in messages may have a password. */
const CREDENTIALS = /\/\/[^/\s]*@/g;
const MAX_MESSAGE = 200;

/** @param {Error} error */
function describeError({ name, message }) {
  return `${name}: ${message}`.replaceAll(CREDENTIALS, '//').slice(0, MAX_MESSAGE);
}
