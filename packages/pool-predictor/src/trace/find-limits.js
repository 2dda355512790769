import { COMMON } from '../assumptions/common-assumptions.js';
import { TRACE } from '../assumptions/trace-assumptions.js';
import { groupBy } from '../base/group-by.js';
import { mean, median } from '../base/sample-statistics.js';
import { Intervals, countUpTo } from '../base/intervals.js';

/** @import { RecordedTrace } from '../reading/recorded-trace.js' */

/**
 * A route of which the app lets in only so many requests at once, such as with p-limit.
 *
 * @typedef {object} FoundLimit
 * @property {number} route row in the trace
 * @property {number} limit how many requests have a place at once
 * @property {boolean} untilAnswer a request keeps its place until its answer, and not only until its last check-in
 * @property {LimitedRequest[]} waits requests that waited for a place for a good part of their time
 * @property {(request: LimitedRequest) => number} waitMsOf how long any of `requests` waited for a place
 * @property {LimitedRequest[]} requests all of the route that have a checkout
 *
 * @typedef {object} LimitedRequest
 * @property {number} row
 * @property {number} route
 * @property {number} startedMs
 * @property {number} beforeMs until its first checkout
 * @property {number} firstRow of its checkouts
 * @property {number} checkedInMs when the last of these ended
 * @property {number} answeredMs
 */

/**
 * Finds routes whose requests wait before their first checkout while always the same number of others is between its
 * first and its last one, or its answer: the app lets in no more of them. Where it was never full, nothing shows it.
 *
 * @param {Pick<RecordedTrace, 'checkouts' | 'requests'>} trace
 * @returns {FoundLimit[]}
 */
export function findLimits(trace) {
  const { durationMs, routeOf } = trace.requests;
  const spans = findSpans(trace);
  const { firstRows, beforeMs } = spans;
  const isLong = (/** @type {number} */ row) =>
    beforeMs[row] >= COMMON.lateMs && beforeMs[row] >= TRACE.limitedShare * durationMs[row];
  const rows = Uint32Array.from(firstRows.keys()).filter((row) => firstRows[row] >= 0);
  return [...groupBy(rows.filter(isLong), (row) => routeOf[row])].flatMap(([route, long]) => {
    if (long.length < COMMON.minRequests) return [];
    const describe = (/** @type {number} */ row) => describeRequest(trace, spans, row);
    const requests = Array.from(
      rows.filter((row) => routeOf[row] === route),
      describe,
    );
    const waits = long.map(describe);
    if (!areHandedOver(waits, requests)) return [];
    const [best] = [false, true]
      .map((untilAnswer) => ({ untilAnswer, ...countPlaces(waits, requests, untilAnswer) }))
      .filter(
        ({ limit, atShare, withinShare }) =>
          limit > 0 && atShare >= COMMON.clearShare && withinShare >= TRACE.withinLimitShare,
      )
      .sort((a, b) => b.atShare - a.atShare);
    if (!best) return [];
    const { limit, untilAnswer } = best;
    return [{ route, limit, untilAnswer, waits, requests, waitMsOf: createWaits(requests, best) }];
  });
}

/**
 * Finds the limits on requests whose first checkout is of one pool.
 *
 * @param {Pick<RecordedTrace, 'checkouts' | 'requests'>} trace
 * @param {number} pool row
 * @returns {{ limits: FoundLimit[], limitedMs: Float64Array }} limitedMs: by checkout, how long its request waited
 *   for a place before it
 */
export function findLimitsOf(trace, pool) {
  const { poolOf } = trace.checkouts;
  const limits = findLimits(trace).filter(({ requests }) =>
    requests.every(({ firstRow }) => poolOf[firstRow] === pool),
  );
  const limitedMs = new Float64Array(poolOf.length);
  for (const { requests, waitMsOf } of limits)
    for (const request of requests) limitedMs[request.firstRow] = waitMsOf(request);
  return { limits, limitedMs };
}

/**
 * @param {Pick<RecordedTrace, 'checkouts' | 'requests'>} trace
 * @returns {Record<'firstRows' | 'beforeMs' | 'checkedInMs', Float64Array>} by request: its first checkout, -1 if that
 *   did not start before its answer; the time until that; and when the last one ended
 */
