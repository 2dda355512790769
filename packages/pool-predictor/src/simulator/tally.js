import { sum } from '../base/sample-statistics.js';

/** @import { Random } from './random.js' */
/** @import { RouteResult } from './route-stats.js' */
/** @import { Query } from './query.js' */
/** @import { RequestOutcome, User } from './users.js' */

/**
 * @typedef {object} SimulatedRequest
 * @property {string} route
 * @property {number} user
 * @property {number} connection of its last query; -1 when it had none
 * @property {number} arrivedAtMs
 * @property {number} startedAtMs of its last query; NaN when it had no connection
 * @property {number} finishedAtMs when the user got its answer or gave up
 * @property {number} waitMs for connections
 * @property {number} responseMs as the client measures it; NaN when it failed
 * @property {RequestOutcome} outcome
 */

/** Counts the requests, waits and queries of a simulation. */
export class Tally {
  /** Queries that are waiting for a connection. */
  waiting = 0;
  #resolutionMs;
  #random;
  /** @type {SimulatedRequest[] | null} */
  #records;
  #failures = {
    refused: 0,
    connectionError: 0,
    waitQueueTimeout: 0,
    operationTimeout: 0,
    requestTimeout: 0,
    clientTimeout: 0,
  };
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

  /**
   * To be called after the checkout, because a request that gets an idle connection at once does not count as waiting.
   */
  recordPeakWaiting() {
    if (this.waiting > this.#peakWaiting) this.#peakWaiting = this.waiting;
  }

  /** @param {Query} query @param {number} nowMs */
  stopWaiting({ user, isBeside, checkOutStartedAtMs }, nowMs) {
    this.waiting--;
    const waitedMs = nowMs - checkOutStartedAtMs;
    this.#waitedMs += waitedMs;
    if (!isBeside) user.waitedMs += waitedMs;
  }

  /** @param {Query} query @param {number} nowMs */
  startQuery(query, nowMs) {
    this.stopWaiting(query, nowMs);
    query.route.recordWait(nowMs - query.checkOutStartedAtMs);
    if (++this.#active > this.#peakActive) this.#peakActive = this.#active;
  }

  /** Its connection broke, so it has waited in vain, and waits again. @param {Query} query */
  loseQuery({ user, isBeside, serviceMs, startedAtMs, checkOutStartedAtMs }) {
    this.#active--;
    this.#busyMs += serviceMs;
    this.waiting++;
    const waitedMs = startedAtMs - checkOutStartedAtMs;
    this.#waitedMs -= waitedMs;
    if (!isBeside) user.waitedMs -= waitedMs;
  }

  /** @param {Query} query whose user may have given up earlier @param {number} nowMs */
  endQuery({ serviceMs, route }, nowMs) {
    route.recordUse(serviceMs);
    this.#active--;
    this.#busyMs += serviceMs;
    this.#lastMs = nowMs;
  }

  /** @param {User} user @param {RequestOutcome} outcome @param {number} nowMs */
  endRequest(user, outcome, nowMs) {
    this.#lastMs = nowMs;
    const leadMs = user.known === null ? 0 : user.known.leadMs;
    const responseMs =
      outcome === 'ok' ? readClock(nowMs - user.arrivedAtMs + leadMs, this.#resolutionMs, user.clockPhase) : NaN;
    if (outcome === 'ok') {
      user.route.recordResponse(responseMs);
      if (!(responseMs <= this.#maxMs)) this.#maxMs = responseMs;
    } else {
      user.route.recordFailure();
      this.#failures[outcome]++;
    }
    if (this.#records) {
      const {
        route,
        number,
        arrivedAtMs,
        query: { connection, startedAtMs, state, checkOutStartedAtMs },
      } = user;
      this.#records.push({
        route: route.name,
        user: number,
        connection,
        arrivedAtMs,
        startedAtMs,
        finishedAtMs: nowMs,
        waitMs: user.waitedMs + (state === 'waiting' ? nowMs - checkOutStartedAtMs : 0),
        responseMs,
        outcome,
      });
    }
  }

  /** @param {Record<string, RouteResult>} routes @param {number} maxPoolSize */
  result(routes, maxPoolSize) {
    const durationMs = this.#requests === 0 ? 0 : this.#lastMs - this.#firstMs;
    return {
      requests: this.#requests,
      checkouts: this.#checkouts,
      failures: sum(Object.values(this.#failures)),
      failuresBy: this.#failures,
      maxMs: this.#maxMs,
      routes,
      durationMs,
      ratePerSec: (this.#requests / durationMs) * 1000,
      peakActive: this.#peakActive,
      peakWaiting: this.#peakWaiting,
      meanActive: this.#busyMs / durationMs,
      meanWaiting: this.#waitedMs / durationMs,
      utilisation: this.#busyMs / durationMs / maxPoolSize,
      ...(this.#records && { records: this.#records }),
    };
  }
}

/**
 * Measures a duration as a client does. With a clock that ticks, the result depends on the phase: where between two
 * ticks the request began.
 *
 * @param {number} ms the true duration
 * @param {number} resolutionMs from one tick to the next; 0: exact
 * @param {number} phase from 0 to 1
 */
function readClock(ms, resolutionMs, phase) {
  return resolutionMs === 0 ? ms : Math.floor(ms / resolutionMs + phase) * resolutionMs;
}
