import { COMMON } from '../assumptions/common-assumptions.js';
import { DOCTOR } from '../assumptions/doctor-assumptions.js';
import { median, quantile } from '../base/sample-statistics.js';
import { EVENTS } from '../reading/recorded-trace.js';
import { Intervals, countUpTo } from '../base/intervals.js';

/** @import { LoopFacts } from './second-facts.js' */
/** @import { RecordedTrace } from '../reading/recorded-trace.js' */

const [READY, CLOSED, CLEARED] = EVENTS.keys();

/**
 * Why a connection is opened: the pool grows, or it replaces one that was closed, because it had been idle for
 * maxIdleTimeMS, because the other side or the network ended it, or because the pool was cleared.
 */
const WHYS = /** @type {const} */ (['growth', 'idle', 'lost', 'cleared']);
/** @typedef {typeof WHYS[number]} Why */

/** The driver's reasons for closing a connection. @type {Record<string, Why>} */
const WHY_CLOSED = { idle: 'idle', error: 'lost', stale: 'cleared' };

/** @typedef {{ fromMs: number, toMs: number, why: Why, connection: number }} Opening */

/** What happened to the connections of one pool. */
export class PoolHistory {
  /** Openings in the order in which they ended. @type {Opening[]} */
  openings = [];
  #whyOf;
  /** Rows of the checkouts that got a connection, in that order. */
  #served;
  /** When each of them got it. */
  #outMs;
  #checkouts;

