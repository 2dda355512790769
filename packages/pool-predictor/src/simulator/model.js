import { EVENTS, indexOf, kindOf } from './clock.js';
import { timeoutsOf } from './create-pool.js';
import { createDeadlines } from './deadlines.js';
import { NEVER } from './event-heap.js';
import { compileRequest, compileRequests } from './flow.js';
import { Queries } from './queries.js';
import { createQuery } from './query.js';
import { createRandom } from './random.js';
import { createRoutes } from './route-stats.js';
import { createScenarios } from './scenarios.js';
import { NO_OVERHEAD, createServiceTime } from './service-time.js';
import { Tally } from './tally.js';
import { createUsers } from './users.js';

/** @import { Arrival } from './arrivals.js' */
/** @import { Clock } from './clock.js' */
/** @import { Instruction } from './flow.js' */
/** @import { Query, QueryOutcome } from './query.js' */
/** @import { RouteStats } from './route-stats.js' */
/** @import { SimulationOptions } from './simulate.js' */
/** @import { User } from './users.js' */

const { min } = Math;

/**
 * Users and their requests: handles each event, and schedules the events that follow from it. A user is
 *
 *     between --request--> querying --> responding --> between, until its flow ends
 *        |                 |     ^ ^         ^ ^
 *        |     own query ends    | |         | a timeout, or no connection for it
 *        |                 v     | next query
 *        |                 joining: queries beside its own have not ended
 *        '--a request without queries------'
 *
 * A client that gives up leaves at once. Where the app can't abort its query, nobody gets the answer.
 */
export class Model {
  #clock;
  #timeoutMs;
  #answerDeadlines;
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
  #queries;
  /** Queries that have run beside others, to be used again. @type {Query[]} */
  #unused = [];
  /** @type {number[]} By worker: the number of its active users. */
  #present = [];
  #skipped = 0;

