import { COMMON } from '../assumptions/common-assumptions.js';
import { DOCTOR } from '../assumptions/doctor-assumptions.js';
import { groupBy } from '../base/group-by.js';
import { sum } from '../base/sample-statistics.js';
import { GROWTH_CAUSES, OPENING_CAUSES } from './causes.js';
import { findSlowRoute, listRouteMeans } from './busiest.js';
import { describeServer } from './cause-facts.js';
import { areConflictsProblem } from './transaction-costs.js';

/** @import { RecordedTrace } from '../reading/recorded-trace.js' */
/** @import { Wait, WaitEvidence } from './explain-waits.js' */
/** @import { SlowRoute } from './busiest.js' */
/** @import { Cause } from './causes.js' */
/** @import { CauseFacts } from './cause-facts.js' */
/** @import { FailedOperations } from './failed-operations.js' */
/** @import { FoundLimit } from '../trace/find-limits.js' */
/** @import { RepeatedQueries } from './repeated-queries.js' */
/** @import { CauseShare, Diagnosis } from './diagnose.js' */
/** @import { TransactionCosts } from './transaction-costs.js' */
/** @import { RequestTimes } from './request-times.js' */

/**
 * @typedef {object} WaitVerdict
 * @property {Cause} cause none: requests hardly wait, and nothing else is slow
 * @property {boolean} isProblem false for `none` and `notThePool`, and where there is too little data
 * @property {number} waitingShare of the requests
 * @property {number} meanWaitMs of those
 * @property {number} refusedShare of the checkouts, which got no connection; 0 if they are few
 * @property {CauseFacts | null} facts of the cause; null if nobody waited for it in the pool
 * @property {SlowRoute | null} slow the route whose time lies elsewhere
 */

/** @typedef {Omit<CauseShare, 'proofs'>} FoundCause */

/**
 * What a request or, without requests, a checkout took.
 * @typedef {{ route: number, durationMs: number, waitMs: number }} Span
 */

/**
 * @param {{ trace: RecordedTrace, evidence: WaitEvidence, waits: Wait[], times: RequestTimes[],
 *   limits: FoundLimit[], causes: FoundCause[], totals: Diagnosis['totals'], repeated: RepeatedQueries[], failed:
 *   FailedOperations[], costs: TransactionCosts[] }} found
 * @returns {WaitVerdict}
 */
export function judge({ trace, evidence, waits: explained, times, limits, causes, totals, repeated, failed, costs }) {
  const waits = {
    waitingShare: totals.waiting / (totals.requests || 1),
    meanWaitMs:
      (totals.waitedMs - (causes.find(({ cause }) => cause === 'none')?.waitedMs ?? 0)) / (totals.waiting || 1),
    refusedShare: 0,
    facts: null,
    slow: null,
  };
  const isLittle = totals.checkouts < COMMON.minRequests && totals.waiting < COMMON.few;
  if (isLittle) return { ...waits, cause: 'tooLittleData', isProblem: false };
  const important = causes.filter(({ cause }) => cause !== 'none' && !isPassing(cause, causes, totals));
  const isRefused = totals.refused >= Math.max(COMMON.atLeast, COMMON.rareShare * totals.checkouts);
  const isImportant = (/** @type {number} */ row) => important.some(({ cause }) => cause === explained[row].cause);
  const mayBeLong = important.length > 0 || trace.unlisted.count > 0;
  const spans = mayBeLong ? listSpans(trace, evidence, isImportant, times, limits) : [];
  // Where no route has enough requests, all of them together may.
  if (important.length > 0 && (isRefused || [...groupByRoute(spans), spans].some(hasLongWaits))) {
    const { cause, facts } = pickMain(important);
    const refusedShare = isRefused ? totals.refused / totals.checkouts : 0;
    return { ...waits, refusedShare, cause, isProblem: cause !== 'tooLittleData', facts };
  }
  if (areWaitsLong(spans, trace.unlisted)) return { ...waits, cause: 'tooLittleData', isProblem: false };
  return { ...waits, ...judgeRest(trace, evidence, { times, repeated, failed, costs }) };
}

/**
 * Whether a cause ends when the pool has grown, and made few requests wait.
 * @param {Cause} cause
 * @param {FoundCause[]} causes
 * @param {Diagnosis['totals']} totals
 */
function isPassing(cause, causes, totals) {
  const growing = causes.filter((each) => GROWTH_CAUSES.includes(each.cause));
  return (
    GROWTH_CAUSES.includes(cause) &&
    sum(growing.map(({ requests }) => requests)) < COMMON.problemShare * totals.requests
  );
}

/**
 * @param {RecordedTrace} trace
 * @param {WaitEvidence} evidence
 * @param {(row: number) => boolean} isImportant whether the wait of a checkout counts
 * @param {RequestTimes[]} times
 * @param {FoundLimit[]} limits
 * @returns {Span[]}
 */
