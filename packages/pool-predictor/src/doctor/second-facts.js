import { COMMON } from '../assumptions/common-assumptions.js';
import { DOCTOR } from '../assumptions/doctor-assumptions.js';
import { groupBy } from '../base/group-by.js';
import { mean, sum } from '../base/sample-statistics.js';
import { countUpTo } from '../base/intervals.js';

/** @import { LoopSecond, RecordedTrace, ServerSecond } from '../reading/recorded-trace.js' */

export const SECOND_MS = 1000;
/** More would make two operations one. */
const MAX_OPERATIONS = 1e6;

/** How late the event loop of a process was. */
export class LoopFacts {
  #recorded;
  #seconds;

  /**
   * @param {LoopSecond[]} seconds of one process
   * @param {ServerSecond[]} neighbours of a server on the same machine
   * @param {boolean} [isMachineFull] during the whole recording
   */
  constructor(seconds, neighbours, isMachineFull = false) {
    this.#recorded = seconds.toSorted((a, b) => a.atMs - b.atMs);
    this.#seconds = this.#recorded
      .map((second) => (isStarved(second, neighbours, isMachineFull) ? { ...second, maxMs: 0, busy: 0 } : second))
      // Work that makes a loop late keeps it busy for as long. Other delays come from outside.
      .map((second) => (isIdle(second) ? { ...second, maxMs: 0 } : second));
    const isKnown = seconds.length > 0;
    this.maxMs = isKnown ? mean(this.#seconds.map(({ maxMs }) => maxMs)) : 0;
    this.blockedShare = this.maxMs / SECOND_MS;
    this.busy = isKnown ? mean(this.#seconds.map(({ busy = 0 }) => busy)) : 0;
    this.isFull = this.busy >= DOCTOR.loopFull;
    /** Whether something blocks the event loop repeatedly. */
    this.isBlocked = this.maxMs >= COMMON.slowMs;
  }

  /**
   * Whether something blocks it for so long that it matters to requests: one that arrives meanwhile waits for half of
   * it, on average.
   * @param {number[]} durationsMs of the requests
   */
  isDelaying(durationsMs) {
    if (this.isFull) return true;
    const delayMs = (this.blockedShare * this.maxMs) / 2;
    return (
      this.maxMs >= DOCTOR.blockedPerSecondMs && delayMs * durationsMs.length >= COMMON.problemShare * sum(durationsMs)
    );
  }

  /** The longest delay in the seconds of a time, whoever caused it. @param {number} fromMs @param {number} toMs */
  longestMs(fromMs, toMs) {
    return Math.max(0, ...pickSeconds(this.#recorded, fromMs, toMs).map(({ maxMs }) => maxMs));
  }

  /** Whether it explains at least half of a wait. @param {number} fromMs @param {number} toMs */
  wasLate(fromMs, toMs) {
    if (this.isFull) return true;
    if (!this.isBlocked) return false;
    const late = pickSeconds(this.#seconds, fromMs, toMs).filter(({ maxMs }) => maxMs >= COMMON.slowMs / 2);
    return sum(late.map(({ maxMs }) => maxMs)) >= (toMs - fromMs) / 2;
  }
}

/** @param {LoopSecond[]} seconds sorted @param {number} fromMs @param {number} toMs */
function pickSeconds(seconds, fromMs, toMs) {
  const first = countUpTo(seconds, fromMs, ({ atMs }) => atMs);
  const last = countUpTo(seconds, toMs, ({ atMs }) => atMs - SECOND_MS);
  return seconds.slice(first, last);
}

/** Whether a loop was late although it had little to do. @param {LoopSecond} loop */
function isIdle({ maxMs, busy = Infinity }) {
  return busy < maxMs / SECOND_MS / 2;
}

/**
 * Whether others left the loop too little of the machine. A loop counts the time in which it is not given a core as
 * busy. Where its CPU time is known, the difference shows. Else it shows if the loop and the server together have more
 * cores than there are, and the server most of them, or if the machine was full.
 *
 * @param {LoopSecond} loop
 * @param {ServerSecond[]} neighbours
 * @param {boolean} isMachineFull during the whole recording
 */
function isStarved({ atMs, busy = 0, cpu }, neighbours, isMachineFull) {
  const server = neighbours.find((second) => Math.abs(second.atMs - atMs) <= SECOND_MS / 2);
  const { cores = 0, busyCores = 0, otherBusyCores } = server ?? {};
  const isFull = otherBusyCores === undefined ? isMachineFull : isUsedUp(cores, busyCores + otherBusyCores);
  if (isFull) return cpu === undefined || cpu < COMMON.clearShare * busy;
  return cpu === undefined && busyCores >= DOCTOR.sharedCoresFull * cores && busyCores + busy > cores && cores > 0;
}

/** @param {number} cores @param {number} busyCores of all programs */
export function isUsedUp(cores, busyCores) {
  return cores > 0 && busyCores >= COMMON.fullShare * cores;
}

/** How full the servers were. */
export class ServerFacts {
  /**
   * @param {ServerSecond[]} seconds
   * @param {{ growth: number, isLocal: boolean, otherCores?: number }} facts growth: see measureGrowth; otherCores:
   *   that other programs used
   */
  constructor(seconds, { growth, isLocal, otherCores }) {
    const shares = seconds.flatMap(({ cores, busyCores }) =>
      cores && busyCores !== undefined ? busyCores / cores : [],
    );
    const queues = seconds.filter(({ ticketsTotal, queued }) => ticketsTotal !== undefined || queued !== undefined);
    const queueing = queues.filter(
      ({ ticketsOut = 0, ticketsTotal = Infinity, queued = 0 }) => queued > 0 || ticketsOut >= 0.95 * ticketsTotal,
    );
    this.growth = growth;
    this.cores = seconds.find(({ cores }) => cores)?.cores;
    this.busyShare = shares.length > 0 ? mean(shares) : undefined;
    this.queueShare = queues.length > 0 ? queueing.length / queues.length : undefined;
    this.otherCores = otherCores;
    /** Whether it runs on the app's machine. */
    this.isLocal = isLocal;
    this.isQueueing = (this.queueShare ?? 0) > 0.5;
    this.isFull =
      this.busyShare === undefined
        ? growth >= COMMON.clearShare
        : this.busyShare >= (isLocal ? DOCTOR.sharedCoresFull : COMMON.nearlyAllShare);
    const { cores = 0, busyShare = 0 } = this;
    // What other programs use, it can't have: see corpus/causes/busyMachine.
    const isStarved = otherCores !== undefined && isUsedUp(cores, busyShare * cores + otherCores);
    // Some use times always grow with the number in use, such as those of a burst. Only a server that is busy for half
    // of the time is called slow because of them: see corpus/loads/CPU-bound-0-8-of-the-server.
    const isGrowing = growth >= COMMON.mostShare && busyShare >= DOCTOR.sharedCoresFull;
    /** Whether its queries slow each other down, even if it has cores to spare. */
    this.isSlowed = this.isFull || this.isQueueing || isGrowing || (isStarved && busyShare >= DOCTOR.coresBusy);
  }
}

/**
 * Measures how use times grow with the number of connections in use at the same time: the exponent, over the operations
 * of each route, weighted by their use. It is the slope of a regression line through the logarithms.
 *
 * @param {RecordedTrace} trace
 * @param {(row: number) => number} inUseOf mean number in use while a checkout had its connection
 * @returns {number} 0 where the trace shows none
 */
export function measureGrowth({ checkouts }, inUseOf) {
  const { useMs, outcomeOf, routeOf, operationOf } = checkouts;
  const used = [...useMs.keys()].filter((row) => useMs[row] > 0 && outcomeOf[row] === 0);
  let [weights, weighted] = [0, 0];
  for (const rows of groupBy(used, (row) => routeOf[row] * MAX_OPERATIONS + operationOf[row]).values()) {
    const weight = sum(rows.map((row) => useMs[row]));
    weights += weight;
    if (rows.length < DOCTOR.growthCheckouts) continue;
    weighted +=
      weight *
      slopeOf(
        rows.map((row) => Math.log(inUseOf(row))),
        rows.map((row) => Math.log(useMs[row])),
      );
  }
  return weights === 0 ? 0 : weighted / weights;
}

/** @param {number[]} x @param {number[]} y of the same points @returns {number} 0 if it may be chance */
function slopeOf(x, y) {
  const [meanX, meanY] = [mean(x), mean(y)];
  const sumOf = (/** @type {(dx: number, dy: number) => number} */ value) =>
    sum(x.map((each, index) => value(each - meanX, y[index] - meanY)));
  const squares = sumOf((dx) => dx ** 2);
  const slope = sumOf((dx, dy) => dx * dy) / squares;
  const residual = sumOf((dx, dy) => (dy - slope * dx) ** 2) / (x.length - 2);
  return slope > DOCTOR.growthSignificance * Math.sqrt(residual / squares) ? slope : 0;
}
