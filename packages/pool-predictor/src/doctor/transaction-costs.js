import { COMMON } from '../assumptions/common-assumptions.js';
import { groupBy } from '../base/group-by.js';
import { Intervals } from '../base/intervals.js';
import { sum } from '../base/sample-statistics.js';

/** @import { RecordedTrace } from '../reading/recorded-trace.js' */
/** @import { PoolTransaction } from '../trace/pool-transactions.js' */
/** @import { PoolHolder, WaitEvidence } from './explain-waits.js' */
/** @import { RequestTimes } from './request-times.js' */

/**
 * What the transactions of a route cost.
 *
 * @typedef {object} TransactionCosts
 * @property {string | null} route
 * @property {number} count one that begins again is another
 * @property {number} conflicts how many failed because another one had changed the same document
 * @property {number} lostShare of the time of their requests, from the start of such a one until the next one began
 * @property {number} waiting how many waited for a connection while they were open, and held what they had changed
 * @property {number} waitMs how long each of these did, on average
 * @property {number} atOnce the most that were open at once
 */

/**
 * Whether a wait for a connection that others had is one of transactions: it is in one that is open, or at least half
 * of the others were requests that had to begin a transaction again.
 *
 * @param {RecordedTrace['checkouts']} checkouts
 * @param {Pick<WaitEvidence, 'transactions' | 'repeating'>} evidence
 * @param {number} row
 * @param {PoolHolder[]} holders
 */
export function isOfTransactions({ poolOf, startedMs, transactionOf }, { transactions, repeating }, row, holders) {
  const own = transactions[poolOf[row]].get(transactionOf[row]);
  if (own && startedMs[row] >= own.openedMs) return true;
  return holders.filter(({ request }) => repeating.has(request)).length >= holders.length / 2;
}

/**
 * Lists requests that had to begin a transaction again.
 * @param {Map<number, PoolTransaction>[]} transactions by pool
 */
export function findRepeating(transactions) {
  const all = transactions.flatMap((ofPool) => [...ofPool.values()]);
  return new Set(all.flatMap(({ hasConflict, request }) => (hasConflict && request >= 0 ? request : [])));
}

/**
 * @param {RecordedTrace} trace
 * @param {Pick<WaitEvidence, 'transactions'>} evidence
 * @param {RequestTimes[]} times
 * @returns {TransactionCosts[]} by route, the ones that cost most first
 */
export function measureTransactions({ routes }, { transactions }, times) {
  const durations = new Map(times.map(({ row, durationMs }) => [row, durationMs]));
  const all = transactions.flatMap((ofPool) => [...ofPool.values()]);
  const costs = [...groupBy(all, ({ route }) => route)].map(([route, own]) => {
    const requests = [...groupBy(own, (each) => (each.request < 0 ? each : each.request)).values()];
    const lostMs = sum(requests.map(sumLost));
    const totalMs = sum(requests.map((tries) => durations.get(tries[0].request) ?? spanOf(tries)));
    const waiting = own.filter(({ waitedMs }) => waitedMs >= COMMON.waitedMs);
    const waitedMs = sum(waiting.map((each) => each.waitedMs));
    const open = new Intervals(
      own.map(({ openedMs }) => openedMs),
      own.map(({ endedMs }) => endedMs),
    );
    const facts = {
      route: routes[route] ?? null,
      count: own.length,
      conflicts: own.filter(({ hasConflict }) => hasConflict).length,
      lostShare: lostMs / (totalMs || 1),
      waiting: waiting.length,
      waitMs: waitedMs / (waiting.length || 1),
      atOnce: own.reduce((most, { openedMs }) => Math.max(most, open.countAt(openedMs)), 0),
    };
    return { facts, costMs: lostMs + waitedMs };
  });
  return costs.toSorted((a, b) => b.costMs - a.costMs).map(({ facts }) => facts);
}

/** Whether conflicts take much of the time of requests. @param {TransactionCosts | undefined} costs */
export function areConflictsProblem(costs) {
  return costs !== undefined && costs.conflicts >= COMMON.few && costs.lostShare >= COMMON.problemShare;
}

/** Whether they are worth a word: some transactions meet others. @param {TransactionCosts} costs */
export function areWorthAWord({ count, conflicts, waiting }) {
  return Math.max(conflicts, waiting) >= Math.max(COMMON.atLeast, COMMON.smallShare * count);
}

/** Adds up the ms from each failed one to the next one. @param {PoolTransaction[]} tries of one request, in order */
function sumLost(tries) {
  return sum(
    tries.map(({ hasConflict, startedMs, endedMs }, index) =>
      hasConflict ? (tries[index + 1]?.startedMs ?? endedMs) - startedMs : 0,
    ),
  );
}

/** @param {PoolTransaction[]} tries */
function spanOf(tries) {
  return tries[tries.length - 1].endedMs - tries[0].startedMs;
}
