import { createArrivals } from './arrivals.js';
import { createDeadlines } from './deadlines.js';
import { createDriverPool } from './driver-pool.js';
import { createEventHeap } from './event-heap.js';
import { createRandom } from './random.js';
import { createRouteStats } from './route-stats.js';
import { createScenarios } from './scenarios.js';
import { createServiceTime } from './service-time.js';
import { createTally } from './tally.js';
import { createUsers } from './users.js';

// An event's code is the index of a connection or user times four, plus what happens to it.
const QUERY_ENDS = 0;
const CONNECTED = 1;
const USER_WAKES = 2;
const POOL_CHECK = 3;

/**
 * Simulates virtual users, each of whom sends its next request when the last is answered, against one pool.
 *
 * It reads no clock, and no chance but the seed's. Service times are drawn as requests arrive, from a stream for each
 * route, so runs that differ in the pool alone see the same load as far as their users' chains allow.
 *
 * @param {object} options
 * @param {import('./workload.js').Workload} [options.workload] not needed when every arrival names its route
 * @param {Iterable<import('./arrivals.js').Arrival>} [options.arrivals] in order of time; default: the workload's phases
 * @param {import('./driver-pool.js').DriverPoolOptions} options.pool
 * @param {Record<string, import('./service-time.js').Service>} [options.services] by route
 * @param {number} [options.seed]
 * @param {number} [options.workers] see createArrivals
 * @param {number} [options.overheadMs] of a response, beside its wait and service
 * @param {boolean} [options.keepRequests] return each request as well, in the order they ended
 */
