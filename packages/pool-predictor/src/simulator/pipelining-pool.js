import { NEVER } from './event-heap.js';
import { createFifo } from './fifo.js';

/** @import { Fifo } from './fifo.js' */
/** @import { Pool, PoolHost } from './create-pool.js' */
/** @import { Query } from './query.js' */

/**
 * @typedef {object} PipeliningPoolOptions
 * @property {'pipelining'} kind
 * @property {number} maxPoolSize at least 1
 * @property {number} [connectMs] how long it takes to establish a connection, default 0
 * @property {boolean} [warm] true, the default: all connections are open at the start; false: one is
 * @property {number} [operationsBefore] how many queries the pool sent before the simulation, default 0: they turn its
 *   round robin
 */

/**
 * The pool of the Node.js driver 3.4 (2020, without unified topology):
 * https://github.com/mongodb/node-mongodb-native/blob/v3.4.0/lib/core/connection/pool.js
 *
 * If no connection is idle and the pool is full, it sends the query on a busy connection, in turn. The server answers
 * the queries of a connection one after another. So a query may wait behind a slow one while another connection is
 * idle.
 *
 * @implements {Pool}
 */
export class PipeliningPool {
  #host;
  #maxPoolSize;
  #connectMs;
  #warm;
  /** @type {Fifo<Query>} */
  #queue = createFifo();
  /** @type {Fifo<Query>[]} By connection: queries that were sent and have no answer yet. */
  #sent = [];
  #turn;
  #isConnecting = false;

  /** @param {PipeliningPoolOptions} options @param {PoolHost} host */
  constructor({ maxPoolSize, connectMs = 0, warm = true, operationsBefore = 0 }, host) {
    this.#host = host;
    this.#maxPoolSize = maxPoolSize;
    this.#connectMs = connectMs;
    this.#warm = warm;
    this.#turn = operationsBefore;
  }

  start() {
    const size = this.#warm ? this.#maxPoolSize : 1;
    while (this.#sent.length < size) this.#sent.push(createFifo());
  }

  nextCheckMs() {
    return NEVER;
  }

  check() {}

  total() {
    return this.#sent.length;
  }

  /** @param {Query} query */
  checkOut(query) {
    this.#queue.push(query, query.ticket);
    this.#send();
  }

  connected() {
    this.#isConnecting = false;
    this.#sent.push(createFifo());
    this.#send();
  }

  /** @param {number} connection */
  checkIn(connection) {
    const unanswered = this.#sent[connection];
    unanswered.shift();
    if (unanswered.size() > 0) this.#host.serve(unanswered.first(), connection);
    this.#send();
  }

  /** The driver sends nothing while it opens a connection, and the query that it opens one for takes two turns. */
  #send() {
    while (this.#queue.size() > 0 && !this.#isConnecting) {
      const connection = this.#pick();
      const isBusy = this.#sent[connection].size() > 0;
      if (isBusy && this.#sent.length < this.#maxPoolSize) {
        this.#isConnecting = true;
        this.#host.connectAfter(this.#connectMs, this.#sent.length);
        return;
      }
      const query = this.#queue.first();
      this.#queue.shift();
      this.#sent[connection].push(query, query.ticket);
      if (!isBusy) this.#host.serve(query, connection);
    }
  }

  /** Takes the idle connections in turn, or all of them if none is idle. */
  #pick() {
    const idle = this.#sent.reduce((count, { size }) => count + (size() === 0 ? 1 : 0), 0);
    if (idle === 0) return this.#turn++ % this.#sent.length;
    let toPass = this.#turn++ % idle;
    return this.#sent.findIndex(({ size }) => size() === 0 && toPass-- === 0);
  }
}
