import { COMMON } from '../assumptions/common-assumptions.js';
import { groupBy } from '../base/group-by.js';
import { countBelow } from '../base/intervals.js';
import { EVENTS, OUTCOMES } from '../reading/recorded-trace.js';

/** @import { Outage } from '../simulator/driver-pool.js' */
/** @import { RecordedTrace } from '../reading/recorded-trace.js' */

/**
 * @typedef {object} AcrossOutages checkouts as they would have been asked for without outages, by row
 * @property {Outage[]} outages in order of time; they do not overlap
 * @property {Float64Array} startedMs when the operation first asked for a connection, or for a server
 * @property {Float64Array} waitMs since then, whatever it did
 * @property {Set<number>} lost rows of first attempts: the driver tried again, which is another row
 * @property {Set<number>} selected rows that waited for a server
 */

const [SUCCEEDED, OPERATION_FAILED, , , , CHECKED_OUT] = OUTCOMES.keys();
const GOT_CONNECTION = [SUCCEEDED, OPERATION_FAILED, CHECKED_OUT];
const [READY, , CLEARED] = EVENTS.keys();

/**
 * Finds when the driver had no server, and puts together what that took apart: an operation that failed when the pool
 * was cleared, and its second attempt. With retryReads and retryWrites, the defaults, the driver tries each once more,
 * when there is a server again:
 * https://github.com/mongodb/specifications/blob/master/source/retryable-reads/retryable-reads.md
 *
 * @param {RecordedTrace} trace
 * @param {number} pool row
 * @returns {AcrossOutages}
 */
export function followOutages(trace, pool) {
  const { checkouts, requests } = trace;
  const startedMs = checkouts.startedMs.slice();
  const waitMs = checkouts.waitMs.slice();
  const lost = new Set();
  const selected = new Set();
  const found = findClears(trace, pool);
  const rowsOf = groupBy(found.length > 0 ? checkouts.requestOf.keys() : [], (row) => checkouts.requestOf[row]);
  const outages = found.map(({ atMs, readyMs }) => {
    const lastMs = readyMs + COMMON.reactionMs;
    for (let row = countBelow(checkouts.startedMs, readyMs); checkouts.startedMs[row] <= lastMs; row++) {
      const request = checkouts.requestOf[row];
      if (checkouts.poolOf[row] !== pool || request < 0) continue;
      const before = findBefore(trace, rowsOf.get(request) ?? [], row);
      const endedMs = before === undefined ? requests.startedMs[request] : endOf(trace, before);
      if (!(endedMs >= atMs - COMMON.waitedMs)) continue;
      const isAgain =
        before !== undefined && isSameOperation(trace, before, row) && checkouts.startedMs[before] <= atMs;
      if (!isAgain && endedMs > readyMs) continue;
      if (isAgain) lost.add(before);
      selected.add(row);
      startedMs[row] = isAgain ? checkouts.startedMs[before] : endedMs;
      waitMs[row] += checkouts.startedMs[row] - startedMs[row];
    }
    return { atMs, readyMs, losesUses: losesUses(trace, pool, { atMs, lost }) };
  });
  return { outages, startedMs, waitMs, lost, selected };
}

/**
 * Makes one pool of those that a client had one after the other, as when the primary of a replica set steps down: the
 * driver leaves the pool of the former primary for that of the new one.
 *
 * @param {RecordedTrace} trace
 * @param {number} pool row
 * @returns {{ trace: RecordedTrace, joined: Set<number> }} the pool has the checkouts of the joined ones, and is
 *   cleared when the driver left one of them
 */
export function joinMoves(trace, pool) {
  const { pools, checkouts, events } = trace;
  const { name, process } = pools[pool];
  const spans = pools.flatMap((each, row) =>
    each.name === name && each.process === process ? findSpan(checkouts, row) : [],
  );
  spans.sort((a, b) => a.firstMs - b.firstMs);
  const isInTurn = spans.every(({ firstMs }, place) => place === 0 || spans[place - 1].lastMs < firstMs);
  if (spans.length < 2 || !isInTurn) return { trace, joined: new Set() };
  const joined = new Set(spans.map(({ row }) => row));
  const numbersBefore = new Map();
  let numbers = 0;
  for (const { row, newest } of spans) {
    numbersBefore.set(row, numbers);
    numbers += newest;
  }
  /** @template {{ poolOf: Int32Array, connectionOf: Int32Array }} T @param {T} columns @returns {T} */
  const join = (columns) => ({
    ...columns,
    poolOf: columns.poolOf.map((row) => (joined.has(row) ? pool : row)),
    connectionOf: columns.connectionOf.map((number, index) =>
      number > 0 ? number + (numbersBefore.get(columns.poolOf[index]) ?? 0) : number,
    ),
  });
  const left = spans.slice(0, -1).map(({ lastMs }) => lastMs);
  const all = join(events);
  joined.delete(pool);
  return {
    joined,
    trace: {
      ...trace,
      checkouts: join(checkouts),
      events: {
        length: events.length + left.length,
        kindOf: Uint8Array.from([...all.kindOf, ...left.map(() => CLEARED)]),
        atMs: Float64Array.from([...all.atMs, ...left]),
        poolOf: Int32Array.from([...all.poolOf, ...left.map(() => pool)]),
        connectionOf: Int32Array.from([...all.connectionOf, ...left.map(() => 0)]),
        reasonOf: Int32Array.from([...all.reasonOf, ...left.map(() => -1)]),
        durationMs: Float64Array.from([...all.durationMs, ...left.map(() => NaN)]),
      },
    },
  };
}