export function simulate({
  workload, arrivals, pool: poolOptions, services = {}, seed = 1, workers = 1, overheadMs = 0, keepRequests = false,
}) {
  const timeoutMs = workload?.timeoutMs ?? Infinity;
  const random = createRandom(seed, 'users');
  const events = createEventHeap();
  const users = createUsers();
  const tally = createTally(keepRequests);
  const waitDeadlines = createDeadlines(poolOptions.waitQueueTimeoutMS || Infinity);
  const answerDeadlines = createDeadlines(timeoutMs);
  /** @type {Map<string, import('./route-stats.js').RouteStats>} */
  const routes = new Map();
  const scenarios = createScenarios(workload?.scenarios ?? [], routeOf);
  const pool = createDriverPool(poolOptions, {
    serve,
    connectIn: (connection, delayMs) => events.push(nowMs + delayMs, connection * 4 + CONNECTED),
    checkIn: (delayMs) => events.push(nowMs + delayMs, POOL_CHECK),
  });
  /** @type {import('./users.js').User[]} By connection. */
  const served = [];
  /** @type {number[]} By worker. */
  const present = new Array(workers).fill(0);
  let skipped = 0;
  let nowMs = 0;

  /** @param {string} name */
  function routeOf(name) {
    let route = routes.get(name);
    if (!route) {
      route = createRouteStats(name, createServiceTime(services[name], createRandom(seed, name), name));
      routes.set(name, route);
    }
    return route;
  }

  /** @param {import('./arrivals.js').Arrival} arrival */
  function enter({ worker = 0, maxVusers = Infinity, scenario, route, serviceMs = NaN }) {
    if (present[worker] >= maxVusers) {
      skipped++;
      return;
    }
    present[worker]++;
    const user = users.enter();
    user.worker = worker;
    user.givenServiceMs = serviceMs;
    if (route !== undefined) user.flow = [{ kind: 'request', route: routeOf(route) }];
    else user.flow = scenario === undefined ? scenarios.pick(random) : scenarios.find(scenario);
    advance(user);
  }

  /** Takes the user to its next request, pause or end. @param {import('./users.js').User} user */
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
          const thinkMs = jitterMs === 0 ? ms : Math.max(0, ms + jitterMs * (2 * random.uniform() - 1));
          events.push(nowMs + thinkMs, user.id * 4 + USER_WAKES);
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

  /** @param {import('./users.js').User} user @param {import('./route-stats.js').RouteStats} route */
  function request(user, route) {
    user.state = 'waiting';
    user.outcome = 'ok';
    user.route = route;
    user.serviceMs = Number.isNaN(user.givenServiceMs) ? route.drawServiceMs() : user.givenServiceMs;
    user.arrivedAtMs = nowMs;
    user.startedAtMs = NaN;
    user.connection = -1;
    tally.startWaiting(nowMs);
    pool.checkOut(user);
    if (user.state === 'waiting') {
      tally.stillWaiting();
      waitDeadlines.add(user);
    }
    if (user.state === 'waiting' || user.serviceMs + overheadMs > timeoutMs) answerDeadlines.add(user);
  }

  /** @param {import('./users.js').User} user @param {number} connection */
  function serve(user, connection) {
    user.state = 'served';
    user.connection = connection;
    user.startedAtMs = nowMs;
    served[connection] = user;
    tally.startQuery(user, nowMs);
    events.push(nowMs + user.serviceMs, connection * 4 + QUERY_ENDS);
  }

  /** @param {number} connection */
  function endQuery(connection) {
    const user = served[connection];
    tally.endQuery(user);
    pool.finish(connection);
    respond(user);
  }

  /** The app is done with the request; the answer reaches the user. @param {import('./users.js').User} user */
  function respond(user) {
    user.state = 'responding';
    if (overheadMs > 0) events.push(nowMs + overheadMs, user.id * 4 + USER_WAKES);
    else receive(user);
  }

  /** @param {import('./users.js').User} user */
  function receive(user) {
    user.ticket++;
    if (user.isGone) {
      users.leave(user);
    } else {
      tally.endRequest(user, user.outcome, nowMs);
      advance(user);
    }
  }

  /** The app answers with an error and the user goes on. */
  function giveUpWaiting() {
    const user = waitDeadlines.pop();
    if (user.state !== 'waiting') return;
    tally.stopWaiting(user, nowMs);
    user.ticket++;
    user.outcome = 'waitQueueTimeout';
    respond(user);
  }

  /** The user leaves for good; the app does not know and works on. */
  function giveUpAnswer() {
    const user = answerDeadlines.pop();
    tally.endRequest(user, 'clientTimeout', nowMs);
    user.isGone = true;
    present[user.worker]--;
  }

  /** @param {number} code */
  function handle(code) {
    const index = code >> 2;
    switch (code & 3) {
      case QUERY_ENDS:
        endQuery(index);
        break;
      case CONNECTED:
        pool.connected(index);
        break;
      case POOL_CHECK:
        pool.check();
        break;
      case USER_WAKES: {
        const user = users.at(index);
        if (user.state === 'responding') receive(user);
        else advance(user);
      }
    }
  }

  pool.start();
  const coming = (arrivals ?? createArrivals(workload?.phases ?? [], { workers, random }))[Symbol.iterator]();
  let next = coming.next();
  for (;;) {
    const arrivalMs = next.done ? Infinity : next.value.atMs;
    const eventMs = events.nextMs();
    const waitMs = waitDeadlines.nextMs();
    const answerMs = answerDeadlines.nextMs();
    nowMs = Math.min(eventMs, arrivalMs, waitMs, answerMs);
    if (nowMs === Infinity) break;
    // At one instant what ends comes before what begins, and a connection freed just in time is in time.
    if (nowMs === eventMs) {
      handle(events.pop());
    } else if (nowMs === waitMs) {
      giveUpWaiting();
    } else if (nowMs === answerMs) {
      giveUpAnswer();
    } else {
      const arrival = next.value;
      next = coming.next();
      enter(arrival);
    }
  }

  return {
    ...tally.result(routes.values(), poolOptions.maxPoolSize),
    users: users.entered(),
    skipped,
    connections: pool.total(),
  };
}
