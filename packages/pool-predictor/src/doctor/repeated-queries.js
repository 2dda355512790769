import { COMMON } from '../assumptions/common-assumptions.js';
import { DOCTOR } from '../assumptions/doctor-assumptions.js';
import { sum } from '../base/sample-statistics.js';

/** @import { RecordedTrace } from '../reading/recorded-trace.js' */
/** @import { RequestCheckouts, RequestTimes } from './request-times.js' */

/**
 * A route whose requests send many queries, each when the one before was answered. Most ask the same question again and
 * again: the N + 1 queries of a loop.
 *
 * @typedef {object} RepeatedQueries means of its requests, times in ms
 * @property {string | null} route
 * @property {string[]} operations that a request repeats
 * @property {number} queries one after another, of any operation
 * @property {number} ms that they take, with their waits
 * @property {number} savedMs with one query for each operation that is repeated, if it took as long as one of these
 *   does; 0 if nothing is known to replace them
 * @property {number} durationMs
 */

/** The rest of an answer, which is one query. */
const REST = /^getMore\b/;

/** Operations that one of the same kind can replace: with $in, $lookup, insertMany or bulkWrite. */
const REPLACEABLE = /^(find|aggregate|count|distinct|insert|update|delete|findAndModify)\b/;

/**
 * @param {RecordedTrace} trace
 * @param {RequestCheckouts} byRequest
 * @param {RequestTimes[]} times
 * @returns {RepeatedQueries[]} the one that would save most time in all first
 */
export function findRepeatedQueries(trace, byRequest, times) {
  /**
   * @type {Map<number, { count: number, queries: number, ms: number, savedMs: number, durationMs: number, operations:
   *   Set<string> }>}
   */
  const routes = new Map();
  for (const { row, route, startedMs, durationMs } of times) {
    // A recording may have missed the first queries of a request that was going on when it began.
    if (startedMs < -COMMON.lateMs) continue;
    const known = routes.get(route);
    const own = known ?? { count: 0, queries: 0, ms: 0, savedMs: 0, durationMs: 0, operations: new Set() };
    if (!known) routes.set(route, own);
    own.count++;
    own.durationMs += durationMs;
    for (const [operation, usesMs] of listInTurn(trace, byRequest.of(row))) {
      const ms = sum(usesMs);
      own.queries += usesMs.length;
      own.ms += ms;
      const name = trace.operations[operation]?.name;
      if (usesMs.length < COMMON.atLeast || name === undefined) continue;
      own.operations.add(name);
      if (REPLACEABLE.test(name)) own.savedMs += ms * (1 - 1 / usesMs.length);
    }
  }
  return [...routes]
    .filter(([, { count, queries, ms, durationMs }]) => {
      const isMuch = ms >= COMMON.mostShare * durationMs && ms >= DOCTOR.alikeQueriesMs * count;
      return count >= COMMON.atLeast && queries >= DOCTOR.alikeQueries * count && isMuch;
    })
    .toSorted(([, a], [, b]) => b.savedMs - a.savedMs)
    .map(([route, { count, queries, ms, savedMs, durationMs, operations }]) => ({
      route: trace.routes[route] ?? null,
      operations: [...operations],
      queries: queries / count,
      ms: ms / count,
      savedMs: savedMs / count,
      durationMs: durationMs / count,
    }));
}

/**
 * The times of a request's queries that began when all before them had ended, by operation.
 *
 * @param {RecordedTrace} trace
 * @param {number[]} rows in the order of their starts
 * @returns {Map<number, number[]>}
 */
function listInTurn({ checkouts: { startedMs, waitMs, useMs, operationOf }, operations }, rows) {
  /** @type {Map<number, number[]>} */
  const found = new Map();
  let endMs = -Infinity;
  for (const row of rows) {
    const ms = waitMs[row] + (useMs[row] || 0);
    if (startedMs[row] >= endMs && !REST.test(operations[operationOf[row]]?.name ?? '')) {
      const known = found.get(operationOf[row]);
      if (known) known.push(ms);
      else found.set(operationOf[row], [ms]);
    }
    endMs = Math.max(endMs, startedMs[row] + ms);
  }
  return found;
}
