import { Checkout } from './checkout.js';
import { Connections } from './connections.js';
import { exchangePlaces } from './exchange-places.js';
import { Lifetime } from './lifetime.js';
import { PoolEvents } from './pool-events.js';
import { WaitQueue } from './wait-queue.js';

/** @import { Connection } from './connections.js' */
/** @import { Entry } from './event-batch.js' */
/** @import { Watchers } from './pool-events.js' */
/** @import { Span } from './wait-queue.js' */

/** @typedef {{ max: number, min: number, maxConnecting: number, connectTimeoutMs: number }} Limits */

/** The driver closes a broken connection right after its checkedIn. Only listeners of the app can come between. */
const RIGHT_AFTER_MS = 5;

/**
 * A mirror of the driver's pool for one server, built from the driver's events.
 *
 * Two things happen in the driver without an event, and we infer them from what must follow:
 * - A caller aborts its checkout. Unless the caller reports it with `abort`, we drop it from the queue when a caller
 *   that started a millisecond later is served. We do not count it while the pool has room for it.
 * - The driver drops a connection that was being opened when the pool was cleared. We drop it when its waiter is
 *   refused, when the driver opens more than `maxConnecting`, or at the latest two connect timeouts after it began (one
 *   for the socket, one for the handshake).
 */
export class ServerPool {
  paused = false;
  isClosed = false;
  /** Whether the driver runs a checkout in its caller's async flow to the end: old ones do not. */
  isCallersFlow = false;
  lifetime = new Lifetime();
  /** Whether the server takes writes. */
  #isWritable = false;
  /** Whether anyone checked out a connection since the server last changed its type. */
  #isUsed = false;
  /** The last one, until the next one starts. @type {Checkout | null} */
  #checkedIn = null;
  #events;

  /**
   * @param {string} address
   * @param {string | null} clientName
   * @param {Limits} limits
   * @param {() => number} now
   * @param {Watchers} watchers
   */
  constructor(address, clientName, limits, now, watchers) {
    this.address = address;
    this.clientName = clientName;
    this.limits = limits;
    this.now = now;
    this.connections = new Connections();
    this.#events = new PoolEvents(address, watchers);
    this.queue = new WaitQueue(now());
  }