  /** @param {RecordedTrace} trace @param {number} pool row @param {LoopFacts} loop of its process */
  constructor({ checkouts, events, reasons }, pool, loop) {
    const rows = [...events.poolOf.keys()]
      .filter((row) => events.poolOf[row] === pool)
      .sort((a, b) => events.atMs[a] - events.atMs[b]);
    this.clears = rows
      .filter((row) => events.kindOf[row] === CLEARED)
      .map((row) => ({ atMs: events.atMs[row], reason: reasons[events.reasonOf[row]] ?? '' }));
    this.#findOpenings(events, reasons, rows);
    this.#whyOf = new Map(this.openings.map(({ connection, why }) => [connection, why]));
    this.opening = new Intervals(
      this.openings.map(({ fromMs }) => fromMs),
      this.openings.map(({ toMs }) => toMs),
    );
    this.medianOpeningMs = medianOf(this.openings.map(({ fromMs, toMs }) => toMs - fromMs));
    const ownMs = this.openings.map(({ fromMs, toMs }) => toMs - fromMs - loop.longestMs(fromMs, toMs));
    /**
     * How long opening a connection takes by itself: one of the shortest, without what the event loop may have added.
     * Many that are opened at once delay each other, but a slow handshake delays all: see corpus/causes/coldStart.
     */
    this.handshakeMs = ownMs.length === 0 ? 0 : quantile(ownMs, COMMON.smallShare);
    this.#checkouts = checkouts;
    const { poolOf, startedMs, waitMs, useMs } = checkouts;
    this.#served = Uint32Array.from(poolOf.keys())
      .filter((row) => poolOf[row] === pool && useMs[row] >= 0)
      .sort((a, b) => startedMs[a] + waitMs[a] - (startedMs[b] + waitMs[b]));
    this.#outMs = Float64Array.from(this.#served, (row) => startedMs[row] + waitMs[row]);
    this.inUse = new Intervals(
      this.#outMs,
      Float64Array.from(this.#served, (row) => startedMs[row] + waitMs[row] + useMs[row]),
    );
    this.outages = findOutages(this.clears, this.#outMs);
  }

  /** How many connections were in use at once, at most. */
  get mostInUse() {
    return this.#outMs.reduce((most, atMs) => Math.max(most, this.inUse.countAt(atMs)), 0);
  }

  /** Why a connection was opened. @param {number} connection its number @returns {Why} */
  whyOpened(connection) {
    return this.#whyOf.get(connection) ?? 'growth';
  }

  /** Why most connections were opened in a time. @param {number} fromMs @param {number} toMs @returns {Why} */
  whyMostOpened(fromMs, toMs) {
    const endOf = (/** @type {Opening} */ opening) => opening.toMs;
    // The one that was being opened at the end of it counts too.
    const within = this.openings.slice(
      countUpTo(this.openings, fromMs, endOf),
      countUpTo(this.openings, toMs, endOf) + 1,
    );
    return WHYS.reduce((most, why) => (countWhy(within, why) > countWhy(within, most) ? why : most));
  }

  /** Whether its clears come from connections that are ended one by one. */
  get isLosing() {
    return this.count('lost') > 0 && this.count('lost') >= DOCTOR.lostPerClear * this.clears.length;
  }

  /**
   * The checkouts that had a connection at a time, the last one first.
   * @param {number} atMs
   * @returns {number[]} rows
   */
  holdersAt(atMs) {
    const count = this.inUse.countAt(atMs);
    const rows = [];
    for (let index = countUpTo(this.#outMs, atMs) - 1; index >= 0 && rows.length < count; index--) {
      const row = this.#served[index];
      if (this.#outMs[index] + this.#checkouts.useMs[row] > atMs) rows.push(row);
    }
    return rows;
  }

  /** How many were opened for this reason. @param {Why} why */
  count(why) {
    return countWhy(this.openings, why);
  }

  /** @param {RecordedTrace['events']} events @param {string[]} reasons @param {number[]} rows */
  #findOpenings({ kindOf, atMs, connectionOf, reasonOf, durationMs }, reasons, rows) {
    /** Why the connections that nothing has replaced yet were lost. @type {Why[]} */
    const lost = [];
    /** @type {Set<number>} */
    const open = new Set();
    /** @type {Set<number>} */
    const cleared = new Set();
    for (const row of rows) {
      const [toMs, connection] = [atMs[row], connectionOf[row]];
      if (kindOf[row] === CLEARED) {
        for (const each of open) cleared.add(each);
        lost.push(...Array.from(open, () => /** @type {const} */ ('cleared')));
        open.clear();
      } else if (kindOf[row] === CLOSED) {
        const why = WHY_CLOSED[reasons[reasonOf[row]]];
        if (why && !cleared.has(connection))
          lost.push(why === 'lost' && this.#isCleared(toMs - durationMs[row], toMs) ? 'cleared' : why);
        open.delete(connection);
      } else if (kindOf[row] === READY) {
        const fromMs = toMs - (durationMs[row] || 0);
        const why = lost.pop() ?? (this.#isRecovering(fromMs) ? 'cleared' : 'growth');
        open.add(connection);
        this.openings.push({ fromMs, toMs, why, connection });
      }
    }
  }

  /** @param {number} atMs */
  #isRecovering(atMs) {
    return this.clears.some((clear) => atMs >= clear.atMs && atMs < clear.atMs + DOCTOR.recoveryMs);
  }

  /** @param {number} fromMs when its opening began @param {number} toMs when it was found broken */
  #isCleared(fromMs, toMs) {
    return this.clears.some(({ atMs }) => atMs > fromMs && atMs <= toMs + COMMON.reactionMs);
  }
}

/** @param {Opening[]} openings @param {Why} why */
function countWhy(openings, why) {
  return openings.filter((opening) => opening.why === why).length;
}

/**
 * The times from a clear until the next checkout that got a connection.
 *
 * @param {{ atMs: number }[]} clears
 * @param {Float64Array} outAtMs when checkouts got their connections, sorted
 */
function findOutages(clears, outAtMs) {
  const ends = clears.map(({ atMs }) => outAtMs[countUpTo(outAtMs, atMs)] ?? outAtMs[outAtMs.length - 1] ?? atMs);
  return new Intervals(
    clears.map(({ atMs }) => atMs),
    ends.map((ms, index) => Math.max(ms, clears[index].atMs)),
  );
}

/** @param {number[]} values @returns {number} 0 if there are none */
function medianOf(values) {
  return values.length === 0 ? 0 : median(values);
}
