import { createPool, timeoutsOf } from './create-pool.js';
import { createDeadlines } from './deadlines.js';
import { NEVER } from './event-heap.js';
import { compileRequest, compileRequests } from './flow.js';
import { createRandom } from './random.js';
import { createRoutes } from './route-stats.js';
import { createScenarios } from './scenarios.js';
import { createServer } from './shared-cores.js';
import { NO_OVERHEAD, createServiceTime } from './service-time.js';
import { Tally } from './tally.js';
import { createUsers } from './users.js';

/** @import { Arrival } from './arrivals.js' */
/** @import { Clock } from './clock.js' */
/** @import { Instruction } from './flow.js' */
/** @import { RouteStats } from './route-stats.js' */
/** @import { SimulationOptions } from './simulate.js' */
/** @import { User } from './users.js' */

const { min } = Math;

// An event's code is the index of a connection, user or core times EVENT_KINDS, plus the kind of event.
const EVENT_KINDS = 8;
const QUERY_ENDS = 0;
const CONNECTED = 1;
const USER_WAKES = 2;
const POOL_CHECK = 3;
const HANDED_OVER = 4;
const WORK_BEGINS = 5;
const TURN_ENDS = 6;

/** Users, routes and the pool between them: handles each event, and schedules the events that follow from it. */
export class Model {
  #clock;
  #timeoutMs;
  #answerDeadlines;
  #waitDeadlines;
  #requestTimeoutMs;
  #requestDeadlines;
  #choices;
  #pauses;
  #routes;
  #drawOverheadMs;
  #scenarios;
  #tally;
  #users = createUsers();
  #maxPoolSize;
  #pool;
  /** Numbers queries by their connections. */
  #server;
  /** @type {(User | undefined)[]} By connection. */
  #served = [];
  /** @type {number[]} By worker: how many of its users are still active. */
  #present = [];
  #skipped = 0;

