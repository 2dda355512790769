// The model of the driver's pool as the driver offers its own: with time-outs, and the events of a client.
import { DriverPool } from '../../src/simulator/driver-pool.js';
import { EventOrder } from './event-order.js';

/** @import { PlannedOpening, PoolEvent, Schedule, VirtualTime, WaitOutcome } from 'test-support/driver-pool.js' */
/** @import { CloseReason } from '../../src/simulator/create-pool.js' */
/** @import { Query } from '../../src/simulator/query.js' */

/** @typedef {Exclude<WaitOutcome, 'checkedOut'>} FailedOutcome */

/**
 * @typedef {object} ModelConnection
 * @property {number} id counts from 1, as the driver's
 * @property {number} number by which the pool knows it
 * @property {boolean} isPending
 * @property {boolean} isBroken it is closed when it is checked in
 * @property {() => void} [onBreak] what its user does when it breaks
 *
 * @typedef {object} Checkout
 * @property {(connection: ModelConnection) => void} served
 * @property {(outcome: FailedOutcome) => void} failed
 *
 * @typedef {object} Client
 * @property {VirtualTime} time
 * @property {() => PlannedOpening} planOpening asked for each connection that is opened
 * @property {boolean} failureClears whether an opening that fails also clears the pool
 * @property {(event: PoolEvent) => void} emit
 * @property {number} [checkEveryMs] see DriverPoolOptions
 */

/** Reasons in the events of checkouts that failed. An aborted one has no event. */
const FAILED_REASONS = {
  timeout: 'timeout',
  poolClosed: 'poolClosed',
  poolCleared: 'connectionError',
  connectionError: 'connectionError',
};

/** It begins paused, as the driver's. */
export class ModelPool {
  /** @type {'paused' | 'ready' | 'closed'} */
  #state = 'paused';
  #time;
  #planOpening;
  #failureClears;
  #events;
  #waitQueueTimeoutMS;
  #pool;
  #created = 0;
  #pending = 0;
  /** Connections by the pool's number. @type {ModelConnection[]} */
  #connections = [];
  /** @type {Set<ModelConnection>} */
  #inUse = new Set();
  /** The model itself has no pause before it starts: one that is asked too early is cleared instead. */
  #hasStarted = false;

