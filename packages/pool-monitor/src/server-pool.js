import { Connections } from './connections.js';
import { Lifetime } from './lifetime.js';
import { PoolEvents } from './pool-events.js';
import { WaitQueue } from './wait-queue.js';

/** @import { Connection } from './connections.js' */
/** @import { Checkout, PoolListener } from './pool-events.js' */
/** @import { Span } from './wait-queue.js' */

/** @typedef {{ max: number, min: number, maxConnecting: number, connectTimeoutMs: number }} Limits */

/**
 * A mirror of the driver's pool for one server, built from the driver's events.
 *
 * Two things happen in the driver without an event, and we infer them from what must follow:
 * - A caller aborts its checkout. Unless the caller reports it with `abort`, we drop it from the queue when a caller
 *   that started a millisecond later is served. We do not count it while the pool has room for it. So it counts about as
 *   long as it would have waited.
 * - The driver drops a connection that was being opened when the pool was cleared. We drop it when its waiter is
 *   refused, when the driver opens more than `maxConnecting`, or at the latest two connect timeouts after it began (one
 *   for the socket, one for the handshake).
 */
export class ServerPool {
  paused = false;
  isClosed = false;
  lifetime = new Lifetime();
  /** Whether the server takes writes. */
  #isWritable = false;
  /** Whether anyone checked out a connection since the server last changed its type. */
  #isUsed = false;
  /** Only within the turn of its checkedIn. @type {Checkout | null} */
  #justCheckedIn = null;
  #events;

  /** @param {string} address @param {Limits} limits @param {() => number} now @param {Set<PoolListener>} listeners */
  constructor(address, limits, now, listeners) {
    this.address = address;
    this.limits = limits;
    this.now = now;
    this.connections = new Connections(now);
    this.#events = new PoolEvents(address, now, listeners);
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
      .map(({ checkout }) => checkout)
      .sort((a, b) => a.checkOutStartedAtMs - b.checkOutStartedAtMs);
  }

  /** @param {Span} started */
  onCheckOutStarted(started) {
    const checkout = this.#newCheckout(this.now());
    this.#isUsed = true;
    this.queue.push(checkout, started);
    this.#notePeak();
    this.#events.emit('checkOutStarted', { checkout });
  }

  /** @param {number} id */
  onConnectionCreated(id) {
    this.dropAbandoned(this.connections.states.connecting >= this.limits.maxConnecting);
    this.queue.assign(this.connections.add(id, 'connecting'));
    this.#notePeak();
  }

  /**
   * @param {number} id
   * @param {number} driverMs the driver's own figure, used if we did not see the connection's creation
   */
  onConnectionReady(id, driverMs) {
    const seen = this.connections.get(id);
    const connection = seen ?? this.connections.add(id, 'connecting');
    const durationMs = seen ? this.now() - seen.sinceMs : driverMs;
    this.queue.unassign(connection);
    this.connections.enter(connection, connection.isOutdated ? 'stale' : 'idle');
    this.lifetime.connect.record(durationMs);
    this.#events.emit('connectionReady', { connection, durationMs });
  }

  /** @param {number} id @param {Span} started when the wait began, according to the driver's duration */
  onCheckedOut(id, started) {
    const connection = this.connections.get(id) ?? this.connections.add(id, 'idle');
    const { checkout: waiter, connection: assigned } = this.#takeNext(started);
    // An aborted caller came before this one, so the connection being opened for this one now goes to the next.
    if (assigned) this.queue.assign(assigned);
    const checkout = waiter ?? this.#newCheckout(started.toMs);
    this.connections.enter(connection, 'active');
    connection.checkout = checkout;
    checkout.connection = connection;
    checkout.checkedOutAtMs = connection.sinceMs;
    const durationMs = checkout.checkedOutAtMs - checkout.checkOutStartedAtMs;
    this.#isUsed = true;
    this.lifetime.checkedOut += 1;
    this.lifetime.wait.record(durationMs);
    this.#notePeak();
    this.#events.emit('checkedOut', { checkout, connection, durationMs });
  }

  /** @param {number} id */
  onCheckedIn(id) {
    const connection = this.connections.get(id) ?? this.connections.add(id, 'idle');
    const { checkout } = connection;
    connection.checkout = null;
    this.connections.enter(connection, 'idle');
    if (!checkout) return;
    checkout.checkedInAtMs = connection.sinceMs;
    const durationMs = checkout.checkedInAtMs - checkout.checkedOutAtMs;
    this.lifetime.use.record(durationMs);
    this.#justCheckedIn = checkout;
    queueMicrotask(() => {
      if (this.#justCheckedIn === checkout) this.#justCheckedIn = null;
    });
    this.#events.emit('checkedIn', { checkout, connection, durationMs });
  }

  /** @param {string} reason @param {Span} started */
  onCheckOutFailed(reason, started) {
    const isTimeout = reason === 'timeout';
    const { checkout, connection } = isTimeout ? this.queue.takeTimedOut(started) : this.#takeNext(started);
    // The driver refused the caller while opening its connection, so it has dropped that connection.
    if (connection && !isTimeout) this.#close(connection, 'abandoned');
    this.lifetime.checkOutFailed[reason] = (this.lifetime.checkOutFailed[reason] ?? 0) + 1;
    this.#events.emit('checkOutFailed', {
      checkout, reason, durationMs: this.now() - (checkout?.checkOutStartedAtMs ?? started.toMs),
    });
  }

  /** @param {number} id @param {string} reason */
  onConnectionClosed(id, reason) {
    const connection = this.connections.get(id);
    if (!connection) return;
    // The driver closes a broken connection in the same turn as its checkedIn. It notices a broken idle one later.
    if (reason === 'error' && this.#justCheckedIn?.connection === connection) this.failOperation(this.#justCheckedIn);
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
    for (const checkout of this.queue.removeBefore(ready)) this.#events.emit('checkOutAborted', { checkout });
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
        this.onCheckedIn(connection.id);
      }
      this.onConnectionClosed(connection.id, 'poolClosed');
    }
    for (const { checkout } of this.queue.queued.splice(0)) this.#events.emit('checkOutAborted', { checkout });
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
    this.#events.emit('operationFailed', { checkout, connection: checkout.connection });
  }

  /**
   * A caller stopped waiting and reports it. The driver has no event for that.
   * @param {Checkout} checkout ignored if it is not waiting
   */
  abort(checkout) {
    if (this.queue.remove(checkout)) this.#events.emit('checkOutAborted', { checkout });
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

  /** @param {Span} started */
  #takeNext(started) {
    const { aborted, ...next } = this.queue.takeNext(started);
    for (const checkout of aborted) this.#events.emit('checkOutAborted', { checkout });
    return next;
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

  /** @param {number} checkOutStartedAtMs @returns {Checkout} */
  #newCheckout(checkOutStartedAtMs) {
    return {
      server: this.address, checkOutStartedAtMs, checkedOutAtMs: NaN, checkedInAtMs: NaN, connection: null,
      hasFailed: false, caller: null,
    };
  }

  /** @param {Connection} connection @param {string} reason */
  #close(connection, reason) {
    this.connections.close(connection, reason);
    this.#events.emit('connectionClosed', { connection, reason });
  }

  #notePeak() {
    const { lifetime } = this;
    lifetime.peakActive = Math.max(lifetime.peakActive, this.connections.states.active);
    lifetime.peakWaiting = Math.max(lifetime.peakWaiting, this.waiting);
  }
}
