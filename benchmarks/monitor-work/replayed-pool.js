import { EventEmitter } from 'node:events';

/** Emits as the driver does, in the same order and the same async contexts. */
export class ReplayedPool {
  client = Object.assign(new EventEmitter(), { options: { maxPoolSize: 0, minPoolSize: 0, maxConnecting: 2, connectTimeoutMS: 1000 } });
  #idle = /** @type {number[]} */ ([]);
  #queue = /** @type {{ resolve: (id: number) => void, startedMs: number }[]} */ ([]);

  /** @param {number} connections */
  constructor(connections) {
    this.client.options.maxPoolSize = connections;
    this.monitored = /** @type {import('mongodb').MongoClient} */ (/** @type {unknown} */ (this.client));
    this.#idle = Array.from({ length: connections }, (_, index) => index + 1);
  }

  open() {
    this.#emit('connectionPoolReady', {});
    for (const connectionId of this.#idle) {
      this.#emit('connectionCreated', { connectionId });
      this.#emit('connectionReady', { connectionId, durationMS: 1 });
    }
  }

  /** @returns {Promise<number>} */
  checkOut() {
    const startedMs = Math.floor(performance.now());
    this.#emit('connectionCheckOutStarted', {});
    return new Promise((resolve) => {
      this.#queue.push({ resolve, startedMs });
      queueMicrotask(() => this.#serve());
    });
  }

  /** @param {number} connectionId */
  checkIn(connectionId) {
    this.#idle.push(connectionId);
    this.#emit('connectionCheckedIn', { connectionId });
    queueMicrotask(() => this.#serve());
  }

  /** The first that waits. @param {number} startedMs */
  timeOut(startedMs) {
    this.#queue.shift();
    this.#emit('connectionCheckOutFailed', { reason: 'timeout', durationMS: Math.floor(performance.now()) - startedMs });
  }

  #serve() {
    while (this.#queue.length > 0 && this.#idle.length > 0) {
      const connectionId = Number(this.#idle.pop());
      const waiter = this.#queue.shift();
      const durationMS = Math.floor(performance.now()) - Number(waiter?.startedMs);
      this.#emit('connectionCheckedOut', { connectionId, durationMS });
      waiter?.resolve(connectionId);
    }
  }

  /** @param {string} name @param {object} fields */
  #emit(name, fields) {
    const host = 'localhost';
    this.client.emit(name, { time: new Date(), address: `${host}:${27017}`, name, ...fields });
  }
}
