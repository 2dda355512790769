import { groupBy } from '../base/group-by.js';
import { mean } from '../base/sample-statistics.js';
import { Intervals, countUpTo } from '../base/intervals.js';

/** @import { RecordedTrace } from '../reading/recorded-trace.js' */
/** @import { RequestCheckouts, RequestTimes } from './request-times.js' */

/** @typedef {{ route: number, limit: number, waits: RequestTimes[] }} FoundLimit waits: requests that waited for it */

/** Before their first checkout, requests wait at least this long for a limit. */
const MIN_MS = 5;
const MIN_REQUESTS = 20;
/** Share of those waits during which exactly as many requests as the limit allows have a checkout open. */
const AT_LIMIT = 0.7;
/** Share of those waits during which no more requests have one open. */
const WITHIN_LIMIT = 0.98;
/** Share of those waits that end when another request or checkout ends. */
const HANDED_OVER = 0.8;
const HAND_OVER_MS = 5;

/**
 * Finds routes whose requests wait before their first checkout while always the same number of others has one open: the
 * app lets in no more of them.
 *
 * @param {RecordedTrace} trace
 * @param {RequestTimes[]} times
 * @param {RequestCheckouts} byRequest
 * @returns {FoundLimit[]}
 */
export function findLimits(trace, times, byRequest) {
  const { startedMs, waitMs, useMs } = trace.checkouts;
  return [...groupBy(times, ({ route }) => route)].flatMap(([route, own]) => {
    const waits = own.filter(({ beforeMs, durationMs }) => beforeMs >= MIN_MS && beforeMs >= 0.2 * durationMs);
    if (waits.length < MIN_REQUESTS) return [];
    const endOf = (/** @type {number} */ row) => startedMs[row] + waitMs[row] + (useMs[row] || 0);
    const rows = own.flatMap(({ row }) => byRequest.of(row));
    const open = new Intervals(
      rows.map((row) => startedMs[row]),
      rows.map(endOf),
    );
    const counts = waits.map((each) => open.countAt(each.startedMs + each.beforeMs / 2));
    const limit = mostFrequent(counts);
    const isAt = mean(counts.map((count) => Number(count === limit)));
    const isWithin = mean(counts.map((count) => Number(count <= limit)));
    if (limit === 0 || isAt < AT_LIMIT || isWithin < WITHIN_LIMIT) return [];
    const ends = own.map((each) => each.startedMs + each.durationMs);
    return isHandedOver(waits, [...ends, ...rows.map(endOf)]) ? [{ route, limit, waits }] : [];
  });
}

/** @param {RequestTimes[]} waits @param {number[]} endsMs */
function isHandedOver(waits, endsMs) {
  const sorted = Float64Array.from(endsMs).sort();
  const handedOver = waits.filter(({ startedMs, beforeMs }) => {
    const untilMs = startedMs + beforeMs;
    return countUpTo(sorted, untilMs) > countUpTo(sorted, untilMs - HAND_OVER_MS);
  });
  return handedOver.length >= HANDED_OVER * waits.length;
}

/** @param {number[]} values at least one */
function mostFrequent(values) {
  return [...groupBy(values, Number).values()].reduce((most, each) => (each.length > most.length ? each : most))[0];
}