function listSpans({ checkouts, requests }, { byRequest, waitedMs }, isImportant, times, limits) {
  const limited = new Map(limits.flatMap(({ waits }) => waits.map(({ row, beforeMs }) => [row, beforeMs])));
  const isKnown = new Uint8Array(requests.length);
  for (const { row } of times) isKnown[row] = 1;
  const spans = times.map(({ row, route, durationMs }) => {
    const counted = sum(
      byRequest
        .of(row)
        .filter(isImportant)
        .map((each) => waitedMs[each]),
    );
    return { route, durationMs, waitMs: counted + (limited.get(row) ?? 0) };
  });
  for (let row = 0; row < checkouts.length; row++) {
    // A change stream that waits delays nobody else.
    if (isKnown[checkouts.requestOf[row]] || (checkouts.requestOf[row] < 0 && times.length > 0)) continue;
    const waitMs = isImportant(row) ? checkouts.waitMs[row] : 0;
    const durationMs = checkouts.waitMs[row] + (checkouts.useMs[row] || 0);
    spans.push({ route: checkouts.routeOf[row], durationMs, waitMs });
  }
  return spans;
}

/** @param {Span[]} spans */
function hasLongWaits(spans) {
  const waiting = spans.filter(
    ({ waitMs, durationMs }) => waitMs >= Math.max(COMMON.waitedMs, COMMON.problemShare * durationMs),
  );
  return waiting.length >= Math.max(COMMON.few, DOCTOR.waitingShare * spans.length) && areWaitsLong(spans);
}

/**
 * Whether waits are long on average, however many waited.
 * @param {Span[]} spans
 * @param {RecordedTrace['unlisted']} [open] more of them
 */
function areWaitsLong(spans, open = { count: 0, waitedMs: 0 }) {
  const count = spans.length + open.count;
  const waitedMs = sum(spans.map(({ waitMs }) => waitMs)) + open.waitedMs;
  const durationMs = sum(spans.map((span) => span.durationMs)) + open.waitedMs;
  return count > 0 && waitedMs >= COMMON.problemShare * durationMs && waitedMs >= COMMON.waitedMs * count;
}

/** The largest cause of the largest kind. @param {FoundCause[]} waited sorted */
function pickMain(waited) {
  const kindOf = (/** @type {Cause} */ cause) => (OPENING_CAUSES.includes(cause) ? 'opening' : cause);
  const kinds = waited.map(({ cause }) =>
    sum(waited.filter((each) => kindOf(each.cause) === kindOf(cause)).map(({ waitedMs }) => waitedMs)),
  );
  return waited[kinds.indexOf(Math.max(...kinds))];
}

/**
 * Nobody waits for long: whether something else takes the time.
 *
 * @param {RecordedTrace} trace
 * @param {WaitEvidence} evidence
 * @param {{ times: RequestTimes[], repeated: RepeatedQueries[], failed: FailedOperations[],
 *   costs: TransactionCosts[] }} found
 * @returns {Pick<WaitVerdict, 'cause' | 'isProblem'> & Partial<WaitVerdict>}
 */
function judgeRest(
  { routes, pools, requests },
  { pools: histories, loops, servers: ofProcess },
  { times, repeated, failed: [failed], costs },
) {
  const totalMs = sum(times.map(({ durationMs }) => durationMs));
  const cleared = times.map(({ startedMs, durationMs }) =>
    Math.max(0, ...histories.map(({ outages }) => outages.coveredMs(startedMs, startedMs + durationMs))),
  );
  const facts = { routes: [], holders: [] };
  if (
    cleared.filter((ms) => ms >= COMMON.slowMs).length >= COMMON.few &&
    sum(cleared) >= COMMON.problemShare * totalMs
  ) {
    const clears = histories.flatMap((history) => history.clears);
    return {
      cause: 'poolCleared',
      isProblem: true,
      facts: { ...facts, clears: { count: clears.length, reason: clears[0].reason } },
    };
  }
  if (failed?.count >= COMMON.problemShare * failed?.of)
    return { cause: 'failedOperations', isProblem: true, facts: { ...facts, failed } };
  const transactions = costs.find(areConflictsProblem);
  if (transactions) return { cause: 'transactions', isProblem: true, facts: { ...facts, transactions } };
  const process = loops.findIndex((loop, row) =>
    loop.isDelaying(times.flatMap((each) => (requests.processOf[each.row] === row ? each.durationMs : []))),
  );
  if (process >= 0) {
    const { maxMs, busy } = loops[process];
    return { cause: 'lateEventLoop', isProblem: true, facts: { ...facts, loop: { maxMs, busy } } };
  }
  const slow = findSlowRoute(listRouteMeans(routes, times), repeated);
  // Queries that are sent one after another take long with any server.
  const servers = pools.map((pool) => ofProcess[pool.process]);
  const full = servers.find(({ isFull, isSlowed }) => (slow?.repeated ? isFull : isSlowed));
  if (full && slow && slow.useMs > slow.durationMs / 2) {
    return {
      cause: 'fullServer',
      isProblem: true,
      slow,
      facts: { ...facts, server: describeServer(full) },
    };
  }
  return { cause: slow ? 'notThePool' : 'none', isProblem: false, slow };
}

/** @template {{ route: number }} T @param {T[]} items */
function groupByRoute(items) {
  return [...groupBy(items, ({ route }) => route).values()];
}
