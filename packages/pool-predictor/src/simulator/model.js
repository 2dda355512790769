import { createClientClock } from './client-clock.js';
import { createDeadlines } from './deadlines.js';
import { NEVER } from './event-heap.js';
import { createPool, isDriverPool } from './create-pool.js';
import { createRandom } from './random.js';
import { createRoutes } from './route-stats.js';
import { createScenarios } from './scenarios.js';
import { createServiceTime } from './service-time.js';
import { createTally } from './tally.js';
import { createUsers } from './users.js';

/** @import { Arrival } from './arrivals.js' */
/** @import { Clock } from './clock.js' */
/** @import { RouteStats } from './route-stats.js' */
/** @import { Service } from './service-time.js' */
/** @import { SimulationOptions } from './simulate.js' */
/** @import { User } from './users.js' */

const { min } = Math;

// An event's code is the index of a connection or user times so many, plus what happens to it.
const KINDS = 8;
const QUERY_ENDS = 0;
const CONNECTED = 1;
const USER_WAKES = 2;
const POOL_CHECK = 3;
const HANDED_OVER = 4;

/** @type {Service} */
const NOTHING = { kind: 'fixed', ms: 0 };

/**
 * Users, routes and the pool between them: what happens at each event, and what events follow from it.
 *
 * @param {SimulationOptions} options
 * @param {Clock} clock
 */
