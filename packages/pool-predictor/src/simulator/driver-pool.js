import { createFifo } from './fifo.js';

/** @import { Fifo } from './fifo.js' */
/** @import { Pool, PoolHost } from './create-pool.js' */
/** @import { User } from './users.js' */

// The driver looks this often whether the pool has its minimum (minPoolSizeCheckFrequencyMS).
const MIN_POOL_CHECK_MS = 100;

/**
 * @typedef {object} DriverPoolOptions
 * @property {'driver'} [kind]
 * @property {number} maxPoolSize at least 1
 * @property {number} [minPoolSize] default 0
 * @property {number} [maxConnecting] how many connections may be opening at once, default 2
 * @property {number} [connectMs] how long a connection takes to open, default 0
 * @property {number} [waitQueueTimeoutMS] default 0: wait for ever
 * @property {boolean} [warm] start with every connection open, the default; otherwise with none
 */

/**
 * The pool of today's Node.js driver (7.x, src/cmap/connection_pool.ts): one first-in first-out wait queue
 * without a bound, last-in first-out idle connections. A waiter that causes a connection to be opened leaves
 * the queue and gets that connection, so a later waiter can overtake it by taking one that is checked in
 * meanwhile. A query that is given up takes its connection with it.
 *
 * @param {DriverPoolOptions} options
 * @param {PoolHost} host
 * @returns {Pool}
 */
export function createDriverPool(options, host) {
  const { maxPoolSize, minPoolSize = 0, maxConnecting = 2, connectMs = 0, warm = true } = options;
  /** @type {number[]} The last one is handed out next. */
  const idle = [];
  /** @type {Fifo<User>} */
  const waitQueue = createFifo();
  /** @type {(User | undefined)[]} By connection: who waits for it to open. */
  const openingFor = [];
  /** @type {number[]} */
  const openingTicket = [];
  /** Numbers of connections that were closed, to be used again. @type {number[]} */
  const closed = [];
  let created = 0;
  let isFilling = false;
  let connecting = 0;

  function start() {
    if (warm) {
      created = maxPoolSize;
      for (let connection = maxPoolSize - 1; connection >= 0; connection--) idle.push(connection);
    } else if (minPoolSize > 0) {
      check();
    }
  }

  const total = () => created - closed.length;

  /** @param {User} [user] */
  function connect(user) {
    const connection = closed.pop() ?? created++;
    connecting++;
    openingFor[connection] = user;
    openingTicket[connection] = user ? user.ticket : 0;
    host.connectAfter(connectMs, connection);
  }

  function processWaitQueue() {
    while (waitQueue.size() > 0) {
      const user = waitQueue.first();
      const isCurrent = user.ticket === waitQueue.firstTicket();
      const canConnect = connecting < maxConnecting && total() < maxPoolSize;
      if (isCurrent && idle.length === 0 && !canConnect) return;
      waitQueue.shift();
      // Who gave up meanwhile is dropped.
      if (!isCurrent) continue;
      if (idle.length > 0) host.serve(user, /** @type {number} */ (idle.pop()));
      else connect(user);
    }
  }

  /** @param {number} connection */
  function connected(connection) {
    connecting--;
    const user = openingFor[connection];
    openingFor[connection] = undefined;
    if (user && user.ticket === openingTicket[connection]) {
      host.serve(user, connection);
    } else {
      // Nobody waits for it (any longer): it goes behind all idle ones.
      idle.unshift(connection);
    }
    processWaitQueue();
    if (!user) host.checkAfter(MIN_POOL_CHECK_MS);
  }

  // The driver looks for ever; here it ends while the minimum is there.
  function check() {
    isFilling = total() < minPoolSize;
    if (!isFilling) return;
    if (connecting < maxConnecting) connect();
    else host.checkAfter(MIN_POOL_CHECK_MS);
  }

  return {
    start,
    connected,
    check,
    total,

    checkOut(user) {
      waitQueue.push(user, user.ticket);
      processWaitQueue();
    },

    finish(connection) {
      idle.push(connection);
      processWaitQueue();
    },

    abandon(connection) {
      closed.push(connection);
      processWaitQueue();
      if (isFilling || total() >= minPoolSize) return;
      isFilling = true;
      host.checkAfter(MIN_POOL_CHECK_MS);
    },
  };
}
