import { isDeepStrictEqual } from 'node:util';
import { createFakeClient } from 'test-support/fake-client.js';
import { Checkouts } from '../../src/core/checkouts.js';
import { EventBatch } from '../../src/core/event-batch.js';
import { readGauges } from '../../src/core/gauges.js';
import { longestHolders, MAX_HOLDERS } from '../../src/core/holders.js';
import { captureFlow, PoolTruth } from './pool-truth.js';

/** @import { CheckoutRecord } from '../../src/core/checkout-log.js' */
/** @import { ServerPool } from '../../src/core/server-pool.js' */
/** @import { RequestContext } from '../../src/core/request-context.js' */
/** @import { Facts, RequestTimes } from './pool-truth.js' */
/** @import { WatchedSchedule } from './plan-requests.js' */

/** @typedef {ReturnType<PoolTruth['gauges']> & { holders: (string | null)[] }} Instant */
/** @typedef {{ atMs: number, monitor: Instant, truth: Instant }} InstantDifference */
/** @typedef {{ atMs: number, monitor: Facts | null, truth: Facts }} CheckoutDifference */
/** @typedef {{ waitMs: number, useMs: number }} Sums */
/** @typedef {{ requestId: string, monitor: Sums, truth: Sums }} RequestDifference */

/** What a client passes on, by the names of the fake one. Its pool is created before anybody can listen to it. */
const EVENTS = ['PoolReady', 'PoolCleared', 'PoolClosed', 'Created', 'Ready', 'Closed'].concat([
  'CheckOutStarted',
  'CheckOutFailed',
  'CheckedOut',
  'CheckedIn',
]);

/** The monitor compares it with the real clock: no event is late. */
const AHEAD = new Date(Date.now() + 86_400_000);

/** Watches the driver's pool while it follows a schedule, as its observer, and compares what the monitor says. */
export class WatchedPool {
  #plan;
  #fake;
  #checkouts;
  #batch;
  /** Known from when the pool is created. @type {PoolTruth} */
  #truth = /** @type {any} */ (null);
  /** Contexts by request. @type {Map<string, RequestContext>} */
  #contexts = new Map();
  /** @type {InstantDifference | null} */
  #instant = null;
  /** Openings that the monitor may have given up, because a clear may have dropped them. @type {Set<object>} */
  #givenUp = new Set();
  /** @type {(InstantDifference | CheckoutDifference | RequestDifference)[]} */
  differences = [];
  /** Unsure: the events did not tell which connections a clear had dropped, or whose a dropped one was. */
  counts = {
    instants: 0,
    instantsUnsure: 0,
    instantsLate: 0,
    instantsWrong: 0,
    checkouts: 0,
    checkoutsUnsure: 0,
    checkoutsWrong: 0,
    aborted: 0,
  };

  /** @param {WatchedSchedule} plan */
  constructor(plan) {
    const { maxPoolSize: max, minPoolSize: min, maxConnecting } = plan.options;
    const now = () => performance.now();
    this.#plan = plan;
    this.#batch = new EventBatch({ size: plan.batchSize });
    this.#fake = createFakeClient({ max, min, maxConnecting, isReady: false, now, batch: this.#batch });
    this.#checkouts = new Checkouts({ batch: this.#batch });
    this.#checkouts.watch(this.#fake.monitor);
  }