  /** @param {SimulationOptions} options @param {Clock} clock */
  constructor(
    { workload, pool, services = {}, seed = 1, overhead = NO_OVERHEAD, resolutionMs = 0, keepRequests = false, server },
    clock,
  ) {
    this.#clock = clock;
    this.#timeoutMs = workload?.timeoutMs ?? NEVER;
    /** @param {User} user */
    const requestOf = ({ request }) => request;
    /** @param {User} user */
    const arrivedAtMsOf = ({ arrivedAtMs }) => arrivedAtMs;
    this.#requestTimeoutMs = timeoutsOf(pool).requestMs;
    this.#answerDeadlines = createDeadlines(this.#timeoutMs, arrivedAtMsOf, requestOf);
    this.#requestDeadlines = createDeadlines(this.#requestTimeoutMs, arrivedAtMsOf, requestOf);
    this.#choices = createRandom(seed, 'choices');
    this.#pauses = createRandom(seed, 'pauses');
    this.#routes = createRoutes(services, seed);
    this.#drawOverheadMs = createServiceTime(overhead, createRandom(seed, 'overhead'), 'the overhead');
    this.#scenarios = createScenarios(workload?.scenarios ?? [], this.#routes.get);
    this.#routes.requireServices();
    this.#tally = new Tally({ keepRequests, resolutionMs, random: createRandom(seed, "client's clock") });
    this.#maxPoolSize = pool.maxPoolSize;
    this.#queries = new Queries({
      pool,
      server,
      clock,
      tally: this.#tally,
      onEnd: (query, outcome) => this.#endQuery(query, outcome),
    });
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

  /** @param {number} code of an event */
  handle(code) {
    if (kindOf(code) !== EVENTS.userWakes) {
      this.#queries.handle(code);
      return;
    }
    const user = this.#users.at(indexOf(code));
    if (user.state === 'responding') this.#receive(user);
    else this.#advance(user);
  }

  nextDeadlineMs() {
    return min(this.#queries.nextDeadlineMs(), this.#requestDeadlines.nextMs(), this.#answerDeadlines.nextMs());
  }

  /** Ends the wait whose deadline nextDeadlineMs() returned. */
  timeOut() {
    const atMs = this.nextDeadlineMs();
    if (this.#queries.nextDeadlineMs() === atMs) this.#queries.timeOut();
    else if (this.#requestDeadlines.nextMs() === atMs) this.#abortRequest(this.#requestDeadlines.pop());
    else this.#giveUpAnswer(this.#answerDeadlines.pop());
  }

  result() {
    return {
      ...this.#tally.result(this.#routes.results(), this.#maxPoolSize),
      users: this.#users.entered(),
      skipped: this.#skipped,
      connections: this.#queries.connections(),
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
          this.#clock.after(leftMs, EVENTS.userWakes, user.id);
          return;
        }
        case 'think': {
          const { ms, jitterMs } = instruction;
          const thinkMs = jitterMs === 0 ? ms : Math.max(0, ms + jitterMs * (2 * this.#pauses.uniform() - 1));
          this.#clock.after(thinkMs, EVENTS.userWakes, user.id);
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
    const { query } = user;
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
    user.overheadMs = isAnswered ? user.overheadMs + this.#drawOverheadMs() : 0;
    user.arrivedAtMs = nowMs;
    user.waitedMs = 0;
    user.beside = 0;
    query.route = route;
    query.handoverMs = handoverMs;
    query.connection = -1;
    query.startedAtMs = NaN;
    query.serviceMs = 0;
    query.workMs = 0;
    this.#tally.startRequest(user, nowMs);
    if (queries > 0) {
      this.#startQueries(user);
    } else {
      // By an event even after 0 ms: a long loop of such requests must not become a deep recursion.
      user.state = 'responding';
      this.#clock.after(user.overheadMs, EVENTS.userWakes, user.id);
    }
    const mayTakeLong = query.state === 'waiting' || queries > 1 || user.beside > 0 || query.workMs > 0;
    if (mayTakeLong || query.serviceMs > this.#requestTimeoutMs) this.#requestDeadlines.add(user);
    if (mayTakeLong || query.serviceMs + user.overheadMs > this.#timeoutMs) this.#answerDeadlines.add(user);
  }

  /** Starts the user's next query, and those at once with it. @param {User} user */
  #startQueries(user) {
    user.state = 'querying';
    const index = --user.queriesLeft;
    this.#queries.start(user.query, user.servicesMs[index]);
    const besideMs = user.besideMs[index];
    if (besideMs === undefined) return;
    for (const serviceMs of besideMs) {
      const query = this.#unused.pop() ?? createQuery(user, true);
      query.user = user;
      query.route = user.route;
      query.handoverMs = 0;
      user.beside++;
      this.#queries.start(query, serviceMs);
    }
  }

  /** @param {Query} query @param {QueryOutcome} outcome */
  #endQuery(query, outcome) {
    const { user } = query;
    if (query.isBeside) {
      this.#unused.push(query);
      // Its user may have given up.
      if (query.request !== user.request || user.state === 'responding') return;
      user.beside--;
      if (outcome !== 'ok') user.outcome = outcome;
      if (user.state === 'joining') this.#goOn(user);
    } else if (outcome === 'ok') {
      this.#goOn(user);
    } else {
      user.outcome = outcome;
      this.#respond(user, outcome === 'refused');
    }
  }

  /** @param {User} user whose query has ended */
  #goOn(user) {
    if (user.beside > 0) user.state = 'joining';
    else if (user.outcome === 'ok' && user.queriesLeft > 0) this.#startQueries(user);
    else this.#respond(user);
  }

  /**
   * @param {User} user
   * @param {boolean} [isInStart] its query is just being started, so its next request has to wait for an event
   */
  #respond(user, isInStart = false) {
    user.state = 'responding';
    user.endedAtMs = this.#clock.nowMs;
    if (user.overheadMs > 0 || isInStart) this.#clock.after(user.overheadMs, EVENTS.userWakes, user.id);
    else this.#receive(user);
  }

  /** @param {User} user */
  #receive(user) {
    user.request++;
    if (user.hasGivenUp) {
      this.#users.release(user);
    } else {
      this.#tally.endRequest(user, user.outcome, this.#clock.nowMs);
      this.#advance(user);
    }
  }

  /** The request deadline: the app aborts its query or its wait, and answers with an error. @param {User} user */
  #abortRequest(user) {
    if (user.state === 'responding') return;
    this.#queries.abandon(user.query);
    user.outcome = 'requestTimeout';
    this.#respond(user);
  }

  /**
   * The user closes its connection to the app and leaves. The app then aborts what it does for it.
   * @param {User} user
   */
  #giveUpAnswer(user) {
    this.#tally.endRequest(user, 'clientTimeout', this.#clock.nowMs);
    this.#present[user.worker]--;
    if (user.state === 'responding' || !this.#queries.canAbandon) {
      user.hasGivenUp = true;
      return;
    }
    this.#queries.abandon(user.query);
    user.request++;
    this.#users.release(user);
  }
}
