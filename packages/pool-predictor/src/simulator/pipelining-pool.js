import { createFifo } from './fifo.js';

/** @import { Fifo } from './fifo.js' */
/** @import { Pool, PoolHost } from './create-pool.js' */
/** @import { User } from './users.js' */

/**
 * @typedef {object} PipeliningPoolOptions
 * @property {'pipelining'} kind
 * @property {number} maxPoolSize at least 1
 * @property {number} [connectMs] how long a connection takes to open, default 0
 * @property {boolean} [warm] start with every connection open, the default; otherwise with one
 * @property {number} [operationsBefore] how many queries the pool has sent so far, default 0: they turn its
 *   round robin
 */

/**
 * The pool of the Node.js driver of 2020 (3.4, lib/core/connection/pool.js, without unified topology): when
 * no connection is idle and there may be no more of them, a query is sent on a busy one, in turn, and the
 * server answers each connection's queries one after another. So a query may wait behind a slow one while
 * another connection is idle.
 *
 * @param {PipeliningPoolOptions} options
 * @param {PoolHost} host
 * @returns {Pool}
 */
export function createPipeliningPool(options, host) {
  const { maxPoolSize, connectMs = 0, warm = true, operationsBefore = 0 } = options;
  /** @type {Fifo<User>} */
  const queue = createFifo();
  /** @type {Fifo<User>[]} By connection: sent, and not yet answered. */
  const sent = [];
  let turn = operationsBefore;
  let isConnecting = false;

  function start() {
    const size = warm ? maxPoolSize : 1;
    while (sent.length < size) sent.push(createFifo());
  }

  /** In turn among the idle connections, or among all when none is idle. */
  function pick() {
    const idle = sent.reduce((count, { size }) => count + (size() === 0 ? 1 : 0), 0);
    if (idle === 0) return turn++ % sent.length;
    let toPass = turn++ % idle;
    return sent.findIndex(({ size }) => size() === 0 && toPass-- === 0);
  }

  // While a connection opens nothing is sent at all, and the query that caused it takes two turns.
  function execute() {
    while (queue.size() > 0 && !isConnecting) {
      const connection = pick();
      const isBusy = sent[connection].size() > 0;
      if (isBusy && sent.length < maxPoolSize) {
        isConnecting = true;
        host.connectAfter(connectMs, sent.length);
        return;
      }
      const user = queue.first();
      queue.shift();
      sent[connection].push(user, user.ticket);
      if (!isBusy) host.serve(user, connection);
    }
  }

  return {
    start,
    check() {},
    total: () => sent.length,

    checkOut(user) {
      queue.push(user, user.ticket);
      execute();
    },

    connected() {
      isConnecting = false;
      sent.push(createFifo());
      execute();
    },

    finish(connection) {
      const unanswered = sent[connection];
      unanswered.shift();
      if (unanswered.size() > 0) host.serve(unanswered.first(), connection);
      execute();
    },
  };
}