export function createModel({
  workload, pool: poolOptions, services = {}, seed = 1, overhead = NOTHING, resolutionMs = 0, keepRequests = false,
}, clock) {
  const timeoutMs = workload?.timeoutMs ?? NEVER;
  const waitQueueTimeoutMs = isDriverPool(poolOptions) ? poolOptions.waitQueueTimeoutMS : 0;
  const answerDeadlines = createDeadlines(timeoutMs);
  const waitDeadlines = createDeadlines(waitQueueTimeoutMs || NEVER);
  const choices = createRandom(seed, 'choices');
  const pauses = createRandom(seed, 'pauses');
  const routes = createRoutes(services, seed);
  const drawOverheadMs = createServiceTime(overhead, createRandom(seed, 'overhead'), 'the overhead');
  const scenarios = createScenarios(workload?.scenarios ?? [], routes.get);
  routes.requireServices();
  const tally = createTally({ keepRequests, tell: createClientClock(resolutionMs, createRandom(seed, 'client\'s clock')) });
  const users = createUsers();
  const pool = createPool(poolOptions, {
    serve,
    connectAfter: (delayMs, connection) => clock.after(delayMs, connection * KINDS + CONNECTED),
    checkAfter: (delayMs) => clock.after(delayMs, POOL_CHECK),
  });
  /** @type {(User | undefined)[]} By connection. */
  const served = [];
  /** @type {number[]} By worker: its users who are not through. */
  const present = [];
  let skipped = 0;
  pool.start();

  /** @param {Arrival} arrival */
  function enter({ worker = 0, maxVusers = NEVER, scenario, route, serviceMs = NaN, handoverMs = 0 }) {
    present[worker] ??= 0;
    if (present[worker] >= maxVusers) {
      skipped++;
      return;
    }
    present[worker]++;
    const user = users.enter();
    user.worker = worker;
    user.givenServiceMs = serviceMs;
    user.handoverMs = handoverMs;
    if (route !== undefined) user.flow = [{ kind: 'request', route: routes.get(route) }];
    else user.flow = scenario === undefined ? scenarios.pick(choices) : scenarios.find(scenario);
    advance(user);
  }

  /** Takes the user to its next request, pause or end. @param {User} user */
  function advance(user) {
    user.state = 'between';
    while (user.place < user.flow.length) {
      const instruction = user.flow[user.place++];
      switch (instruction.kind) {
        case 'request':
          request(user, instruction.route);
          return;
        case 'think': {
          const { ms, jitterMs } = instruction;
          const thinkMs = jitterMs === 0 ? ms : Math.max(0, ms + jitterMs * (2 * pauses.uniform() - 1));
          clock.after(thinkMs, user.id * KINDS + USER_WAKES);
          return;
        }
        default: {
          const { depth, count, back } = instruction;
          const rounds = (user.rounds[depth] ?? 0) + 1;
          user.rounds[depth] = rounds % count;
          if (rounds < count) user.place -= back;
        }
      }
    }
    present[user.worker]--;
    users.leave(user);
  }

  /** @param {User} user @param {RouteStats} route */
  function request(user, route) {
    user.state = 'waiting';
    user.outcome = 'ok';
    user.route = route;
    user.serviceMs = Number.isNaN(user.givenServiceMs) ? route.drawServiceMs() : user.givenServiceMs;
    user.overheadMs = drawOverheadMs();
    user.arrivedAtMs = clock.nowMs;
    user.startedAtMs = NaN;
    user.connection = -1;
    tally.startWaiting(clock.nowMs);
    pool.checkOut(user);
    if (user.state === 'waiting') {
      tally.stillWaiting();
      waitDeadlines.add(user);
    }
    if (user.state === 'waiting' || user.serviceMs + user.overheadMs > timeoutMs) answerDeadlines.add(user);
  }

  /** @param {User} user @param {number} connection */
  function serve(user, connection) {
    user.state = 'served';
    user.connection = connection;
    user.startedAtMs = clock.nowMs;
    served[connection] = user;
    tally.startQuery(user, clock.nowMs);
    clock.after(user.serviceMs, connection * KINDS + QUERY_ENDS);
  }

  /** @param {number} connection */
  function endQuery(connection) {
    const user = served[connection];
    // One that was given up had another end.
    if (!user || user.startedAtMs + user.serviceMs !== clock.nowMs) return;
    served[connection] = undefined;
    tally.endQuery(user, clock.nowMs);
    if (user.handoverMs > 0 && tally.waiting() > 0) clock.after(user.handoverMs, connection * KINDS + HANDED_OVER);
    else pool.finish(connection);
    respond(user);
  }

  /** The app is done with the request and the answer on its way. @param {User} user */
  function respond(user) {
    user.state = 'responding';
    if (user.overheadMs > 0) clock.after(user.overheadMs, user.id * KINDS + USER_WAKES);
    else receive(user);
  }

  /** @param {User} user */
  function receive(user) {
    user.ticket++;
    if (user.hasLeft) {
      users.leave(user);
    } else {
      tally.endRequest(user, user.outcome, clock.nowMs);
      advance(user);
    }
  }

  /** The driver gives up: the app answers with an error, and the user goes on. @param {User} user */
  function giveUpWaiting(user) {
    if (user.state !== 'waiting') return;
    tally.stopWaiting(user, clock.nowMs);
    user.ticket++;
    user.outcome = 'waitQueueTimeout';
    respond(user);
  }

  /** The user gives up, and for good. Its connection to the app ends, so that the app gives up too. @param {User} user */
  function giveUpAnswer(user) {
    tally.endRequest(user, 'clientTimeout', clock.nowMs);
    present[user.worker]--;
    if (user.state === 'responding' || !pool.abandon) {
      user.hasLeft = true;
      return;
    }
    user.ticket++;
    if (user.state === 'waiting') {
      tally.stopWaiting(user, clock.nowMs);
      pool.leave?.(user);
    } else {
      user.serviceMs = clock.nowMs - user.startedAtMs;
      served[user.connection] = undefined;
      tally.endQuery(user, clock.nowMs);
      pool.abandon(user.connection);
    }
    users.leave(user);
  }

  return {
    enter,

    /** @param {number} code */
    handle(code) {
      const happening = code % KINDS;
      const index = (code - happening) / KINDS;
      if (happening === QUERY_ENDS) endQuery(index);
      else if (happening === CONNECTED) pool.connected(index);
      else if (happening === HANDED_OVER) pool.finish(index);
      else if (happening === POOL_CHECK) pool.check();
      else if (users.at(index).state === 'responding') receive(users.at(index));
      else advance(users.at(index));
    },

    nextDeadlineMs: () => min(waitDeadlines.nextMs(), answerDeadlines.nextMs()),

    /** What nextDeadlineMs announced. */
    giveUp() {
      if (waitDeadlines.nextMs() <= answerDeadlines.nextMs()) giveUpWaiting(waitDeadlines.pop());
      else giveUpAnswer(answerDeadlines.pop());
    },

    result: () => ({
      ...tally.result(routes.results(), poolOptions.maxPoolSize),
      users: users.entered(),
      skipped,
      connections: pool.total(),
    }),
  };
}
