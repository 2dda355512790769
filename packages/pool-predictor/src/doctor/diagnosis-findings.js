import { COMMON } from '../assumptions/common-assumptions.js';
import { DOCTOR } from '../assumptions/doctor-assumptions.js';
import { groupBy } from '../base/group-by.js';
import { sum } from '../base/sample-statistics.js';
import { findFarServers } from './far-server.js';
import { isUsedUp } from './second-facts.js';
import { areWorthAWord } from './transaction-costs.js';

/** @import { RecordedTrace } from '../reading/recorded-trace.js' */
/** @import { WaitEvidence } from './explain-waits.js' */
/** @import { FarServer } from './far-server.js' */
/** @import { FailedOperations } from './failed-operations.js' */
/** @import { RepeatedQueries } from './repeated-queries.js' */
/** @import { RequestTimes } from './request-times.js' */
/** @import { TransactionCosts } from './transaction-costs.js' */
/** @import { WaitVerdict } from './verdict.js' */

/**
 * @typedef {object} BufferedQueries requests that asked for no connection and ended when mongoose gives up
 * @property {string | null} route
 * @property {number} count
 * @property {number} ms
 *
 * @typedef {object} BusyMachine where app and server run
 * @property {number} cores
 * @property {number} serverCores that the server used
 * @property {number} otherCores that other programs used
 *
 * @typedef {({ kind: 'repeatedQueries' } & RepeatedQueries) | ({ kind: 'failedOperations' } & FailedOperations) |
 *   ({ kind: 'transactions' } & TransactionCosts) | ({ kind: 'bufferedQueries' } & BufferedQueries) |
 *   ({ kind: 'busyMachine' } & BusyMachine) | ({ kind: 'farServer' } & FarServer) |
 *   { kind: 'blockedLoop', maxMs: number }} DiagnosisFinding blockedLoop: in an average second
 */

/** How long mongoose keeps queries until it is connected: https://mongoosejs.com/docs/guide.html#bufferTimeoutMS */
const BUFFER_TIMEOUT_MS = 10_000;

/**
 * What the verdict does not say.
 *
 * @param {RecordedTrace} trace
 * @param {WaitEvidence} evidence
 * @param {{ verdict: WaitVerdict, times: RequestTimes[], repeated: RepeatedQueries[], failed: FailedOperations[],
 *   costs: TransactionCosts[] }} found
 * @returns {DiagnosisFinding[]}
 */
export function listFindings(trace, evidence, { verdict, times, repeated, failed, costs }) {
  return [
    ...failed.filter((each) => each !== verdict.facts?.failed).map((each) => tag('failedOperations', each)),
    ...repeated.filter((each) => each !== verdict.slow?.repeated).map((each) => tag('repeatedQueries', each)),
    ...costs
      .filter((each) => areWorthAWord(each) && each !== verdict.facts?.transactions)
      .map((each) => tag('transactions', each)),
    ...findBufferedQueries(trace, evidence, times).map((each) => tag('bufferedQueries', each)),
    ...findFarServers(trace, evidence.pools).map((each) => tag('farServer', each)),
    ...findBlockedLoops(evidence, verdict),
    ...findBusyMachine(trace).map((each) => tag('busyMachine', each)),
  ];
}

/** @template {string} K @template T @param {K} kind @param {T} finding @returns {{ kind: K } & T} */
function tag(kind, finding) {
  return { kind, ...finding };
}

/**
 * @param {RecordedTrace} trace
 * @param {Pick<WaitEvidence, 'byRequest'>} evidence
 * @param {RequestTimes[]} times
 * @returns {BufferedQueries[]}
 */
function findBufferedQueries({ routes }, { byRequest }, times) {
  const gaveUp = times.filter(
    ({ row, durationMs }) =>
      durationMs >= BUFFER_TIMEOUT_MS &&
      durationMs <= BUFFER_TIMEOUT_MS + COMMON.reactionMs &&
      byRequest.of(row).length === 0,
  );
  return [...groupBy(gaveUp, ({ route }) => route)].flatMap(([route, own]) => {
    const ms = sum(own.map(({ durationMs }) => durationMs)) / own.length;
    return own.length >= COMMON.atLeast ? { route: routes[route] ?? null, count: own.length, ms } : [];
  });
}

/** @param {WaitEvidence} evidence @param {WaitVerdict} verdict @returns {DiagnosisFinding[]} */
function findBlockedLoops({ loops }, { cause, facts }) {
  const blocked = loops.filter(({ maxMs }) => maxMs >= DOCTOR.blockedPerSecondMs);
  // Opening the connections of many clients keeps it busy.
  return cause === 'lateEventLoop' || facts?.clients
    ? []
    : blocked.map(({ maxMs }) => ({ kind: 'blockedLoop', maxMs }));
}

/** @param {RecordedTrace} trace @returns {BusyMachine[]} */
function findBusyMachine({ server }) {
  if (!server || server.otherBusyCores === undefined) return [];
  const { cores, busyCores: serverCores, otherBusyCores: otherCores } = server;
  if (!isUsedUp(cores, serverCores + otherCores) || serverCores >= COMMON.mostShare * cores) return [];
  return [{ cores, serverCores, otherCores }];
}
