import { COMMON } from '../assumptions/common-assumptions.js';
import { groupBy } from '../base/group-by.js';
import { sum } from '../base/sample-statistics.js';
import { findClientUse } from '../trace/client-use.js';
import { listWaiting } from '../trace/open-checkouts.js';
import { listTransactions } from '../trace/pool-transactions.js';
import { OUTCOMES } from '../reading/recorded-trace.js';
import { explainWaits } from './explain-waits.js';
import { findLimits } from '../trace/find-limits.js';
import { PoolHistory } from './pool-history.js';
import { findBusiest } from './busiest.js';
import { describeCause } from './cause-facts.js';
import { findFailedOperations } from './failed-operations.js';
import { pickProofs } from './proofs.js';
import { findRepeatedQueries } from './repeated-queries.js';
import { listFindings } from './diagnosis-findings.js';
import { RequestCheckouts, listBackground, splitRequests, splitWaits } from './request-times.js';
import { LoopFacts, ServerFacts, isUsedUp, measureGrowth } from './second-facts.js';
import { findSettings } from './setting-findings.js';
import { findRepeating, measureTransactions } from './transaction-costs.js';
import { judgeClients } from './judge-clients.js';
import { judge } from './verdict.js';

/** @import { RecordedTrace } from '../reading/recorded-trace.js' */
/** @import { Busiest } from './busiest.js' */
/** @import { Wait, WaitEvidence } from './explain-waits.js' */
/** @import { Cause } from './causes.js' */
/** @import { CauseFacts } from './cause-facts.js' */
/** @import { FoundLimit } from '../trace/find-limits.js' */
/** @import { DiagnosisFinding } from './diagnosis-findings.js' */
/** @import { Proof } from './proofs.js' */
/** @import { SettingFinding } from './setting-findings.js' */
/** @import { WaitVerdict } from './verdict.js' */

