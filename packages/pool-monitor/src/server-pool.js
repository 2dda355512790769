import { Connections } from './connections.js';
import { Durations } from './durations.js';
import { WaitQueue } from './wait-queue.js';

/**
 * One use of a connection, from the question to the return. Times are milliseconds of `performance.now()`; NaN
 * until they have come.
 * @typedef {object} Checkout
 * @property {string} server host:port
 * @property {number} checkOutStartedAtMs
 * @property {number} checkedOutAtMs
 * @property {number} checkedInAtMs
 * @property {Connection | null} connection null until it has one
 * @property {boolean} hasFailed whether what it was used for has failed, as far as the driver or its caller tells
 * @property {unknown} ask what a subscriber keeps about it; the monitor only carries it
 */

/**
 * What a subscriber hears. `durationMs` is the wait of got and failed, the use of returned, the connect time of
 * opened, else NaN; `reason` comes with failed and closed. `operationFailed` comes before `returned` or right after.
 * @typedef {'asked' | 'got' | 'failed' | 'gone' | 'returned' | 'operationFailed' | 'opened' | 'closed'} PoolEventType
 * @typedef {{ type: PoolEventType, atMs: number, server: string, checkout: Checkout | null,
 *   connection: Connection | null, reason: string | null, durationMs: number }} PoolEvent
 * @typedef {(event: PoolEvent) => void} PoolListener
 */

/** @typedef {import('./connections.js').Connection} Connection */
/** @typedef {import('./wait-queue.js').Span} Span */
/** @typedef {{ max: number, min: number, maxConnecting: number, connectTimeoutMs: number }} Limits */

/**
 * The mirror of the driver's pool for one server, kept from its events.
 *
 * Two things happen in the driver without an event, and are inferred from what must follow:
 * - A waiter whose AbortSignal fired has left. Unless its caller tells of it by `leave`, it is dropped when one that
 *   asked a millisecond later is served, and not counted while the pool has room for it: so it is counted about as long
 *   as it would have waited.
 * - A connection that was being opened when the pool was cleared may be thrown away. It is dropped when its waiter
 *   is refused, when the driver opens more than `maxConnecting`, or at the latest two connect timeouts after it
 *   began (one for the socket, one for the handshake).
 */
export class ServerPool {
  paused = false;
  isClosed = false;
  /** Whether its server takes writes. */
  isWritable = false;
  /** Whether a connection to its server, as what that is now, was ever asked for. */
  isUsed = false;
  peak = { active: 0, waiting: 0 };

  checkedOut = 0;
  operationsFailed = 0;
  cleared = 0;
  /** @type {Record<string, number>} */
  checkOutFailed = {};
  wait = new Durations();
  use = new Durations();
  connect = new Durations();
  /** Within the turn in which it was returned. @type {Checkout | null} */
  #justReturned = null;

  /**
   * @param {string} address
   * @param {Limits} limits
   * @param {() => number} now
   * @param {Set<PoolListener>} listeners
   */
  constructor(address, limits, now, listeners) {
    this.address = address;
    this.limits = limits;
    this.now = now;
    this.listeners = listeners;
    this.connections = new Connections(now);
    this.queue = new WaitQueue(now());
  }

  /** Whether new queries go to its server: not to a secondary that nobody reads from, nor to a primary that was. */
  get isServing() {
    return !this.isClosed && (this.isWritable || this.isUsed);
  }

