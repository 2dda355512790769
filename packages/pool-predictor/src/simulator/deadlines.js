import { NEVER } from './event-heap.js';
import { createFifo } from './fifo.js';

/** @import { Fifo } from './fifo.js' */
/** @import { User } from './users.js' */

/**
 * When requests run out of patience. All have the same patience, so who came first gives up first: a queue
 * does, and the event heap stays small however long the patience is. Requests that ended meanwhile are
 * dropped on the way.
 *
 * @param {number} patienceMs NEVER: for ever
 */
export function createDeadlines(patienceMs) {
  /** @type {Fifo<User>} */
  const queue = createFifo();

  return {
    /** @param {User} user whose request begins now */
    add(user) {
      if (patienceMs < NEVER) queue.push(user, user.ticket);
    },

    /** NEVER when no request under way has a deadline. */
    nextMs() {
      while (queue.size() > 0) {
        const user = queue.first();
        if (user.ticket === queue.firstTicket()) return user.arrivedAtMs + patienceMs;
        queue.shift();
      }
      return NEVER;
    },

    /** Takes the user whose deadline nextMs() told. */
    pop() {
      const user = queue.first();
      queue.shift();
      return user;
    },
  };
}
