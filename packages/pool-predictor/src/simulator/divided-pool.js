import { createDriverPool } from './driver-pool.js';
import { createFifo } from './fifo.js';

/** @import { Fifo } from './fifo.js' */
/** @import { Pool, PoolHost } from './create-pool.js' */
/** @import { User } from './users.js' */

/**
 * Some routes kept apart from the others, all connections open from the start:
 * - split: they have `apartSize` of the connections for themselves, a pool of their own;
 * - capped: all share the pool, but at most `apartSize` of them may ask it for a connection at a time, and the
 *   next waits in the app.
 *
 * @typedef {object} Division
 * @property {number} maxPoolSize all connections together
 * @property {string[]} apartRoutes
 * @property {number} apartSize at least 1; less than maxPoolSize when split
 */

/** @typedef {({ kind: 'split' } & Division) | ({ kind: 'capped' } & Division)} DividedPoolOptions */

/**
 * Two pools of today's driver, side by side.
 *
 * @param {Division} options
 * @param {PoolHost} host
 * @returns {Pool}
 */
export function createSplitPool({ maxPoolSize, apartRoutes, apartSize }, host) {
  // Connections of the common pool have even numbers, those apart odd ones.
  const [common, apart] = [maxPoolSize - apartSize, apartSize].map((size, odd) => (
    createDriverPool({ maxPoolSize: size }, {
      ...host,
      serve: (user, connection) => host.serve(user, connection * 2 + odd),
      connectAfter: (delayMs, connection) => host.connectAfter(delayMs, connection * 2 + odd),
    })));
  const poolOf = (/** @type {number} */ connection) => (connection % 2 === 1 ? apart : common);
  return {
    start() {
      common.start();
      apart.start();
    },
    checkOut: (user) => (apartRoutes.includes(user.route.name) ? apart : common).checkOut(user),
    finish: (connection) => poolOf(connection).finish(connection >> 1),
    abandon: (connection) => poolOf(connection).abandon?.(connection >> 1),
    connected: (connection) => poolOf(connection).connected(connection >> 1),
    check() {},
    total: () => common.total() + apart.total(),
  };
}

/**
 * A pool of today's driver behind a gate for some routes.
 *
 * @param {Division} options
 * @param {PoolHost} host
 * @returns {Pool}
 */
export function createLimitedPool({ maxPoolSize, apartRoutes, apartSize }, host) {
  /** @type {Fifo<User>} */
  const atGate = createFifo();
  /** @type {boolean[]} By connection: whether it serves a route that is kept apart. */
  const isApart = [];
  /** Of those routes, who was let in and waits for a connection. @type {Set<User>} */
  const waiting = new Set();
  let inside = 0;
  const pool = createDriverPool({ maxPoolSize }, {
    ...host,
    serve(user, connection) {
      isApart[connection] = apartRoutes.includes(user.route.name);
      waiting.delete(user);
      host.serve(user, connection);
    },
  });

  /** @param {User} user */
  function admit(user) {
    inside++;
    waiting.add(user);
    pool.checkOut(user);
  }

  function letNextIn() {
    inside--;
    while (inside < apartSize && atGate.size() > 0) {
      const user = atGate.first();
      const isCurrent = user.ticket === atGate.firstTicket();
      atGate.shift();
      if (isCurrent) admit(user);
    }
  }

  return {
    ...pool,
    checkOut(user) {
      if (!apartRoutes.includes(user.route.name)) {
        pool.checkOut(user);
      } else if (inside < apartSize) {
        admit(user);
      } else {
        atGate.push(user, user.ticket);
      }
    },
    finish(connection) {
      const wasApart = isApart[connection];
      pool.finish(connection);
      if (wasApart) letNextIn();
    },
    abandon(connection) {
      const wasApart = isApart[connection];
      pool.abandon?.(connection);
      if (wasApart) letNextIn();
    },
    leave(user) {
      if (waiting.delete(user)) letNextIn();
    },
  };
}
