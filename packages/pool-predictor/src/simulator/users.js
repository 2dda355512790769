import { createQuery } from './query.js';
import { planInTurn } from './request-plan.js';

/** @import { Instruction } from './flow.js' */
/** @import { CallerRequest } from './arrivals.js' */
/** @import { Query, QueryOutcome } from './query.js' */
/** @import { KnownRequest, RequestPlan } from './request-plan.js' */
/** @import { RouteStats } from './route-stats.js' */

/** @typedef {QueryOutcome | 'requestTimeout' | 'clientTimeout'} RequestOutcome */

/**
 * A virtual user and its current request. Objects are reused after a user leaves, so a long run does not allocate.
 * `request` changes with every request: a queue that holds a user with an older one drops it.
 *
 * @typedef {object} User
 * @property {number} id index among the users present
 * @property {number} number of all users who ever arrived, from 0
 * @property {number} worker
 * @property {Instruction<RouteStats>[]} flow
 * @property {CallerRequest[] | null} requests that it sends instead of a flow
 * @property {number} position of the next instruction, or request
 * @property {number[]} rounds finished rounds, by depth of loop
 * @property {number} request
 * @property {'between' | 'querying' | 'responding'} state see Model
 * @property {RequestOutcome} outcome of the current request, as far as it is known
 * @property {boolean} hasGivenUp the user has left, but the app or the server still works on its request
 * @property {RouteStats} route
 * @property {Query} query its own, the current or the last one; others run beside it
 * @property {number} untilMs no request starts later; NEVER: the flow is not repeated
 * @property {RequestPlan} plan of the current request
 * @property {ArrayLike<number>} servicesMs of its queries, in the order of their starts
 * @property {number[]} drawnMs memory for times that are drawn
 * @property {KnownRequest | null} known the current request, if its times are known
 * @property {number} handoverMs of its queries, where that is not known
 * @property {number} started how many of its queries have started, or have a time at which they will
 * @property {number} ended how many have ended
 * @property {number} running how many have started and not ended
 * @property {{ index: number, atMs: number }[]} later the queries that will start
 * @property {boolean} hasPlace one of its route's, see PlaceLimit
 * @property {number} overheadMs
 * @property {number} clockPhase see readClock
 * @property {number} arrivedAtMs
 * @property {number} waitedMs for the connections of the current request so far
 * @property {number} endedAtMs when its last request ended, without an overhead
 */

/** Keeps the users present: `enter()` adds one, `release(user)` removes it, `at(id)` finds it. */
export function createUsers() {
  /** @type {User[]} */
  const all = [];
  /** @type {User[]} */
  const free = [];
  let entered = 0;

  function enter() {
    let user = free.pop();
    if (!user) {
      user = createUser(all.length);
      all.push(user);
    }
    user.number = entered++;
    user.position = 0;
    if (user.rounds.length > 0) user.rounds.fill(0);
    user.hasGivenUp = false;
    return user;
  }

  return {
    enter,
    /** @param {User} user */
    release: (user) => free.push(user),
    /** @param {number} id */
    at: (id) => all[id],
    entered: () => entered,
  };
}

/** @param {number} id @returns {User} */
function createUser(id) {
  const user = /** @type {User} */ (
    /** @type {unknown} */ ({
      id,
      number: 0,
      worker: 0,
      flow: [],
      requests: null,
      position: 0,
      rounds: [],
      query: undefined,
      request: 0,
      state: 'between',
      outcome: 'ok',
      hasGivenUp: false,
      route: /** @type {any} */ (undefined),
      // NaN rather than 0: V8 then keeps these fields as doubles from the start.
      plan: planInTurn(1),
      servicesMs: [],
      drawnMs: [],
      known: null,
      handoverMs: NaN,
      started: 0,
      ended: 0,
      running: 0,
      later: [],
      hasPlace: false,
      untilMs: NaN,
      endedAtMs: NaN,
      overheadMs: NaN,
      clockPhase: NaN,
      arrivedAtMs: NaN,
      waitedMs: NaN,
    })
  );
  user.query = createQuery(user, false);
  return user;
}
