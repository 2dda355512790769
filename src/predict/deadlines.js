import { createFifo } from './fifo.js';

/**
 * When requests run out of patience. All have the same patience, so who came first gives up first: a queue does, and
 * the event heap stays small however long the patience is. Requests that ended meanwhile are dropped on the way.
 *
 * @param {number} patienceMs Infinity: for ever
 */
export function createDeadlines(patienceMs) {
  /** @type {import('./fifo.js').Fifo<import('./users.js').User>} */
  const queue = createFifo();

  return {
    /** @param {import('./users.js').User} user whose request begins now */
    add(user) {
      if (patienceMs < Infinity) queue.push(user, user.ticket);
    },

    /** Infinity when no request under way has a deadline. */
    nextMs() {
      while (queue.size() > 0) {
        const user = queue.first();
        if (user.ticket === queue.firstTicket()) return user.arrivedAtMs + patienceMs;
        queue.shift();
      }
      return Infinity;
    },

    /** Takes the user whose deadline nextMs() told. */
    pop() {
      const user = queue.first();
      queue.shift();
      return user;
    },
  };
}
