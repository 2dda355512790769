/** @import { Random } from './random.js' */
/** @import { RouteResult } from './route-stats.js' */
/** @import { Outcome, User } from './users.js' */

/**
 * @typedef {object} RequestRecord
 * @property {string} route
 * @property {number} user
 * @property {number} connection -1 when it had none
 * @property {number} arrivedAtMs
 * @property {number} startedAtMs NaN when it had no connection
 * @property {number} finishedAtMs when the user got its answer or gave up
 * @property {number} waitMs for a connection
 * @property {number} responseMs as the client measures it; NaN when it failed
 * @property {Outcome} outcome
 */

/** Counts what happens in a simulation. */
export class Tally {
  /** Requests without a connection at this moment. */
  waiting = 0;
  #measure;
  /** @type {RequestRecord[] | null} */
  #records;
  #failures = { refused: 0, waitQueueTimeout: 0, requestTimeout: 0, clientTimeout: 0 };
  #requests = 0;
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
    this.#measure = createClientClock(resolutionMs, random);
    this.#records = keepRequests ? [] : null;
  }

  /** @param {number} nowMs */
  startWaiting(nowMs) {
    if (this.#requests++ === 0) this.#firstMs = nowMs;
    this.waiting++;
  }

  /** Call it after the checkout: a request that gets an idle connection at once does not count as waiting. */
  recordPeakWaiting() {
    if (this.waiting > this.#peakWaiting) this.#peakWaiting = this.waiting;
  }

  /** @param {User} user @param {number} nowMs */
  stopWaiting(user, nowMs) {
    this.waiting--;
    this.#waitedMs += nowMs - user.arrivedAtMs;
  }

  /** @param {User} user @param {number} nowMs */
  startQuery(user, nowMs) {
    this.stopWaiting(user, nowMs);
    user.route.recordWait(nowMs - user.arrivedAtMs);
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
    const responseMs = outcome === 'ok' ? this.#measure(nowMs - user.arrivedAtMs) : NaN;
    if (outcome === 'ok') {
      user.route.recordResponse(responseMs);
      if (!(responseMs <= this.#maxMs)) this.#maxMs = responseMs;
    } else {
      user.route.recordFailure();
      this.#failures[outcome]++;
    }
    if (this.#records) {
      const { route, number, connection, arrivedAtMs, startedAtMs } = user;
      this.#records.push({
        route: route.name, user: number, connection, arrivedAtMs, startedAtMs, finishedAtMs: nowMs,
        waitMs: (Number.isNaN(startedAtMs) ? nowMs : startedAtMs) - arrivedAtMs, responseMs, outcome,
      });
    }
  }

  /** @param {Record<string, RouteResult>} routes @param {number} maxPoolSize */
  result(routes, maxPoolSize) {
    const durationMs = this.#requests === 0 ? 0 : this.#lastMs - this.#firstMs;
    return {
      requests: this.#requests,
      failures: Object.values(this.#failures).reduce((sum, count) => sum + count, 0),
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
 * How a client measures a duration. With a clock that ticks, the result depends on where between two ticks it began.
 *
 * @param {number} resolutionMs from one tick to the next; 0 for an exact clock
 * @param {Random} random
 * @returns {(ms: number) => number}
 */
function createClientClock(resolutionMs, random) {
  if (resolutionMs === 0) return (ms) => ms;
  return (ms) => Math.floor(ms / resolutionMs + random.uniform()) * resolutionMs;
}
