/** @import { Instruction } from './flow.js' */
/** @import { RouteStats } from './route-stats.js' */

/** @typedef {'ok' | 'waitQueueTimeout' | 'clientTimeout'} Outcome */

/**
 * A virtual user and the one request it has under way. Users are used again when they leave, so that a long
 * run does not allocate: `ticket` changes with every request that ends, and whoever remembered an older one
 * lets go.
 *
 * @typedef {object} User
 * @property {number} id index among the users present
 * @property {number} number counts the users who ever came, from 0
 * @property {number} worker
 * @property {Instruction<RouteStats>[]} flow
 * @property {number} place the next instruction
 * @property {number[]} rounds finished rounds, by depth of loop
 * @property {number} ticket
 * @property {'between' | 'waiting' | 'served' | 'responding'} state
 * @property {Outcome} outcome of the request under way, as far as it is known
 * @property {boolean} hasLeft gave up on a request that the app still works on, or whose answer is on its way
 * @property {RouteStats} route
 * @property {number} connection
 * @property {number} givenServiceMs NaN: draw one for each request
 * @property {number} serviceMs
 * @property {number} handoverMs
 * @property {number} overheadMs
 * @property {number} arrivedAtMs
 * @property {number} startedAtMs
 */

/** The users present: `enter()` takes one, `leave(user)` gives it back, `at(id)` finds one. */
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
    user.place = 0;
    user.rounds.fill(0);
    user.hasLeft = false;
    return user;
  }

  return {
    enter,
    /** @param {User} user */
    leave: (user) => free.push(user),
    /** @param {number} id */
    at: (id) => all[id],
    entered: () => entered,
  };
}

/** @param {number} id @returns {User} */
function createUser(id) {
  return {
    id,
    number: 0,
    worker: 0,
    flow: [],
    place: 0,
    rounds: [],
    ticket: 0,
    state: 'between',
    outcome: 'ok',
    hasLeft: false,
    route: /** @type {any} */ (undefined),
    connection: -1,
    // Not whole numbers: V8 then keeps these fields as doubles from the start.
    givenServiceMs: NaN,
    serviceMs: NaN,
    handoverMs: NaN,
    overheadMs: NaN,
    arrivedAtMs: NaN,
    startedAtMs: NaN,
  };
}
