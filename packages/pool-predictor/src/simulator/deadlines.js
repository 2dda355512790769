import { NEVER } from './event-heap.js';
import { createFifo } from './fifo.js';

/** @import { Fifo } from './fifo.js' */
/** @import { User } from './users.js' */

/**
 * The deadlines of requests that all have the same timeout. The oldest request times out first, so a queue is enough, and
 * the event heap stays small. Requests that ended meanwhile are dropped on the way.
 *
 * @param {number} timeoutMs NEVER for none
 */
export function createDeadlines(timeoutMs) {
  /** @type {Fifo<User>} */
  const queue = createFifo();

  return {
    /** @param {User} user whose request begins now */
    add(user) {
      if (timeoutMs < NEVER) queue.push(user, user.ticket);
    },

    /** NEVER when no current request has a deadline. */
    nextMs() {
      while (queue.size() > 0) {
        const user = queue.first();
        if (user.ticket === queue.firstTicket()) return user.arrivedAtMs + timeoutMs;
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
