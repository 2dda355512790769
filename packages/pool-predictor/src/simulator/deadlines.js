import { NEVER } from './event-heap.js';
import { createFifo } from './fifo.js';

/** @import { Fifo } from './fifo.js' */
/** @import { User } from './users.js' */

/**
 * The deadlines of requests or waits that all have the same timeout. The oldest one times out first, so a queue is enough,
 * and the event heap stays small. Those that ended meanwhile are dropped on the way.
 *
 * @param {number} timeoutMs NEVER for none
 * @param {(user: User) => number} beganAtMs
 * @param {(user: User) => number} ticketOf changes when the request or the wait has ended
 */
export function createDeadlines(timeoutMs, beganAtMs, ticketOf) {
  /** @type {Fifo<User>} */
  const queue = createFifo();

  return {
    /** @param {User} user whose request or wait begins now */
    add(user) {
      if (timeoutMs < NEVER) queue.push(user, ticketOf(user));
    },

    /** NEVER when no current request has a deadline. */
    nextMs() {
      while (queue.size() > 0) {
        const user = queue.first();
        if (ticketOf(user) === queue.firstTicket()) return beganAtMs(user) + timeoutMs;
        queue.shift();
      }
      return NEVER;
    },

    /** Removes the user whose deadline nextMs() returned. */
    pop() {
      const user = queue.first();
      queue.shift();
      return user;
    },
  };
}