  /** Whether new queries go to this server. They do not go to an unread secondary or to a former primary. */
  get isServing() {
    return !this.isClosed && (this.#isWritable || this.#isUsed);
  }

  /** How many callers wait for a connection, including those a connection is being opened for. */
  get waiting() {
    return this.queue.assigned.size + (this.#hasRoom() ? 0 : this.queue.queued.length);
  }

  /** Those callers, the longest wait first. */
  waiters() {
    return [...this.queue.assigned.values(), ...(this.#hasRoom() ? [] : this.queue.queued)]
      .sort((a, b) => a.checkOutStartedAtMs - b.checkOutStartedAtMs);
  }

  /** @param {Entry} start */
  onCheckOutStarted(start) {
    const checkout = new Checkout(this, start, true);
    this.#isUsed = true;
    this.#checkedIn = null;
    this.queue.push(checkout);
    this.#notePeak();
    this.#events.follower?.onCheckOutStarted(checkout, start);
    this.#events.emit('checkOutStarted', start.atMs, checkout);
  }

  /** @param {number} id */
  onConnectionCreated(id) {
    this.dropAbandoned(this.connections.states.connecting >= this.limits.maxConnecting);
    this.queue.assign(this.connections.add(id, 'connecting', this.now()));
    this.#notePeak();
  }

  /**
   * @param {number} id
   * @param {number} driverMs the driver's own figure, used if we did not see the connection's creation
   */
  onConnectionReady(id, driverMs) {
    const atMs = this.now();
    const seen = this.connections.get(id);
    const connection = seen ?? this.connections.add(id, 'connecting', atMs);
    const durationMs = seen ? atMs - seen.sinceMs : driverMs;
    this.queue.unassign(connection);
    this.connections.enter(connection, connection.isOutdated ? 'stale' : 'idle', atMs);
    this.lifetime.connect.record(durationMs);
    this.#events.emit('connectionReady', atMs, null, connection, null, durationMs);
  }

  /** @param {Entry} entry its span is when the wait began */
  onCheckedOut(entry) {
    const { atMs, connectionId: id } = entry;
    const connection = this.connections.get(id) ?? this.connections.add(id, 'idle', atMs);
    const checkout = this.#takeNext(entry, atMs) ?? new Checkout(this, entry, false);
    // An aborted caller came before this one, so the connection being opened for this one now goes to the next.
    if (checkout.opening) this.queue.assign(checkout.opening);
    checkout.opening = null;
    this.connections.enter(connection, 'active', atMs);
    connection.checkout = checkout;
    checkout.connection = connection;
    checkout.checkedOutAtMs = atMs;
    const durationMs = atMs - checkout.checkOutStartedAtMs;
    this.#isUsed = true;
    this.lifetime.checkedOut += 1;
    this.lifetime.wait.record(durationMs);
    this.#notePeak();
    this.#events.emit('checkedOut', atMs, checkout, connection, null, durationMs);
  }

  /** @param {Entry} end */
  onCheckedIn(end) {
    const { atMs, connectionId: id } = end;
    const connection = this.connections.get(id) ?? this.connections.add(id, 'idle', atMs);
    this.#checkIn(connection, connection.checkout && this.#identify(connection.checkout, end), atMs);
  }

  /** @param {string} reason @param {Entry} end its span is when the wait began */
  onCheckOutFailed(reason, end) {
    const { atMs } = end;
    const isTimeout = reason === 'timeout';
    let checkout = isTimeout ? this.queue.takeTimedOut(end) : this.#takeNext(end, atMs);
    const opening = checkout?.opening;
    if (checkout) {
      checkout.opening = null;
      // The driver refuses all its callers in one turn. Only a timeout happens in the caller's own code.
      if (isTimeout) checkout = this.#identify(checkout, end);
      checkout.isOver = isTimeout;
    }
    // The driver refused the caller while opening its connection, so it has dropped that connection.
    if (opening && !isTimeout) this.#close(opening, 'abandoned');
    this.lifetime.checkOutFailed[reason] = (this.lifetime.checkOutFailed[reason] ?? 0) + 1;
    if (checkout) this.#events.follower?.onCheckOutFailed(checkout, reason, atMs);
    this.#events.emit('checkOutFailed', atMs, checkout, null, reason, atMs - (checkout?.checkOutStartedAtMs ?? end.toMs));
  }

  /** @param {number} id @param {string} reason */
  onConnectionClosed(id, reason) {
    const connection = this.connections.get(id);
    if (!connection) return;
    const last = this.#checkedIn;
    // One that breaks while it is idle is noticed later, mostly by the next checkout.
    if (reason === 'error' && last?.connection === connection && this.now() - last.checkedInAtMs < RIGHT_AFTER_MS) this.failOperation(last);
    this.queue.unassign(connection);
    this.#close(connection, reason);
  }

  /** The address already had a pool if the client lost that server, or was closed and connected again. */
  onPoolCreated() {
    this.onPoolClosed();
    this.isClosed = false;
  }

  /** While the pool was paused, the driver refused everyone in its queue at once. @param {Span} ready */
  onPoolReady(ready) {
    this.paused = false;
    this.#dropAborted(this.queue.removeBefore(ready));
  }

  /** @param {boolean} pauses false behind a load balancer, where a clear concerns a single service */
  onPoolCleared(pauses) {
    this.lifetime.cleared += 1;
    this.paused ||= pauses;
    this.connections.markUnconfirmed();
    if (!pauses) return;
    // The driver never hands these out again, but it closes them only at the next checkout, if ever.
    for (const connection of this.connections.values()) {
      if (connection.state === 'idle') this.#close(connection, 'stale');
      else if (connection.state === 'connecting') connection.isOutdated = true;
    }
  }

  /** The pool's last event. The driver does not report what becomes of its open checkouts and connections. */
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
    this.isClosed = true;
  }

  /** @param {number} id the connection that the failed command ran on */
  onCommandFailed(id) {
    const checkout = this.connections.get(id)?.checkout;
    if (checkout) this.failOperation(checkout);
  }

  /** @param {{ type: string }} before @param {{ type: string, isWritable: boolean }} now */
  onServerDescriptionChanged(before, now) {
    this.#isWritable = now.isWritable;
    if (before.type !== now.type) this.#isUsed = false;
  }

  /** The operation of a checkout failed, so its use is no service time. @param {Checkout} checkout */
  failOperation(checkout) {
    if (checkout.hasFailed) return;
    checkout.hasFailed = true;
    this.lifetime.operationsFailed += 1;
    this.#events.follower?.onOperationFailed(checkout);
    this.#events.emit('operationFailed', this.now(), checkout, checkout.connection);
  }

  /**
   * A caller stopped waiting and reports it. The driver has no event for that.
   * @param {Checkout} checkout ignored if it is not waiting
   */
  abort(checkout) {
    if (this.queue.remove(checkout)) this.#dropAborted([checkout]);
  }

  /**
   * Drops connections that the driver must have dropped since a clear.
   * @param {boolean} isOverLimit the driver opens another connection beyond its limit, so it must have dropped one
   */
  dropAbandoned(isOverLimit = false) {
    const abandonedBeforeMs = this.now() - 2 * this.limits.connectTimeoutMs;
    let excess = isOverLimit ? 1 : 0;
    for (const connection of this.connections.unconfirmed) {
      if (excess === 0 && connection.sinceMs >= abandonedBeforeMs) return;
      excess = 0;
      this.onConnectionClosed(connection.id, 'abandoned');
    }
  }

  /** @param {Connection} connection @param {Checkout | null} checkout which had it @param {number} atMs */
  #checkIn(connection, checkout, atMs) {
    connection.checkout = null;
    this.connections.enter(connection, 'idle', atMs);
    if (!checkout) return;
    checkout.checkedInAtMs = atMs;
    checkout.isOver = true;
    const durationMs = atMs - checkout.checkedOutAtMs;
    this.lifetime.use.record(durationMs);
    this.#checkedIn = checkout;
    this.#events.follower?.onCheckedIn(checkout);
    this.#events.emit('checkedIn', atMs, checkout, connection, null, durationMs);
  }

  /** @param {Span} started @param {number} atMs */
  #takeNext(started, atMs) {
    this.#dropAborted(this.queue.removeBefore(started), atMs);
    return this.queue.takeNext(started);
  }

  /** @param {readonly Checkout[]} checkouts that left the queue without an event @param {number} [atMs] */
  #dropAborted(checkouts, atMs = this.now()) {
    for (const checkout of checkouts) {
      this.#events.follower?.onCheckOutAborted(checkout, atMs);
      this.#events.emit('checkOutAborted', atMs, checkout);
    }
  }

  /** @param {Checkout} supposed from the order of the queue @param {Entry} end @returns {Checkout} which really ends */
  #identify(supposed, end) {
    const checkout = this.#events.follower?.identify(supposed, end) ?? supposed;
    if (checkout !== supposed) exchangePlaces(this, supposed, checkout);
    return checkout;
  }

  /**
   * Whether the driver would have served its queue by now. Then whoever is still in our queue was aborted. The driver
   * looks at its queue within a microtask of each change.
   */
  #hasRoom() {
    const { max, maxConnecting } = this.limits;
    const mayOpen = this.connections.states.connecting < maxConnecting && (max === 0 || this.connections.size < max);
    return this.paused || this.connections.states.idle > 0 || mayOpen;
  }

  /** @param {Connection} connection @param {string} reason */
  #close(connection, reason) {
    this.connections.close(connection, reason);
    this.#events.emit('connectionClosed', this.now(), null, connection, reason);
  }

  #notePeak() {
    const { lifetime, waiting } = this;
    const { active } = this.connections.states;
    if (active > lifetime.peakActive) lifetime.peakActive = active;
    if (waiting > lifetime.peakWaiting) lifetime.peakWaiting = waiting;
  }
}
