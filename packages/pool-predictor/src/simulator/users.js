/** @import { Instruction } from './flow.js' */
/** @import { RouteStats } from './route-stats.js' */

/** @typedef {'ok' | 'refused' | 'waitQueueTimeout' | 'requestTimeout' | 'clientTimeout'} Outcome */

/**
 * A virtual user and its current request. Objects are reused after a user leaves, so a long run does not allocate.
 * `ticket` changes with every query that ends, `request` with every request: a queue that holds a user with an older one
 * drops it.
 *
 * @typedef {object} User
 * @property {number} id index among the users present
 * @property {number} number counts all users who ever arrived, from 0
 * @property {number} worker
 * @property {Instruction<RouteStats>[]} flow
 * @property {number} position of the next instruction
 * @property {number[]} rounds finished rounds, by depth of loop
 * @property {number} ticket
 * @property {number} request
 * @property {'between' | 'waiting' | 'served' | 'joining' | 'responding'} state joining: its own query has ended, those of its helpers not
 * @property {Outcome} outcome of the current request, as far as it is known
 * @property {boolean} hasGivenUp the user has left, but the app or the server still works on its request
 * @property {RouteStats} route
 * @property {number} connection
 * @property {number} untilMs no request starts later; NEVER: the flow is not repeated
 * @property {number[]} servicesMs of the current request's queries, the last one first
 * @property {(number[] | undefined)[]} besideMs by query: others at once with it
 * @property {number} queriesLeft of the current request
 * @property {number} helpers who run queries beside the current one
 * @property {User | undefined} owner of a helper
 * @property {number} ownerRequest that the helper helps with
 * @property {number} serviceMs of the current query; while it runs on a server, without its work
 * @property {number} workMs of the current query that the server's cores do
 * @property {number} handoverMs
 * @property {number} overheadMs
 * @property {number} clockPhase see readClock
 * @property {number} arrivedAtMs
 * @property {number} checkOutStartedAtMs when the current checkout started
 * @property {number} startedAtMs when the current query started
 * @property {number} waitedMs for the connections of the current request so far
 * @property {number} endedAtMs when its last query or wait ended
 */

/** The users present: `enter()` adds one, `help(owner)` one who runs a query for another, `release(user)` removes it, `at(id)` finds it. */
export function createUsers() {
  /** @type {User[]} */
  const all = [];
  /** @type {User[]} */
  const free = [];
  let entered = 0;

  function take() {
    let user = free.pop();
    if (!user) {
      user = createUser(all.length);
      all.push(user);
    }
    return user;
  }

  function enter() {
    const user = take();
    user.number = entered++;
    user.position = 0;
    user.rounds.fill(0);
    user.hasGivenUp = false;
    return user;
  }

  return {
    enter,
    /** A helper is nobody who arrived. @param {User} owner */
    help(owner) {
      const helper = take();
      helper.number = owner.number;
      helper.owner = owner;
      helper.ownerRequest = owner.request;
      return helper;
    },
    /** @param {User} user */
    release: (user) => free.push(user),
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
    position: 0,
    rounds: [],
    ticket: 0,
    request: 0,
    state: 'between',
    outcome: 'ok',
    hasGivenUp: false,
    route: /** @type {any} */ (undefined),
    connection: -1,
    // NaN rather than 0: V8 then keeps these fields as doubles from the start.
    servicesMs: [],
    besideMs: [],
    helpers: 0,
    owner: undefined,
    ownerRequest: 0,
    queriesLeft: 0,
    untilMs: NaN,
    endedAtMs: NaN,
    serviceMs: NaN,
    workMs: NaN,
    handoverMs: NaN,
    overheadMs: NaN,
    clockPhase: NaN,
    arrivedAtMs: NaN,
    checkOutStartedAtMs: NaN,
    startedAtMs: NaN,
    waitedMs: NaN,
  };
}
