import { NEVER } from './event-heap.js';
import { createFifo } from './fifo.js';

/** @import { Fifo } from './fifo.js' */

/**
 * Keeps the deadlines of requests or waits that all have the same timeout. The oldest one times out first, so a queue
 * is enough, and the event heap stays small. Those that have ended are dropped on the way.
 *
 * @template T
 * @param {number} timeoutMs NEVER for none
 * @param {(item: T) => number} beganAtMs
 * @param {(item: T) => number} ticketOf changes when it has ended
 */
export function createDeadlines(timeoutMs, beganAtMs, ticketOf) {
  /** @type {Fifo<T>} */
  const queue = createFifo();

  return {
    /** @param {T} item that begins now */
    add(item) {
      if (timeoutMs < NEVER) queue.push(item, ticketOf(item));
    },

    /** The next deadline; NEVER if there is none. */
    nextMs() {
      while (queue.size() > 0) {
        const item = queue.first();
        if (ticketOf(item) === queue.firstTicket()) return beganAtMs(item) + timeoutMs;
        queue.shift();
      }
      return NEVER;
    },

    /** Removes the one whose deadline nextMs() returned. */
    pop() {
      const item = queue.first();
      queue.shift();
      return item;
    },
  };
}