const LOOPBACK = /^(localhost|127\.|\[?::1)/;

/**
 * @typedef {object} CauseShare
 * @property {Cause} cause
 * @property {number} waitedMs see splitWaits
 * @property {number} share of the waited time
 * @property {number} requests that waited for this; where there are none, checkouts
 * @property {number} requestsShare of the requests that waited
 * @property {CauseFacts} facts
 * @property {Proof[]} proofs
 *
 * @typedef {object} Diagnosis
 * @property {WaitVerdict} verdict
 * @property {{ requests: number, waiting: number, checkouts: number, refused: number, durationMs: number, waitedMs:
 *   number, poolWaitedMs: number, stillWaiting: number, stillWaitedMs: number }} totals waitedMs: in the pool and for a
 *   concurrency limit; poolWaitedMs: in the pool, of which each checkout has exactly one cause; the last two: checkouts
 *   that still waited when the recording ended
 * @property {CauseShare[]} causes the one that took the most time first
 * @property {Busiest | null} busiest null where there is a problem, or too little data
 * @property {DiagnosisFinding[]} findings what else costs time, or fails
 * @property {SettingFinding[]} settings that do not do what they seem to
 */

/**
 * Finds out why the requests of a trace wait.
 *
 * @param {RecordedTrace} trace
 * @param {{ instances?: number, serverLimit?: number }} [fleet] how many instances of the app there are, and how many
 *   connections the server accepts
 * @returns {Diagnosis}
 */
export function diagnose(trace, fleet = {}) {
  const { verdict, totals, causes, evidence, ...found } = judgeTrace(trace);
  const inPool = causes.flatMap(({ waits }) => waits.filter(({ row }) => row >= 0));
  const isCalm = verdict.cause === 'none' || verdict.cause === 'notThePool';
  return {
    verdict,
    totals,
    causes: causes.map(({ waits, ...share }) => ({
      ...share,
      proofs: ['none', 'concurrencyLimit'].includes(share.cause) ? [] : pickProofs(trace, waits),
    })),
    busiest: isCalm ? findBusiest(trace, { evidence, waits: inPool, times: found.times }) : null,
    findings: listFindings(trace, evidence, { verdict, ...found }),
    settings: findSettings(trace, evidence, { ...fleet, ...found, isWhole: !trace.header.history, verdict }),
  };
}

/**
 * Finds out why the requests of a trace wait, without what proves it.
 * @param {RecordedTrace} trace
 */
export function judgeTrace(trace) {
  const { checkouts } = trace;
  const evidence = gatherEvidence(trace);
  const waits = explainWaits(trace, evidence);
  const times = splitRequests(trace, evidence);
  // What a history leaves out would look like connections and places that nobody uses.
  const limits = trace.header.history ? [] : findLimits(trace);
  const repeated = findRepeatedQueries(trace, evidence.byRequest, times);
  const failed = findFailedOperations(trace);
  const costs = measureTransactions(trace, evidence, times);
  // A job or a stream that waits delays no request.
  const isAlone = checkouts.requestOf.every((request) => request < 0);
  const inPool = waits.filter(({ request, row }) => request >= 0 || isAlone || isRefused(checkouts, row));
  const limited = limits.flatMap((limit) => listLimited(trace, evidence, waits, limit));
  const byCause = groupBy([...inPool, ...limited], ({ cause }) => cause);
  const sums = [...byCause].map(([cause, own]) => ({ cause, own, waitedMs: sum(own.map((wait) => wait.waitedMs)) }));
  const waitedMs = sum(sums.map((each) => each.waitedMs));
  const waiting = countRequests(
    sums.flatMap(({ cause, own }) => (cause === 'none' ? [] : own)),
    trace,
  );
  const causes = sums
    .map((each) => ({ ...each, requests: countRequests(each.own, trace) }))
    .map(({ cause, own, waitedMs: ownMs, requests }) => ({
      cause,
      waitedMs: ownMs,
      share: ownMs / (waitedMs || 1),
      requests,
      requestsShare: cause === 'none' ? 0 : requests / (waiting || 1),
      facts: describeCause(cause, own, { trace, evidence, limits, costs }),
      waits: own,
    }))
    .toSorted((a, b) => b.waitedMs - a.waitedMs);
  const stillWaiting = listWaiting(trace);
  const totals = {
    requests: countRequests([...byCause.values()].flat(), trace),
    waiting,
    checkouts: checkouts.length,
    refused: checkouts.useMs.filter((_, row) => isRefused(checkouts, row)).length,
    durationMs: checkouts.startedMs[checkouts.length - 1] - checkouts.startedMs[0],
    waitedMs,
    poolWaitedMs: sum(inPool.map((wait) => wait.waitedMs)),
    stillWaiting: stillWaiting.length + trace.unlisted.count,
    stillWaitedMs: sum(stillWaiting.map((row) => evidence.waitedMs[row])) + trace.unlisted.waitedMs,
  };
  const verdict = judgeClients(
    judge({ trace, evidence, waits, times, limits, causes, totals, repeated, failed, costs }),
    evidence.clients,
  );
  return { verdict, totals, causes, evidence, times, limits, repeated, failed, costs };
}

/**
 * Lists the longest waits for a connection, of different requests, and who had the connections.
 *
 * @param {RecordedTrace} trace
 * @param {number} count at most
 * @returns {Proof[]}
 */
export function listLongestWaits(trace, count) {
  return pickProofs(trace, explainWaits(trace, gatherEvidence(trace)), count);
}

/** Whether it got no connection. @param {RecordedTrace['checkouts']} checkouts @param {number} row */
function isRefused({ useMs, outcomeOf }, row) {
  return Number.isNaN(useMs[row]) && OUTCOMES[outcomeOf[row]] !== 'waiting';
}

/** Counts the requests that waited, and checkouts outside of any. @param {Wait[]} waits @param {RecordedTrace} trace */
function countRequests(waits, { requests }) {
  const isCounted = new Uint8Array(requests.length);
  let count = 0;
  for (const { request } of waits) {
    if (request >= 0 && isCounted[request]) continue;
    isCounted[request] = 1;
    count++;
  }
  return count;
}

/**
 * Lists the waits for a concurrency limit. Where the app lets in more requests than the pool has connections, and these
 * are all in use meanwhile, they wait for the pool: see corpus/loads/a-limit-in-the-app.
 *
 * @param {RecordedTrace} trace
 * @param {WaitEvidence} evidence
 * @param {Wait[]} explained by row of the checkout
 * @param {FoundLimit} found
 * @returns {Wait[]}
 */
function listLimited({ checkouts, pools }, { pools: histories }, explained, { limit, waits }) {
  return waits.map(({ row: request, route, startedMs, beforeMs, firstRow }) => {
    const pool = checkouts.poolOf[firstRow];
    const { maxPoolSize = 0 } = pools[pool];
    const inUse = histories[pool].inUse.meanCount(startedMs, startedMs + beforeMs);
    const isPool = maxPoolSize > 0 && limit > maxPoolSize && inUse >= (1 - COMMON.problemShare) * maxPoolSize;
    const { cause, holders } = explained[firstRow];
    const who = { request, route, waitedMs: beforeMs };
    return isPool && cause !== 'none'
      ? { ...who, cause, row: firstRow, pool, holders }
      : { ...who, cause: 'concurrencyLimit', row: -1, pool: -1, holders: [] };
  });
}

/** @param {RecordedTrace} trace @returns {WaitEvidence} */
function gatherEvidence(trace) {
  const { checkouts, pools: recorded, processes, seconds } = trace;
  const byRequest = new RequestCheckouts(trace);
  const ofProcess = (/** @type {{ process: number }[]} */ list, /** @type {number} */ process) =>
    /** @type {any[]} */ (list.filter((each) => each.process === process));
  const isLocal = processes.map((_, process) =>
    recorded.some((pool) => pool.process === process && LOOPBACK.test(pool.address ?? '')),
  );
  const { cores = 0, busyCores = 0, otherBusyCores = 0 } = trace.server ?? {};
  const loops = processes.map(
    (_, process) =>
      new LoopFacts(
        ofProcess(seconds.loop, process),
        isLocal[process] ? ofProcess(seconds.server, process) : [],
        isLocal[process] && isUsedUp(cores, busyCores + otherBusyCores),
      ),
  );
  const pools = recorded.map(({ process }, pool) => new PoolHistory(trace, pool, loops[process]));
  // Pools of one server share it, whichever process they are in.
  const neighbours = recorded.map(({ address }) => pools.filter((_, other) => recorded[other].address === address));
  const measure = trace.header.history ? () => 0 : measureGrowth;
  const growth = measure(trace, (row) => {
    const outMs = checkouts.startedMs[row] + checkouts.waitMs[row];
    return sum(
      neighbours[checkouts.poolOf[row]].map(({ inUse }) => inUse.meanCount(outMs, outMs + checkouts.useMs[row])),
    );
  });
  const transactions = listTransactions(trace);
  return {
    pools,
    loops,
    servers: processes.map(
      (_, process) =>
        new ServerFacts(ofProcess(seconds.server, process), {
          ...{ growth, isLocal: isLocal[process] },
          otherCores: trace.server?.otherBusyCores,
        }),
    ),
    byRequest,
    clients: findClientUse(trace),
    waitedMs: splitWaits(trace, byRequest),
    background: listBackground(trace),
    transactions,
    repeating: findRepeating(transactions),
  };
}
