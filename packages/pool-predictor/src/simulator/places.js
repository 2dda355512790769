import { createFifo } from './fifo.js';

/** @import { User } from './users.js' */

/**
 * A limit in the app on the requests of a route that run at once, such as p-limit's: others wait for a place, first in,
 * first out, before their first query.
 *
 * @typedef {object} PlaceLimit
 * @property {number} places
 * @property {boolean} untilAnswer a request keeps its place until its answer, and not only until the end of the queries
 *   that it waits for
 */

/** The places of a route. @param {PlaceLimit} limit */
export function createPlaces({ places, untilAnswer }) {
  let free = places;
  const queue = /** @type {ReturnType<typeof createFifo<User>>} */ (createFifo());

  return {
    untilAnswer,

    /** Takes a place, or waits for one. @param {User} user */
    take(user) {
      user.hasPlace = free > 0;
      if (user.hasPlace) free--;
      else queue.push(user, user.request);
    },

    /** @param {User} user who has a place @returns {User | undefined} who gets it, to start now */
    giveBack(user) {
      user.hasPlace = false;
      while (queue.size() > 0) {
        const next = queue.first();
        const waits = next.request === queue.firstTicket() && next.state === 'querying';
        queue.shift();
        if (!waits) continue;
        next.hasPlace = true;
        return next;
      }
      free++;
      return undefined;
    },
  };
}