/** @param {RecordedTrace['checkouts']} checkouts @param {number} row of a pool */
function findSpan({ poolOf, startedMs, connectionOf, length }, row) {
  const first = poolOf.indexOf(row);
  if (first < 0) return [];
  let newest = 0;
  for (let index = first; index < length; index++)
    if (poolOf[index] === row) newest = Math.max(newest, connectionOf[index]);
  return [{ row, firstMs: startedMs[first], lastMs: startedMs[poolOf.lastIndexOf(row)], newest }];
}

/** @param {RecordedTrace} trace @param {number} pool row @returns {{ atMs: number, readyMs: number }[]} */
function findClears({ checkouts, events }, pool) {
  /** Times at which the pool was ready. @type {number[]} */
  const readyMs = [];
  /** @type {number[]} */
  const clearedMs = [];
  for (let row = 0; row < events.length; row++) {
    if (events.poolOf[row] !== pool) continue;
    if (events.kindOf[row] === CLEARED) clearedMs.push(events.atMs[row]);
    if (events.kindOf[row] === READY) readyMs.push(events.atMs[row] - events.durationMs[row]);
  }
  if (clearedMs.length === 0) return [];
  for (let row = 0; row < checkouts.length; row++)
    if (checkouts.poolOf[row] === pool && GOT_CONNECTION.includes(checkouts.outcomeOf[row]))
      readyMs.push(checkouts.startedMs[row]);
  readyMs.sort((a, b) => a - b);
  /** @type {{ atMs: number, readyMs: number }[]} */
  const clears = [];
  for (const atMs of clearedMs.sort((a, b) => a - b)) {
    const next = readyMs.find((ms) => ms > atMs);
    // Without one, the driver never came back to this server, and its requests went to another.
    if (next !== undefined && atMs > Number(clears.at(-1)?.readyMs ?? -Infinity)) clears.push({ atMs, readyMs: next });
  }
  return clears;
}

/**
 * Whether the operations that had connections at a clear were lost with them.
 *
 * @param {RecordedTrace} trace
 * @param {number} pool row
 * @param {{ atMs: number, lost: Set<number> }} clear
 */
function losesUses(trace, pool, { atMs, lost }) {
  const { poolOf, outcomeOf, length } = trace.checkouts;
  let [uses, losses] = [0, 0];
  for (let row = 0; row < length; row++) {
    if (poolOf[row] !== pool || !GOT_CONNECTION.includes(outcomeOf[row])) continue;
    const endMs = endOf(trace, row);
    if (!(waitedUntil(trace, row) <= atMs && endMs >= atMs - COMMON.waitedMs)) continue;
    uses++;
    if (outcomeOf[row] === OPERATION_FAILED || lost.has(row)) losses++;
  }
  return losses > uses / 2;
}

/** When it had its connection, or no longer waited for one. @param {RecordedTrace} trace @param {number} row */
function waitedUntil({ checkouts }, row) {
  return checkouts.startedMs[row] + checkouts.waitMs[row];
}

/** @param {RecordedTrace} trace @param {number} row */
function endOf(trace, row) {
  return waitedUntil(trace, row) + (trace.checkouts.useMs[row] || 0);
}

/**
 * Finds the last checkout of its request that had ended.
 * @param {RecordedTrace} trace
 * @param {number[]} rows
 * @param {number} row
 */
function findBefore(trace, rows, row) {
  const startedMs = trace.checkouts.startedMs[row];
  return rows
    .filter((each) => each < row && endOf(trace, each) <= startedMs)
    .sort((a, b) => endOf(trace, a) - endOf(trace, b))
    .at(-1);
}

/** @param {RecordedTrace} trace @param {number} first row @param {number} second row */
function isSameOperation({ checkouts: { operationOf, poolOf } }, first, second) {
  return operationOf[first] === operationOf[second] && poolOf[first] === poolOf[second];
}
