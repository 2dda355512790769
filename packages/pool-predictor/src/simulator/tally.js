/** @import { Random } from './random.js' */
/** @import { RouteResult } from './route-stats.js' */
/** @import { Outcome, User } from './users.js' */

/**
 * @typedef {object} RequestRecord
 * @property {string} route
 * @property {number} user
 * @property {number} connection of its last query; -1 when it had none
 * @property {number} arrivedAtMs
 * @property {number} startedAtMs of its last query; NaN when it had no connection
 * @property {number} finishedAtMs when the user got its answer or gave up
 * @property {number} waitMs for connections
 * @property {number} responseMs as the client measures it; NaN when it failed
 * @property {Outcome} outcome
 */

/** Counts what happens in a simulation. */
export class Tally {
  /** Requests without a connection at this moment. */
  waiting = 0;
  #resolutionMs;
  #random;
  /** @type {RequestRecord[] | null} */
  #records;
  #failures = { refused: 0, waitQueueTimeout: 0, requestTimeout: 0, clientTimeout: 0 };
  #requests = 0;
  #checkouts = 0;
  #maxMs = NaN;
  #firstMs = NaN;
  #lastMs = NaN;
  #active = 0;
  #peakActive = 0;
  #peakWaiting = 0;
  #busyMs = 0;
  #waitedMs = 0;

  /**
   * @param {object} options
   * @param {boolean} options.keepRequests
   * @param {number} options.resolutionMs of the clock with which the client measures response times; 0: exact
   * @param {Random} options.random
   */
  constructor({ keepRequests, resolutionMs, random }) {
    this.#resolutionMs = resolutionMs;
    this.#random = random;
    this.#records = keepRequests ? [] : null;
  }

  /** @param {User} user @param {number} nowMs */
  startRequest(user, nowMs) {
    if (this.#resolutionMs > 0) user.clockPhase = this.#random.uniform();
    if (this.#requests++ === 0) this.#firstMs = nowMs;
  }

  startWaiting() {
    this.#checkouts++;
    this.waiting++;
  }

  /** Call it after the checkout: a request that gets an idle connection at once does not count as waiting. */
  recordPeakWaiting() {
    if (this.waiting > this.#peakWaiting) this.#peakWaiting = this.waiting;
  }

  /** @param {User} user @param {number} nowMs */
  stopWaiting(user, nowMs) {
    this.waiting--;
    const waitedMs = nowMs - user.checkOutStartedAtMs;
    this.#waitedMs += waitedMs;
    user.waitedMs += waitedMs;
  }

  /** @param {User} user @param {number} nowMs */
  startQuery(user, nowMs) {
    this.stopWaiting(user, nowMs);
    user.route.recordWait(nowMs - user.checkOutStartedAtMs);
    if (++this.#active > this.#peakActive) this.#peakActive = this.#active;
  }

  /** @param {User} user who may have given up earlier @param {number} nowMs */
  endQuery(user, nowMs) {
    this.#active--;
    this.#busyMs += user.serviceMs;
    this.#lastMs = nowMs;
  }

  /** @param {User} user @param {Outcome} outcome @param {number} nowMs */
  endRequest(user, outcome, nowMs) {
    this.#lastMs = nowMs;
    const responseMs = outcome === 'ok' ? readClock(nowMs - user.arrivedAtMs, this.#resolutionMs, user.clockPhase) : NaN;
    if (outcome === 'ok') {
      user.route.recordResponse(responseMs);
      if (!(responseMs <= this.#maxMs)) this.#maxMs = responseMs;
    } else {
      user.route.recordFailure();
      this.#failures[outcome]++;
    }
    if (this.#records) {
      const { route, number, connection, arrivedAtMs, startedAtMs, state, checkOutStartedAtMs } = user;
      this.#records.push({
        route: route.name, user: number, connection, arrivedAtMs, startedAtMs, finishedAtMs: nowMs,
        waitMs: user.waitedMs + (state === 'waiting' ? nowMs - checkOutStartedAtMs : 0), responseMs, outcome,
      });
    }
  }

  /** @param {Record<string, RouteResult>} routes @param {number} maxPoolSize */
  result(routes, maxPoolSize) {
    return {
      ...describeTotals({
        requests: this.#requests, checkouts: this.#checkouts, failuresBy: this.#failures,
        maxMs: this.#maxMs, firstMs: this.#firstMs, lastMs: this.#lastMs,
        peakActive: this.#peakActive, peakWaiting: this.#peakWaiting, busyMs: this.#busyMs, waitedMs: this.#waitedMs,
      }, routes, maxPoolSize),
      ...(this.#records && { records: this.#records }),
    };
  }
}

/**
 * @param {object} totals of a run
 * @param {number} totals.requests
 * @param {number} [totals.checkouts] default: one for each request
 * @param {Record<Exclude<Outcome, 'ok'>, number>} totals.failuresBy
 * @param {number} totals.maxMs
 * @param {number} totals.firstMs
 * @param {number} totals.lastMs
 * @param {number} totals.peakActive
 * @param {number} totals.peakWaiting
 * @param {number} totals.busyMs of all connections
 * @param {number} totals.waitedMs by all requests
 * @param {Record<string, RouteResult>} routes
 * @param {number} maxPoolSize
 */
export function describeTotals({
  requests, checkouts = requests, failuresBy, maxMs, firstMs, lastMs, peakActive, peakWaiting, busyMs, waitedMs,
}, routes, maxPoolSize) {
  const durationMs = requests === 0 ? 0 : lastMs - firstMs;
  return {
    requests,
    checkouts,
    failures: Object.values(failuresBy).reduce((sum, count) => sum + count, 0),
    failuresBy,
    maxMs,
    routes,
    durationMs,
    ratePerSec: (requests / durationMs) * 1000,
    peakActive,
    peakWaiting,
    meanActive: busyMs / durationMs,
    meanWaiting: waitedMs / durationMs,
    utilisation: busyMs / durationMs / maxPoolSize,
  };
}

/**
 * What a client measures. With a clock that ticks, that depends on where between two ticks the request began, the phase.
 *
 * @param {number} ms the true duration
 * @param {number} resolutionMs from one tick to the next; 0: exact
 * @param {number} phase from 0 to 1
 */
export function readClock(ms, resolutionMs, phase) {
  return resolutionMs === 0 ? ms : Math.floor(ms / resolutionMs + phase) * resolutionMs;
}