  /** Callers that wait for a connection, whether one is being opened for them or not. */
  get waiting() {
    return this.queue.bound.size + (this.#hasRoom() ? 0 : this.queue.standing.length);
  }

  /** Those callers, longest wait first. */
  waiters() {
    return [...this.queue.bound.values(), ...(this.#hasRoom() ? [] : this.queue.standing)]
      .map(({ checkout }) => checkout)
      .sort((a, b) => a.checkOutStartedAtMs - b.checkOutStartedAtMs);
  }

  /** @param {Span} asked */
  asked(asked) {
    const checkout = this.#newCheckout(this.now());
    this.isUsed = true;
    this.queue.push(checkout, asked);
    this.#notePeak();
    this.#tell('asked', { checkout });
  }

  /** @param {number} id */
  opens(id) {
    this.dropOrphans(this.connections.states.connecting >= this.limits.maxConnecting);
    this.queue.bind(this.connections.add(id, 'connecting'));
    this.#notePeak();
  }

  /**
   * @param {number} id
   * @param {number} driverMs the driver's own measure, for a connection whose beginning was not seen
   */
  opened(id, driverMs) {
    const seen = this.connections.get(id);
    const connection = seen ?? this.connections.add(id, 'connecting');
    const durationMs = seen ? this.now() - seen.sinceMs : driverMs;
    this.queue.unbind(connection);
    this.connections.enter(connection, connection.isOutdated ? 'stale' : 'idle');
    this.connect.record(durationMs);
    this.#tell('opened', { connection, durationMs });
  }

  /**
   * @param {number} id
   * @param {Span} asked when its waiter asked, as the driver's duration implies
   */
  got(id, asked) {
    const connection = this.connections.get(id) ?? this.connections.add(id, 'idle');
    const { checkout: waiter, connection: itsOwn } = this.#call(asked);
    // A waiter bound to another connection: with an aborted one before it, that one is for the next in the queue.
    if (itsOwn) this.queue.bind(itsOwn);
    const checkout = waiter ?? this.#newCheckout(asked.toMs);
    this.connections.enter(connection, 'active');
    connection.checkout = checkout;
    checkout.connection = connection;
    checkout.checkedOutAtMs = connection.sinceMs;
    const durationMs = checkout.checkedOutAtMs - checkout.checkOutStartedAtMs;
    this.isUsed = true;
    this.checkedOut += 1;
    this.wait.record(durationMs);
    this.#notePeak();
    this.#tell('got', { checkout, connection, durationMs });
  }

  /** @param {number} id */
  returned(id) {
    const connection = this.connections.get(id) ?? this.connections.add(id, 'idle');
    const { checkout } = connection;
    connection.checkout = null;
    this.connections.enter(connection, 'idle');
    if (!checkout) return;
    checkout.checkedInAtMs = connection.sinceMs;
    const durationMs = checkout.checkedInAtMs - checkout.checkedOutAtMs;
    this.use.record(durationMs);
    this.#justReturned = checkout;
    queueMicrotask(() => {
      if (this.#justReturned === checkout) this.#justReturned = null;
    });
    this.#tell('returned', { checkout, connection, durationMs });
  }

  /**
   * What a connection was used for has failed, so how long it was used says nothing of how long that takes.
   * @param {Checkout} checkout
   */
  failOperation(checkout) {
    if (checkout.hasFailed) return;
    checkout.hasFailed = true;
    this.operationsFailed += 1;
    this.#tell('operationFailed', { checkout, connection: checkout.connection });
  }

  /** The same, known by the connection that is in use. @param {number} id */
  failOperationOn(id) {
    const checkout = this.connections.get(id)?.checkout;
    if (checkout) this.failOperation(checkout);
  }

  /**
   * @param {string} reason
   * @param {Span} asked
   */
  failed(reason, asked) {
    const gaveUp = reason === 'timeout';
    const { checkout, connection } = gaveUp ? this.queue.giveUp(asked) : this.#call(asked);
    // Refused while its connection was still being opened: the driver has thrown that connection away.
    if (connection && !gaveUp) this.#close(connection, 'abandoned');
    this.checkOutFailed[reason] = (this.checkOutFailed[reason] ?? 0) + 1;
    this.#tell('failed', { checkout, reason, durationMs: this.now() - (checkout?.checkOutStartedAtMs ?? asked.toMs) });
  }

  /**
   * A caller has given up, and says so itself; the driver does not.
   * @param {Checkout} checkout nothing happens if it does not wait
   */
  leave(checkout) {
    if (this.queue.leave(checkout)) this.#tell('gone', { checkout });
  }

  /**
   * @param {number} id
   * @param {string} reason
   */
  closes(id, reason) {
    const connection = this.connections.get(id);
    if (!connection) return;
    // The driver closes a broken connection in the breath in which it takes it back; an idle one it finds out later.
    if (reason === 'error' && this.#justReturned?.connection === connection) this.failOperation(this.#justReturned);
    this.queue.unbind(connection);
    this.#close(connection, reason);
  }

  /** @param {boolean} pauses not so behind a load balancer, where a clear concerns one service alone */
  clear(pauses) {
    this.cleared += 1;
    this.paused ||= pauses;
    this.connections.doubtThoseBeingOpened();
    if (!pauses) return;
    // The driver never hands these out again, but it closes them only when somebody asks, if ever.
    for (const connection of this.connections.values()) {
      if (connection.state === 'idle') this.#close(connection, 'stale');
      else if (connection.state === 'connecting') connection.isOutdated = true;
    }
  }

  /**
   * The server has become something else, or was lost or found.
   * @param {{ type: string }} before
   * @param {{ type: string, isWritable: boolean }} now
   */
  describe(before, now) {
    this.isWritable = now.isWritable;
    if (before.type !== now.type) this.isUsed = false;
  }

  /**
   * While it was paused the driver refused everyone in its queue, at once.
   * @param {Span} resumed
   */
  resume(resumed) {
    this.paused = false;
    for (const checkout of this.queue.leaveBefore(resumed)) this.#tell('gone', { checkout });
  }

  /** The pool's last event: a client never hears what becomes of what is still held, waited for or being opened. */
  end() {
    this.paused = true;
    for (const connection of this.connections.values()) {
      if (connection.checkout) {
        this.failOperation(connection.checkout);
        this.returned(connection.id);
      }
      this.closes(connection.id, 'poolClosed');
    }
    for (const { checkout } of this.queue.standing.splice(0)) this.#tell('gone', { checkout });
  }

  /**
   * Drops connections that must have been thrown away since a clear.
   * @param {boolean} oneMore the driver opens another although its limit seemed reached, so one has gone
   */
  dropOrphans(oneMore = false) {
    const doomedBeforeMs = this.now() - 2 * this.limits.connectTimeoutMs;
    let excess = oneMore ? 1 : 0;
    for (const connection of this.connections.doubted) {
      if (excess === 0 && connection.sinceMs >= doomedBeforeMs) return;
      excess = 0;
      this.closes(connection.id, 'abandoned');
    }
  }

  /** @param {Span} asked */
  #call(asked) {
    const { gone, ...called } = this.queue.call(asked);
    for (const checkout of gone) this.#tell('gone', { checkout });
    return called;
  }

  /**
   * Whether the driver would have served its queue by now, so that whoever still stands in ours has gone.
   * It looks at its queue within a microtask of each change.
   */
  #hasRoom() {
    const { max, maxConnecting } = this.limits;
    const mayOpen = this.connections.states.connecting < maxConnecting && (max === 0 || this.connections.size < max);
    return this.paused || this.connections.states.idle > 0 || mayOpen;
  }

  /**
   * @param {number} checkOutStartedAtMs
   * @returns {Checkout}
   */
  #newCheckout(checkOutStartedAtMs) {
    return { server: this.address, checkOutStartedAtMs, checkedOutAtMs: NaN, checkedInAtMs: NaN, connection: null, hasFailed: false, ask: null };
  }

  /**
   * @param {Connection} connection
   * @param {string} reason
   */
  #close(connection, reason) {
    this.connections.close(connection, reason);
    this.#tell('closed', { connection, reason });
  }

  #notePeak() {
    this.peak.active = Math.max(this.peak.active, this.connections.states.active);
    this.peak.waiting = Math.max(this.peak.waiting, this.waiting);
  }

  /**
   * @param {PoolEventType} type
   * @param {Partial<PoolEvent>} what
   */
  #tell(type, { checkout = null, connection = null, reason = null, durationMs = NaN }) {
    if (this.listeners.size === 0) return;
    const event = { type, atMs: this.now(), server: this.address, checkout, connection, reason, durationMs };
    for (const listener of this.listeners) listener(event);
  }
}