function findSpans({ checkouts: { startedMs, waitMs, useMs, requestOf }, requests }) {
  const [firstRows, beforeMs, checkedInMs] = [-1, NaN, 0].map((none) =>
    new Float64Array(requests.startedMs.length).fill(none),
  );
  for (let row = 0; row < requestOf.length; row++) {
    const request = requestOf[row];
    if (!(startedMs[row] <= requests.startedMs[request] + requests.durationMs[request])) continue;
    if (firstRows[request] < 0) {
      firstRows[request] = row;
      beforeMs[request] = Math.max(0, startedMs[row] - requests.startedMs[request]);
    }
    checkedInMs[request] = Math.max(checkedInMs[request], startedMs[row] + waitMs[row] + (useMs[row] || 0));
  }
  return { firstRows, beforeMs, checkedInMs };
}

/**
 * @param {Pick<RecordedTrace, 'requests'>} trace
 * @param {ReturnType<typeof findSpans>} spans
 * @param {number} row
 * @returns {LimitedRequest}
 */
function describeRequest({ requests }, { firstRows, beforeMs, checkedInMs }, row) {
  const startedMs = requests.startedMs[row];
  return {
    ...{ row, route: requests.routeOf[row], startedMs, beforeMs: beforeMs[row] },
    ...{ firstRow: firstRows[row], checkedInMs: checkedInMs[row], answeredMs: startedMs + requests.durationMs[row] },
  };
}

/** @param {LimitedRequest} request @param {boolean} untilAnswer */
function endOf({ checkedInMs, answeredMs }, untilAnswer) {
  return untilAnswer ? answeredMs : checkedInMs;
}

/** @param {LimitedRequest[]} waits @param {LimitedRequest[]} requests @param {boolean} untilAnswer */
function countPlaces(waits, requests, untilAnswer) {
  const inside = new Intervals(
    requests.map(({ startedMs, beforeMs }) => startedMs + beforeMs),
    requests.map((request) => endOf(request, untilAnswer)),
  );
  const counts = waits.map(({ startedMs, beforeMs }) => inside.countAt(startedMs + beforeMs / 2));
  const limit = mostFrequent(counts);
  return {
    limit,
    atShare: mean(counts.map((count) => Number(count === limit))),
    withinShare: mean(counts.map((count) => Number(count <= limit))),
  };
}

/**
 * What a request does before it asks for a place takes as long as with those that find one free. The rest is its wait.
 *
 * @param {LimitedRequest[]} requests
 * @param {{ limit: number, untilAnswer: boolean }} found
 * @returns {FoundLimit['waitMsOf']}
 */
function createWaits(requests, { limit, untilAnswer }) {
  const ends = requests.map((request) => endOf(request, untilAnswer));
  const startsMs = requests.map(({ startedMs }) => startedMs);
  const findWaiting = (/** @type {number} */ leadMs) => {
    const present = new Intervals(
      startsMs.map((ms, index) => Math.min(ms + leadMs, ends[index])),
      ends,
    );
    return (/** @type {LimitedRequest} */ { startedMs }) => present.countAt(startedMs + leadMs) - 1 >= limit;
  };
  const waited = findWaiting(0);
  const atOnceMs = requests.filter((request) => !waited(request)).map(({ beforeMs }) => beforeMs);
  const leadMs = atOnceMs.length > 0 ? median(atOnceMs) : 0;
  const waits = findWaiting(leadMs);
  return (request) => (waits(request) ? Math.max(0, request.beforeMs - leadMs) : 0);
}

/** @param {LimitedRequest[]} waits @param {LimitedRequest[]} requests */
function areHandedOver(waits, requests) {
  const sorted = Float64Array.from(requests.flatMap(({ checkedInMs, answeredMs }) => [checkedInMs, answeredMs])).sort();
  const handedOver = waits.filter(({ startedMs, beforeMs }) => {
    const untilMs = startedMs + beforeMs;
    return countUpTo(sorted, untilMs) > countUpTo(sorted, untilMs - COMMON.lateMs);
  });
  return handedOver.length >= COMMON.nearlyAllShare * waits.length;
}

/** @param {number[]} values at least one */
function mostFrequent(values) {
  return [...groupBy(values, Number).values()].reduce((most, each) => (each.length > most.length ? each : most))[0];
}