  /** @param {SimulationOptions} options @param {Clock} clock */
  constructor({
    workload, pool, services = {}, seed = 1, overhead = NO_OVERHEAD, resolutionMs = 0, keepRequests = false, server,
  }, clock) {
    this.#clock = clock;
    this.#timeoutMs = workload?.timeoutMs ?? NEVER;
    /** @param {User} user */
    const requestOf = ({ request }) => request;
    /** @param {User} user */
    const arrivedAtMsOf = ({ arrivedAtMs }) => arrivedAtMs;
    const { waitMs, requestMs } = timeoutsOf(pool);
    this.#requestTimeoutMs = requestMs;
    this.#answerDeadlines = createDeadlines(this.#timeoutMs, arrivedAtMsOf, requestOf);
    this.#requestDeadlines = createDeadlines(requestMs, arrivedAtMsOf, requestOf);
    this.#waitDeadlines = createDeadlines(waitMs, ({ checkOutStartedAtMs }) => checkOutStartedAtMs, ({ ticket }) => ticket);
    this.#choices = createRandom(seed, 'choices');
    this.#pauses = createRandom(seed, 'pauses');
    this.#routes = createRoutes(services, seed);
    this.#drawOverheadMs = createServiceTime(overhead, createRandom(seed, 'overhead'), 'the overhead');
    this.#scenarios = createScenarios(workload?.scenarios ?? [], this.#routes.get);
    this.#routes.requireServices();
    this.#tally = new Tally({ keepRequests, resolutionMs, random: createRandom(seed, 'client\'s clock') });
    this.#maxPoolSize = pool.maxPoolSize;
    this.#pool = createPool(pool, {
      serve: (user, connection) => this.#serve(user, connection),
      connectAfter: (delayMs, connection) => clock.after(delayMs, connection * EVENT_KINDS + CONNECTED),
      checkAfter: (delayMs) => clock.after(delayMs, POOL_CHECK),
      refuse: (user) => this.#refuse(user),
    });
    this.#server = server && createServer(server, {
      nowMs: () => clock.nowMs,
      turnEndsAfter: (delayMs, core) => clock.after(delayMs, core * EVENT_KINDS + TURN_ENDS),
      finish: (connection) => this.#endWork(connection),
    });
    this.#pool.start();
  }

  /** @param {Arrival} arrival */
  enter({ worker = 0, maxVusers = NEVER, scenario, route, serviceMs, handoverMs, requests, untilMs = NEVER }) {
    this.#present[worker] ??= 0;
    if (this.#present[worker] >= maxVusers) {
      this.#skipped++;
      return;
    }
    this.#present[worker]++;
    const user = this.#users.enter();
    user.worker = worker;
    user.untilMs = untilMs;
    if (requests) {
      user.flow = compileRequests(requests, this.#routes.get);
      user.position = 1;
    } else if (route !== undefined) user.flow = [compileRequest(this.#routes.get(route), { serviceMs, handoverMs })];
    else user.flow = scenario === undefined ? this.#scenarios.pick(this.#choices) : this.#scenarios.find(scenario);
    this.#advance(user);
  }

  /** @param {number} code */
  handle(code) {
    const kind = code % EVENT_KINDS;
    const index = (code - kind) / EVENT_KINDS;
    if (kind === QUERY_ENDS) this.#endDelay(index);
    else if (kind === TURN_ENDS) this.#server?.endTurn(index);
    else if (kind === WORK_BEGINS) this.#beginWork(index);
    else if (kind === CONNECTED) this.#pool.connected(index);
    else if (kind === HANDED_OVER) this.#pool.checkIn(index);
    else if (kind === POOL_CHECK) this.#pool.check();
    else if (this.#users.at(index).state === 'responding') this.#receive(this.#users.at(index));
    else this.#advance(this.#users.at(index));
  }

  nextDeadlineMs() {
    return min(this.#waitDeadlines.nextMs(), this.#requestDeadlines.nextMs(), this.#answerDeadlines.nextMs());
  }

  /** Ends the wait whose deadline nextDeadlineMs() returned. */
  timeOut() {
    const atMs = this.nextDeadlineMs();
    if (this.#waitDeadlines.nextMs() === atMs) this.#giveUpWaiting(this.#waitDeadlines.pop());
    else if (this.#requestDeadlines.nextMs() === atMs) this.#abortRequest(this.#requestDeadlines.pop());
    else this.#giveUpAnswer(this.#answerDeadlines.pop());
  }

  result() {
    return {
      ...this.#tally.result(this.#routes.results(), this.#maxPoolSize),
      users: this.#users.entered(),
      skipped: this.#skipped,
      connections: this.#pool.total(),
    };
  }

  /** Takes the user to its next request or pause, or to its end. @param {User} user */
  #advance(user) {
    user.state = 'between';
    if (user.position === user.flow.length && user.untilMs < NEVER) user.position = 0;
    while (user.position < user.flow.length && !(this.#clock.nowMs > user.untilMs)) {
      const instruction = user.flow[user.position++];
      switch (instruction.kind) {
        case 'request':
          this.#request(user, instruction);
          return;
        case 'pause': {
          const leftMs = user.endedAtMs + instruction.ms - this.#clock.nowMs;
          if (leftMs <= 0) break;
          this.#clock.after(leftMs, user.id * EVENT_KINDS + USER_WAKES);
          return;
        }
        case 'think': {
          const { ms, jitterMs } = instruction;
          const thinkMs = jitterMs === 0 ? ms : Math.max(0, ms + jitterMs * (2 * this.#pauses.uniform() - 1));
          this.#clock.after(thinkMs, user.id * EVENT_KINDS + USER_WAKES);
          return;
        }
        default: {
          const { depth, count, back } = instruction;
          const rounds = (user.rounds[depth] ?? 0) + 1;
          user.rounds[depth] = rounds % count;
          if (rounds < count) user.position -= back;
        }
      }
    }
    this.#present[user.worker]--;
    this.#users.release(user);
  }

  /** @param {User} user @param {Extract<Instruction<RouteStats>, { kind: 'request' }>} instruction */
  #request(user, { route, serviceMs, handoverMs, isAnswered }) {
    const { nowMs } = this.#clock;
    user.state = 'waiting';
    user.outcome = 'ok';
    user.route = route;
    if (Number.isNaN(serviceMs)) {
      route.drawRequest(user);
    } else {
      user.servicesMs[0] = serviceMs;
      user.queriesLeft = 1;
      user.overheadMs = 0;
      user.besideMs[0] = undefined;
    }
    const queries = user.queriesLeft;
    user.handoverMs = handoverMs;
    user.overheadMs = isAnswered ? user.overheadMs + this.#drawOverheadMs() : 0;
    user.arrivedAtMs = nowMs;
    user.startedAtMs = NaN;
    user.serviceMs = 0;
    user.waitedMs = 0;
    user.connection = -1;
    user.helpers = 0;
    this.#tally.startRequest(user, nowMs);
    if (queries > 0) {
      this.#startQueries(user);
    } else {
      // By an event even after 0 ms: a long loop of such requests must not become a deep recursion.
      user.state = 'responding';
      this.#clock.after(user.overheadMs, user.id * EVENT_KINDS + USER_WAKES);
    }
    const mayTakeLong = user.state === 'waiting' || queries > 1 || user.helpers > 0 || user.workMs > 0;
    if (mayTakeLong || user.serviceMs > this.#requestTimeoutMs) this.#requestDeadlines.add(user);
    if (mayTakeLong || user.serviceMs + user.overheadMs > this.#timeoutMs) this.#answerDeadlines.add(user);
  }

  /** Takes a connection for the user's next query, and for those at once with it. @param {User} user */
  #startQueries(user) {
    this.#checkOut(user);
    const besideMs = user.besideMs[user.queriesLeft];
    if (besideMs === undefined) return;
    for (const serviceMs of besideMs) {
      const helper = this.#users.help(user);
      helper.route = user.route;
      helper.servicesMs[0] = serviceMs;
      helper.queriesLeft = 1;
      helper.handoverMs = 0;
      helper.waitedMs = 0;
      user.helpers++;
      this.#checkOut(helper);
    }
  }

  /** Takes a connection for the next query. @param {User} user */
  #checkOut(user) {
    user.state = 'waiting';
    user.serviceMs = user.servicesMs[--user.queriesLeft];
    user.checkOutStartedAtMs = this.#clock.nowMs;
    this.#tally.startWaiting();
    this.#pool.checkOut(user);
    if (user.state !== 'waiting') return;
    this.#tally.recordPeakWaiting();
    this.#waitDeadlines.add(user);
  }

  /** @param {User} user @param {number} connection */
  #serve(user, connection) {
    const { nowMs } = this.#clock;
    user.state = 'served';
    user.connection = connection;
    user.startedAtMs = nowMs;
    this.#served[connection] = user;
    this.#tally.startQuery(user, nowMs);
    // Without a server, or without work, the whole service time is a delay.
    user.workMs = this.#server ? user.serviceMs * user.route.workShare : 0;
    user.serviceMs -= user.workMs;
    this.#clock.after(user.serviceMs, connection * EVENT_KINDS + (user.workMs > 0 ? WORK_BEGINS : QUERY_ENDS));
  }

  /**
   * The user whose query's delay ends now. The event of an abandoned query is still in the heap, and must not end the
   * connection's next one.
   *
   * @param {number} connection
   */
  #findDelayed(connection) {
    const user = this.#served[connection];
    return user && user.startedAtMs + user.serviceMs === this.#clock.nowMs ? user : undefined;
  }

  /** @param {number} connection */
  #beginWork(connection) {
    const user = this.#findDelayed(connection);
    if (user) this.#server?.add(connection, user.workMs);
  }

  /** @param {number} connection */
  #endWork(connection) {
    const user = /** @type {User} */ (this.#served[connection]);
    user.serviceMs = this.#clock.nowMs - user.startedAtMs;
    this.#endQuery(user, connection);
  }

  /** @param {number} connection */
  #endDelay(connection) {
    const user = this.#findDelayed(connection);
    if (user) this.#endQuery(user, connection);
  }

  /** @param {User} user @param {number} connection */
  #endQuery(user, connection) {
    const { nowMs } = this.#clock;
    this.#served[connection] = undefined;
    this.#tally.endQuery(user, nowMs);
    if (user.handoverMs > 0 && this.#tally.waiting > 0) {
      this.#clock.after(user.handoverMs, connection * EVENT_KINDS + HANDED_OVER);
    } else {
      this.#pool.checkIn(connection);
    }
    if (user.owner) this.#endHelp(user);
    else this.#goOn(user);
  }

  /** @param {User} user whose query has ended */
  #goOn(user) {
    user.ticket++;
    if (user.helpers > 0) user.state = 'joining';
    else if (user.outcome === 'ok' && user.queriesLeft > 0) this.#startQueries(user);
    else this.#respond(user);
  }

  /** @param {User} helper whose query or wait has ended */
  #endHelp(helper) {
    const { owner, ownerRequest, outcome } = helper;
    helper.owner = undefined;
    helper.ticket++;
    helper.outcome = 'ok';
    this.#users.release(helper);
    // It may have given up.
    if (!owner || owner.request !== ownerRequest || owner.state === 'responding') return;
    owner.helpers--;
    if (outcome !== 'ok') owner.outcome = outcome;
    if (owner.state === 'joining') this.#goOn(owner);
  }

  /** @param {User} user */
  #respond(user) {
    user.state = 'responding';
    user.endedAtMs = this.#clock.nowMs;
    if (user.overheadMs > 0) this.#clock.after(user.overheadMs, user.id * EVENT_KINDS + USER_WAKES);
    else this.#receive(user);
  }

  /** @param {User} user */
  #receive(user) {
    user.ticket++;
    user.request++;
    if (user.hasGivenUp) {
      this.#users.release(user);
    } else {
      this.#tally.endRequest(user, user.outcome, this.#clock.nowMs);
      this.#advance(user);
    }
  }

  /** waitQueueTimeoutMS: the app answers with an error, and the user goes on. @param {User} user */
  #giveUpWaiting(user) {
    if (user.state !== 'waiting') return;
    this.#abandon(user);
    user.outcome = 'waitQueueTimeout';
    if (user.owner) this.#endHelp(user);
    else this.#respond(user);
  }

  /** The request deadline: the app aborts its query or its wait, and answers with an error. @param {User} user */
  #abortRequest(user) {
    if (user.state === 'responding') return;
    this.#abandon(user);
    user.outcome = 'requestTimeout';
    this.#respond(user);
  }

  /** The app answers with an error at once. Not in the same turn: the user may send its next request. @param {User} user */
  #refuse(user) {
    this.#tally.stopWaiting(user, this.#clock.nowMs);
    user.outcome = 'refused';
    if (user.owner) {
      this.#endHelp(user);
      return;
    }
    user.state = 'responding';
    this.#clock.after(user.overheadMs, user.id * EVENT_KINDS + USER_WAKES);
  }

  /** The user closes its connection to the app and leaves. The app then aborts what it does for it. @param {User} user */
  #giveUpAnswer(user) {
    const { nowMs } = this.#clock;
    this.#tally.endRequest(user, 'clientTimeout', nowMs);
    this.#present[user.worker]--;
    if (user.state === 'responding' || !this.#pool.abandon) {
      user.hasGivenUp = true;
      return;
    }
    this.#abandon(user);
    user.request++;
    this.#users.release(user);
  }

  /** Ends the user's wait, or the query that runs for it. @param {User} user */
  #abandon(user) {
    const { nowMs } = this.#clock;
    user.ticket++;
    if (user.state === 'waiting') {
      this.#tally.stopWaiting(user, nowMs);
      this.#pool.abortCheckOut?.(user);
    } else if (user.state === 'served') {
      user.serviceMs = nowMs - user.startedAtMs;
      this.#served[user.connection] = undefined;
      if (user.workMs > 0) this.#server?.remove(user.connection);
      this.#tally.endQuery(user, nowMs);
      this.#pool.abandon?.(user.connection);
    }
  }
}
