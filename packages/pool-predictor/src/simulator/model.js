import { EVENTS, indexOf, kindOf } from './clock.js';
import { timeoutsOf } from './create-pool.js';
import { createDeadlines } from './deadlines.js';
import { NEVER } from './event-heap.js';
import { Queries } from './queries.js';
import { createQuery } from './query.js';
import { createRandom } from './random.js';
import { planInTurn } from './request-plan.js';
import { createRoutes } from './route-stats.js';
import { createScenarios } from './scenarios.js';
import { NO_OVERHEAD, createServiceTime } from './service-time.js';
import { Tally } from './tally.js';
import { createUsers } from './users.js';

/** @import { Arrival, CallerRequest } from './arrivals.js' */
/** @import { Clock } from './clock.js' */
/** @import { Query, QueryOutcome } from './query.js' */
/** @import { KnownRequest } from './request-plan.js' */
/** @import { RouteStats } from './route-stats.js' */
/** @import { SimulationOptions } from './simulate.js' */
/** @import { User } from './users.js' */

const { min } = Math;
const ONE_QUERY = planInTurn(1);
/** Flow of a user with one request. @type {User['flow']} */
const NO_FLOW = [];

/**
 * Users and their requests: handles each event, and schedules the events that follow from it. A user is
 *
 *     between --request--> querying --> responding --> between, until its flow ends
 *        |                 |     ^           ^ ^
 *        |       a query ends    |           | a timeout, or no connection for it
 *        |                 '-----' others start, see RequestPlan; the first ones with a place, see PlaceLimit
 *        '--a request that waits for no query--'
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
  #turnaroundMs;
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
    { workload, pool, services = {}, seed = 1, overhead, resolutionMs = 0, keepRequests = false, server },
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
    this.#drawOverheadMs = createServiceTime(overhead ?? NO_OVERHEAD, createRandom(seed, 'overhead'), 'the overhead');
    this.#turnaroundMs = overhead ? 0 : (workload?.turnaroundMs ?? 0);
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
  enter({ worker = 0, maxVusers = NEVER, scenario, route, known, serviceMs, handoverMs, requests, untilMs = NEVER }) {
    this.#present[worker] ??= 0;
    if (this.#present[worker] >= maxVusers) {
      this.#skipped++;
      return;
    }
    this.#present[worker]++;
    const user = this.#users.enter();
    user.worker = worker;
    user.untilMs = untilMs;
    user.requests = requests ?? null;
    if (requests) {
      this.#send(user, requests);
    } else if (route !== undefined) {
      user.flow = NO_FLOW;
      this.#request(user, this.#routes.get(route), known, serviceMs, handoverMs);
    } else {
      user.flow = scenario === undefined ? this.#scenarios.pick(this.#choices) : this.#scenarios.find(scenario);
      this.#advance(user);
    }
  }

  /** @param {number} code of an event */
  handle(code) {
    const kind = kindOf(code);
    if (kind !== EVENTS.userWakes && kind !== EVENTS.queryStarts) {
      this.#queries.handle(code);
      return;
    }
    const user = this.#users.at(indexOf(code));
    if (kind === EVENTS.queryStarts) this.#startLater(user);
    else if (user.state === 'responding') this.#receive(user);
    else if (user.requests !== null) this.#send(user, user.requests);
    else this.#advance(user);
  }

  /** Whether the pool has a minimum, so that it is checked. */
  get hasChecks() {
    return this.#queries.hasChecks;
  }

  /** When the pool has to be checked, if the simulation lasts so long. */
  nextCheckMs() {
    return this.#queries.nextCheckMs();
  }

  checkPool() {
    this.#queries.checkPool();
  }

  /** Whether anything times out. */
  get hasDeadlines() {
    return min(this.#timeoutMs, this.#requestTimeoutMs, this.#queries.timeoutMs) < NEVER;
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
    if (user.requests !== null) {
      this.#think(user, user.requests);
      return;
    }
    while (user.position < user.flow.length) {
      const instruction = user.flow[user.position++];
      switch (instruction.kind) {
        case 'request':
          this.#request(user, instruction.route);
          return;
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
    this.#leave(user);
  }

  /**
   * Lets the user think before the next of its requests, if there is one.
   * @param {User} user
   * @param {CallerRequest[]} requests
   */
  #think(user, requests) {
    const { nowMs } = this.#clock;
    if (user.position === requests.length && user.untilMs < NEVER) user.position = 0;
    if (user.position === requests.length || nowMs > user.untilMs) {
      this.#leave(user);
      return;
    }
    const leftMs = user.endedAtMs + requests[user.position].thinkMs - nowMs;
    if (leftMs > 0) this.#clock.after(leftMs, EVENTS.userWakes, user.id);
    else this.#send(user, requests);
  }

  /** @param {User} user @param {CallerRequest[]} requests */
  #send(user, requests) {
    if (this.#clock.nowMs > user.untilMs) {
      this.#leave(user);
      return;
    }
    const { route, known, serviceMs, handoverMs } = requests[user.position++];
    this.#request(user, this.#routes.get(route), known, serviceMs, handoverMs);
  }

  /** @param {User} user */
  #leave(user) {
    this.#present[user.worker]--;
    this.#users.release(user);
  }

  /**
   * @param {User} user
   * @param {RouteStats} route
   * @param {KnownRequest} [known] default: one query
   * @param {number} [serviceMs] of that, default: drawn
   * @param {number} [handoverMs]
   */
  #request(user, route, known = undefined, serviceMs = NaN, handoverMs = 0) {
    const { nowMs } = this.#clock;
    const { query } = user;
    user.outcome = 'ok';
    user.route = route;
    user.known = known ?? null;
    user.handoverMs = handoverMs;
    if (known !== undefined) {
      user.plan = known;
      user.servicesMs = known.servicesMs;
    } else if (Number.isNaN(serviceMs)) {
      route.drawRequest(user);
    } else {
      user.plan = ONE_QUERY;
      user.servicesMs = user.drawnMs;
      user.drawnMs[0] = serviceMs;
    }
    user.overheadMs = known !== undefined && known.isMeasured ? 0 : this.#drawOverheadMs();
    user.arrivedAtMs = nowMs;
    user.waitedMs = 0;
    user.started = 0;
    user.ended = 0;
    user.running = 0;
    user.hasPlace = false;
    query.route = route;
    query.connection = -1;
    query.startedAtMs = NaN;
    query.serviceMs = 0;
    query.workMs = 0;
    this.#tally.startRequest(user, nowMs);
    const queries = user.plan.startsAfter.length;
    const { restMs, endsAfter } = user.plan;
    user.state = 'querying';
    // By an event even after 0 ms: a long loop of requests without queries must not become a deep recursion.
    if (endsAfter === 0) this.#respond(user, true);
    else if (route.places !== null) route.places.take(user);
    const waitsForPlace = endsAfter > 0 && route.places !== null && !user.hasPlace;
    if (!waitsForPlace) this.#startDue(user);
    const mayTakeLong =
      waitsForPlace ||
      this.#queries.mayLoseServer ||
      query.state === 'waiting' ||
      user.later.length > 0 ||
      queries > 1 ||
      query.workMs > 0;
    const alone = query.serviceMs + restMs;
    if (mayTakeLong || alone > this.#requestTimeoutMs) this.#requestDeadlines.add(user);
    if (mayTakeLong || alone + user.overheadMs > this.#timeoutMs) this.#answerDeadlines.add(user);
  }

  /** Starts the queries of the user's request that wait for no more ends. @param {User} user */
  #startDue(user) {
    const { startsAfter, gapsMs } = user.plan;
    while (user.started < startsAfter.length && startsAfter[user.started] <= user.ended) {
      const index = user.started++;
      const gapMs = gapsMs[index];
      if (gapMs > 0) {
        user.later.push({ index, atMs: this.#clock.nowMs + gapMs });
        this.#clock.after(gapMs, EVENTS.queryStarts, user.id);
      } else if (!this.#skipsQuery(user, index)) {
        this.#startQuery(user, index);
      }
    }
  }

  /**
   * A query without a time is never sent: it ends when it would start.
   * @param {User} user
   * @param {number} index of the query
   */
  #skipsQuery(user, index) {
    if (!Number.isNaN(user.servicesMs[index])) return false;
    if (++user.ended === user.plan.endsAfter) this.#respond(user, true);
    return true;
  }

  /** @param {User} user who has a place, and needs it no longer */
  #passPlaceOn(user) {
    const next = user.route.places?.giveBack(user);
    // By an event: where each query is refused at once, a long queue must not become a deep recursion.
    if (next) this.#clock.after(0, EVENTS.queryStarts, next.id);
  }

  /** Starts the queries whose gap, or wait for a place, is over. @param {User} user whose request may have ended */
  #startLater(user) {
    const { nowMs } = this.#clock;
    if (user.hasPlace && user.started === 0) this.#startDue(user);
    for (let next = user.later.findIndex(({ atMs }) => atMs <= nowMs); next >= 0;) {
      const [{ index }] = user.later.splice(next, 1);
      if (this.#skipsQuery(user, index)) this.#startDue(user);
      else this.#startQuery(user, index);
      next = user.later.findIndex(({ atMs }) => atMs <= nowMs);
    }
  }

  /** @param {User} user @param {number} index of the query */
  #startQuery(user, index) {
    user.running++;
    let { query } = user;
    if (query.state !== 'ended') {
      query = this.#unused.pop() ?? createQuery(user, true);
      query.user = user;
      query.route = user.route;
    }
    const { known } = user;
    query.handoverMs = known !== null && known.handoversMs !== null ? known.handoversMs[index] : user.handoverMs;
    query.breaks = known !== null && known.breaks?.[index] === true;
    this.#queries.start(query, user.servicesMs[index]);
  }

  /** @param {Query} query @param {QueryOutcome} outcome */
  #endQuery(query, outcome) {
    const { user, isBeside } = query;
    if (isBeside) this.#unused.push(query);
    // The request may have ended without it.
    if (query.request !== user.request) return;
    user.ended++;
    user.running--;
    if (outcome !== 'ok') {
      this.#dropLater(user);
      if (user.state === 'responding') return;
      user.outcome = outcome;
      // By an event: the query is perhaps just being started.
      if (!isBeside) this.#respond(user, outcome === 'refused' || outcome === 'connectionError');
      else if (user.running === 0) this.#respond(user);
      return;
    }
    if (user.outcome !== 'ok') {
      if (user.state === 'querying' && user.running === 0) this.#respond(user);
      return;
    }
    const isLast = user.ended === user.plan.endsAfter;
    if (user.started < user.plan.startsAfter.length) this.#startDue(user);
    if (isLast) this.#respond(user);
  }

  /** No more queries of the user's request start. @param {User} user */
  #dropLater(user) {
    user.later.length = 0;
    user.started = Infinity;
  }

  /**
   * @param {User} user
   * @param {boolean} [isInStart] its request is just being started, so its next one has to wait for an event
   */
  #respond(user, isInStart = false) {
    const { restMs } = user.plan;
    user.state = 'responding';
    if (user.hasPlace && !user.route.places?.untilAnswer) this.#passPlaceOn(user);
    user.endedAtMs = this.#clock.nowMs + restMs;
    const leftMs = restMs + user.overheadMs;
    if (leftMs > 0 || isInStart) this.#clock.after(leftMs, EVENTS.userWakes, user.id);
    else this.#receive(user);
  }

  /** @param {User} user */
  #receive(user) {
    if (user.hasPlace) this.#passPlaceOn(user);
    if (user.running !== 0 || user.later.length !== 0) this.#leaveQueries(user);
    user.request++;
    if (user.hasGivenUp) {
      this.#users.release(user);
    } else {
      this.#tally.endRequest(user, user.outcome, this.#clock.nowMs);
      if (this.#turnaroundMs > 0 && user.position < user.flow.length) {
        user.state = 'between';
        this.#clock.after(this.#turnaroundMs, EVENTS.userWakes, user.id);
      } else {
        this.#advance(user);
      }
    }
  }

  /** Lets queries that nobody waits for go on without their user. @param {User} user */
  #leaveQueries(user) {
    this.#dropLater(user);
    if (user.query.state === 'ended') return;
    user.query.isBeside = true;
    const query = this.#unused.pop() ?? createQuery(user, false);
    query.user = user;
    query.isBeside = false;
    user.query = query;
  }

  /** The request deadline: the app aborts its query or its wait, and answers with an error. @param {User} user */
  #abortRequest(user) {
    if (user.state === 'responding') return;
    this.#queries.abandon(user.query);
    this.#dropLater(user);
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
    if (user.hasPlace) this.#passPlaceOn(user);
    this.#queries.abandon(user.query);
    this.#dropLater(user);
    user.request++;
    this.#users.release(user);
  }
}