  /** @param {Schedule['options']} options @param {Client} client */
  constructor(options, { time, planOpening, failureClears, emit, checkEveryMs }) {
    this.#time = time;
    this.#planOpening = planOpening;
    this.#failureClears = failureClears;
    this.#events = new EventOrder(time, emit);
    this.#waitQueueTimeoutMS = options.waitQueueTimeoutMS;
    this.#pool = new DriverPool(
      { ...options, checkEveryMs, warm: false },
      {
        nowMs: () => time.nowMs,
        serve: (query, connection) => this.#serve(/** @type {any} */ (query), this.#connections[connection]),
        // How long it takes is planned below.
        connectAfter: (_, connection) => this.#open(connection),
        refuse: (query, reason) => this.#fail(/** @type {any} */ (query), /** @type {FailedOutcome} */ (reason)),
        closed: (connection, reason, atMs) => this.#noteClosed(this.#connections[connection], reason, atMs),
      },
    );
    this.#emit('ConnectionPoolCreated', { options });
  }

  /** When something happens next that nobody asked for. */
  nextMs() {
    return Math.min(this.#pool.nextCheckMs(), this.#time.nextMs);
  }

  /** Goes there. */
  next() {
    const checkMs = this.#pool.nextCheckMs();
    if (checkMs > this.#time.nextMs) this.#time.next();
    else {
      this.#time.nowMs = checkMs;
      this.#call(() => this.#pool.check());
    }
  }

  /** The model closes idle connections late, but before anybody can see it. */
  closeExpired() {
    this.#events.inOrderOfTime(() => this.#pool.total());
  }

  counts() {
    this.closeExpired();
    const total = this.#pool.total();
    return { total, idle: total - this.#inUse.size - this.#pending, pending: this.#pending };
  }

  /**
   * @param {Checkout} checkout
   * @returns {() => void} aborts it, if it still waits
   */
  checkOut({ served, failed }) {
    const query = { ticket: 0, isWaiting: true, startedAtMs: this.#time.nowMs, served, failed };
    const giveUp = (/** @type {FailedOutcome} */ outcome) => {
      if (!query.isWaiting) return;
      this.closeExpired();
      this.#fail(query, outcome);
    };
    if (!this.#hasStarted) this.clear();
    this.#emit('ConnectionCheckOutStarted');
    if (this.#waitQueueTimeoutMS > 0)
      this.#time.at(query.startedAtMs + this.#waitQueueTimeoutMS, () => giveUp('timeout'));
    this.#call(() => this.#pool.checkOut(/** @type {Query} */ (/** @type {unknown} */ (query))));
    return () => giveUp('aborted');
  }

  /** @param {ModelConnection} connection */
  checkIn(connection) {
    if (!this.#inUse.delete(connection)) return;
    this.#emit('ConnectionCheckedIn', { connectionId: connection.id });
    this.#call(() => {
      if (connection.isBroken) this.#pool.abandon(connection.number);
      else this.#pool.checkIn(connection.number);
    });
  }

  /** @param {ModelConnection} connection */
  break(connection) {
    if (!this.#inUse.has(connection)) return;
    connection.isBroken = true;
    connection.onBreak?.();
  }

  clear({ interruptInUseConnections = false } = {}) {
    if (this.#state === 'closed') return;
    if (this.#state === 'ready') this.#emit('ConnectionPoolCleared', { interruptInUseConnections });
    this.#state = 'paused';
    this.#hasStarted = true;
    this.#call(() => this.#pool.clear());
    if (!interruptInUseConnections) return;
    for (const connection of [...this.#inUse]) if (this.#pool.isStale(connection.number)) this.break(connection);
  }

  ready() {
    if (this.#state !== 'paused') return;
    this.#state = 'ready';
    this.#emit('ConnectionPoolReady');
    const hasStarted = this.#hasStarted;
    this.#hasStarted = true;
    this.#call(() => (hasStarted ? this.#pool.ready() : this.#pool.start()));
  }

  close() {
    if (this.#state === 'closed') return;
    this.#state = 'closed';
    this.#call(() => {
      this.#pool.close();
      this.#emit('ConnectionPoolClosed');
    });
  }

  /** @param {number} number */
  #open(number) {
    const { ms, fails } = this.#planOpening();
    const createdAtMs = this.#time.nowMs;
    const connection = { id: ++this.#created, number, isPending: true, isBroken: false };
    this.#connections[number] = connection;
    this.#pending++;
    this.#events.emitLate('ConnectionCreated', { connectionId: connection.id });
    this.#time.at(createdAtMs + ms, () => {
      const isCancelled = !connection.isPending;
      this.#endOpening(connection);
      if (fails && this.#failureClears && !isCancelled) this.clear();
      if (!fails && !isCancelled && this.#state === 'ready')
        this.#emit('ConnectionReady', { connectionId: connection.id, duration: this.#durationFrom(createdAtMs) });
      this.#call(() => {
        if (fails) this.#pool.failOpening(number);
        else this.#pool.connected(number);
      });
    });
  }

  /** @param {ModelConnection} connection */
  #endOpening(connection) {
    if (connection.isPending) this.#pending--;
    connection.isPending = false;
  }

  /** @param {any} query @param {ModelConnection} connection */
  #serve(query, connection) {
    query.isWaiting = false;
    this.#inUse.add(connection);
    const duration = this.#durationFrom(query.startedAtMs);
    this.#events.emit('ConnectionCheckedOut', { connectionId: connection.id, duration });
    query.served(connection);
  }

  /** @param {any} query @param {FailedOutcome} outcome */
  #fail(query, outcome) {
    query.isWaiting = false;
    query.ticket++;
    if (outcome !== 'aborted') {
      const facts = { reason: FAILED_REASONS[outcome], duration: this.#durationFrom(query.startedAtMs) };
      this.#emitEnd(outcome === 'connectionError', 'ConnectionCheckOutFailed', facts);
    }
    query.failed(outcome);
  }

  /** @param {ModelConnection} connection @param {CloseReason} reason @param {number} atMs */
  #noteClosed(connection, reason, atMs) {
    this.#endOpening(connection);
    this.#emitEnd(reason === 'error', 'ConnectionClosed', { connectionId: connection.id, reason, atMs });
  }

  /**
   * A pool that closes cancels its openings, and hears of their ends when it has closed.
   * @param {boolean} isOfOpening @param {string} type @param {Partial<PoolEvent>} facts
   */
  #emitEnd(isOfOpening, type, facts) {
    if (isOfOpening && this.#state === 'closed') this.#events.emitLate(type, facts);
    else this.#events.emit(type, facts);
  }

  /** @param {() => void} act */
  #call(act) {
    this.closeExpired();
    act();
    this.#events.endCall();
  }

  /** @param {string} type @param {Partial<PoolEvent>} [facts] */
  #emit(type, facts) {
    this.closeExpired();
    this.#events.emit(type, facts);
  }

  /** As the driver counts. @param {number} fromMs */
  #durationFrom(fromMs) {
    return Math.floor(this.#time.nowMs) - Math.floor(fromMs);
  }
}