  /** @param {any} pool */
  created = (pool) => {
    this.#truth = new PoolTruth(pool, this.#plan, (requestId, signal) =>
      this.#checkouts.run({ route: '/any', requestId, signal }, (context) => {
        this.#contexts.set(requestId, context);
        return captureFlow();
      }),
    );
    this.#fake.emit('PoolCreated', { address: pool.address });
    for (const name of EVENTS)
      pool.on(`connection${name}`, (/** @type {object} */ event) => {
        // Its time is that of the real clock.
        if (!this.#truth.isClosed) this.#fake.emit(name, { ...event, time: AHEAD });
      });
  };

  settled = () => {
    // Who reads the monitor makes it handle its batch.
    if (this.#plan.batchSize > 1) return;
    const [pool] = this.#fake.monitor.servers.values();
    const { total, idle, active, connecting, waiting } = readGauges([pool]);
    const holders = longestHolders(pool).map(({ requestId }) => requestId);
    const monitor = { total, idle, active, connecting, waiting, holders };
    const truth = { ...this.#truth.gauges(), holders: this.#truth.holders().slice(0, MAX_HOLDERS) };
    const atMs = performance.now();
    // An instant is over when time goes on.
    if (this.#instant && this.#instant.atMs < atMs) this.#judgeInstant(this.#instant);
    const expected = this.#allowForClear(pool, monitor, truth);
    this.#instant = {
      atMs,
      monitor: this.#plan.areAbortsTold ? expected : this.#allowForAborts(expected, truth),
      truth,
    };
  };

  /** Compares the records, once the pool is closed. */
  finish() {
    if (this.#instant) this.#judgeInstant(this.#instant);
    const records = new Map(this.#checkouts.list().map((record) => [record.checkOutStartedAtMs, record]));
    this.#checkouts.close();
    this.#batch.close();
    /** @type {CheckoutDifference[]} */
    const different = [];
    for (const truth of this.#truth.checkouts) {
      const record = records.get(performance.timeOrigin + truth.checkOutStartedAtMs);
      const monitor = record ? readFacts(record) : null;
      const { areAbortsTold } = this.#plan;
      this.counts.checkouts++;
      if (truth.outcome === 'checkOutAborted') this.counts.aborted++;
      // What is not told is noticed later.
      if (monitor?.outcome === 'checkOutAborted' && !areAbortsTold && monitor.endedAtMs > truth.endedAtMs)
        monitor.endedAtMs = truth.endedAtMs;
      if (isDeepStrictEqual(monitor, truth)) continue;
      different.push({ atMs: truth.checkOutStartedAtMs, monitor, truth });
    }
    const wrong = different.filter((each) => !different.some((other) => mayBeSwapped(each, other)));
    this.counts.checkoutsUnsure += different.length - wrong.length;
    this.counts.checkoutsWrong += wrong.length;
    this.differences.push(...wrong);
    if (different.length === 0) this.#judgeRequests();
  }

  /** Compares the sums over the checkouts of each request. Without its signal, an abort is only inferred. */
  #judgeRequests() {
    if (!this.#plan.areAbortsTold) return;
    for (const [requestId, { waitMs, useMs }] of this.#contexts) {
      const sums = /** @type {RequestTimes} */ (this.#truth.sums.get(requestId));
      const [monitor, truth] = [
        { waitMs, useMs },
        { waitMs: coveredMs(sums.waits), useMs: sums.useMs },
      ];
      if (!isDeepStrictEqual(monitor, truth)) this.differences.push({ requestId, monitor, truth });
    }
  }

  /** @param {InstantDifference} instant */
  #judgeInstant(instant) {
    this.counts.instants++;
    if (isDeepStrictEqual(instant.monitor, instant.truth)) return;
    this.counts.instantsWrong++;
    this.differences.push(instant);
  }

  /**
   * The events don't tell which connections a clear dropped while they were opened. Until something tells, the monitor
   * counts each of them until the pool is ready, nobody waits, and no opening has taken as long.
   * @param {ServerPool} pool
   * @param {Instant} monitor
   * @param {Instant} truth
   * @returns {Instant} what it says, or the truth where it can't know
   */
  #allowForClear({ connections, paused }, monitor, truth) {
    const { unconfirmed, isQueued, longestOpeningMs } = this.#truth;
    const nowMs = performance.now();
    const isOver = (/** @type {number} */ sinceMs) => !paused && !isQueued && nowMs - sinceMs > longestOpeningMs;
    for (const opening of unconfirmed) if (isOver(opening.fromMs)) this.#givenUp.add(opening);
    const { maxConnecting, maxPoolSize } = this.#plan.options;
    const isPossible = monitor.connecting <= maxConnecting && monitor.total <= maxPoolSize;
    const off = monitor.connecting - truth.connecting;
    const mayCount = Math.min(
      isPossible ? this.#truth.untoldDropped : 0,
      [...connections.unconfirmed].filter(({ sinceMs }) => !isOver(sinceMs)).length,
    );
    const mayMiss = unconfirmed.filter((opening) => this.#givenUp.has(opening)).length;
    if (off === 0 || off > mayCount || -off > mayMiss) return monitor;
    this.counts.instantsUnsure++;
    // Whoever waits because of a connection that is missed seems to have been aborted.
    const waiting = off < 0 ? Math.max(monitor.waiting, truth.waiting) : monitor.waiting;
    return { ...monitor, waiting, connecting: truth.connecting, total: monitor.total - off };
  }

  /**
   * Callers whose own signals aborted them count until their turn has come, and may be taken for holders.
   * @param {Instant} monitor
   * @param {Instant} truth
   * @returns {Instant}
   */
  #allowForAborts(monitor, truth) {
    if (monitor.waiting <= truth.waiting && isDeepStrictEqual(monitor.holders, truth.holders)) return monitor;
    this.counts.instantsLate++;
    return { ...monitor, waiting: Math.min(monitor.waiting, truth.waiting), holders: truth.holders };
  }
}

/**
 * Whether the events can't tell two callers apart: both started in one millisecond, connections were opened for both,
 * and one was dropped after a clear. So the monitor has the end of each for that of the other.
 * @param {CheckoutDifference} one
 * @param {CheckoutDifference} other
 */
function mayBeSwapped(one, other) {
  return (
    Math.floor(one.atMs) === Math.floor(other.atMs) &&
    [one, other].some(({ truth }) => truth.reason === 'connectionError') &&
    isDeepStrictEqual(endOf(one.monitor), endOf(other.truth)) &&
    isDeepStrictEqual(endOf(other.monitor), endOf(one.truth))
  );
}

/** An abort is noticed late if the monitor took its caller for the other one. @param {Facts | null} facts */
function endOf(facts) {
  return facts && facts.outcome !== 'checkOutAborted' && [facts.reason, facts.connectionId, facts.endedAtMs];
}

/** @param {CheckoutRecord} record @returns {Facts} */
function readFacts({ requestId, outcome, reason, connectionId, isFresh, openingMs, behind, ...times }) {
  return {
    requestId,
    outcome,
    reason,
    connectionId,
    isFresh,
    openingMs,
    checkOutStartedAtMs: fromEpoch(times.checkOutStartedAtMs),
    checkedOutAtMs: times.checkedOutAtMs === null ? null : fromEpoch(times.checkedOutAtMs),
    endedAtMs: fromEpoch(times.endedAtMs),
    behind: outcome === 'checkOutFailed' ? [] : behind.map((holder) => holder.requestId),
  };
}

/** Exact for the times of schedules, in 1024ths of a millisecond. @param {number} epochMs */
function fromEpoch(epochMs) {
  return Math.round((epochMs - performance.timeOrigin) * 1024) / 1024;
}

/** How much time some intervals cover, which may overlap. @param {[fromMs: number, toMs: number][]} intervals */
function coveredMs(intervals) {
  let [sumMs, endMs] = [0, -Infinity];
  for (const [fromMs, toMs] of intervals.toSorted(([a], [b]) => a - b)) {
    sumMs += Math.max(0, toMs - Math.max(fromMs, endMs));
    endMs = Math.max(endMs, toMs);
  }
  return sumMs;
}
