import { explainClients } from './client-words.js';
import {
  countInTurn,
  describeFinding,
  explainFailed,
  explainSaving,
  explainTransactions,
  isDanger,
} from './finding-words.js';
import { OUTSIDE, describeHolders, nameHolder, nameRoute } from './holder-words.js';
import { countConnections, countOf, formatNumber, formatQuantity, formatShare } from './quantity.js';

/** @import { BusiestPool, Cause, CauseFacts, Diagnosis, Proof } from 'mongodb-pool-predictor' */

/** Above this share, one thing is said to be the only one. */
const NEARLY_ALL = 0.95;
/** Waits that had not ended make a mean a lower bound if they are this share of all waiting. */
const OPEN_SHARE = 0.05;
/** If there are fewer requests, each is counted. */
const MIN_FOR_SHARE = 20;
/** Above this share, nobody else is named. */
const MAIN_SHARE = 0.6;

/** Names for the table. @type {Record<Cause, string>} */
export const CAUSE_NAMES = {
  none: 'no wait: a connection was free',
  fullPool: 'the pool was full',
  transactions: 'transactions hold locks',
  coldStart: 'first connections being opened',
  slowHandshake: 'opening connections takes long',
  maxConnecting: 'few connections are opened at once',
  idleConnections: 'reopened after maxIdleTimeMS',
  lostConnections: 'reopened after being ended',
  poolCleared: 'the pool was cleared',
  parkedConnections: 'change streams hold connections',
  severalAtOnce: 'several connections at once',
  fullServer: 'the server is busy',
  lateEventLoop: 'the event loop is late',
  concurrencyLimit: 'a concurrency limit in the app',
  failedOperations: 'operations that fail',
  clientPerRequest: 'a new client each time',
  manyClients: 'many clients of one server',
  notThePool: 'not the pool',
  tooLittleData: 'unclear: too little data',
};

/**
 * Why requests wait, in one sentence or two. The only place where it is said.
 *
 * @param {Pick<Diagnosis, 'verdict' | 'totals'>} diagnosis
 */
export function explainVerdict({ verdict, totals }) {
  const { cause, facts, slow } = verdict;
  if (cause === 'none' || cause === 'notThePool') return explainNoWaits(verdict, totals);
  if (cause === 'tooLittleData')
    return (
      `Too little data: ${countOf(totals.checkouts, 'checkout', 'checkouts')}` +
      `${facts ? ', most of whose waits nothing explains' : ''}${explainOpenWaits(totals)}. Record for longer, ` +
      'while the app is busy.'
    );
  if (facts?.clients) return explainClients(facts.clients);
  const reason = facts ? explainCause(cause, facts) : '';
  if (slow) return `Requests do not wait for a connection, but ${reason}. ${explainSlow(slow)}`;
  if (facts && facts.routes.length === 0) return `${capitalise(reason)}.`;
  return `${explainWaits(verdict, totals)}, because ${reason}.`;
}

/**
 * How close a healthy pool came to its limit, and what takes the time.
 * @param {{ verdict: Diagnosis['verdict'], busiest?: Diagnosis['busiest'] }} diagnosis
 * @returns {string} empty where there is a problem, or too little data
 */
export function explainBusiest({ verdict: { slow }, busiest }) {
  if (!busiest) return '';
  const { pool, longestWaitMs, route } = busiest;
  const wait = `The longest wait was ${formatQuantity(longestWaitMs, 'ms')}.`;
  return [
    pool ? `${explainUse(pool)} ${wait}` : wait,
    // The slow one is named already.
    ...(route && !slow
      ? [
          `${formatShare(route.share)} of the requests' time goes to ${nameRoute(route.route)}: ` +
            `${formatQuantity(route.durationMs, 'ms')} each, ${explainPart(route)}.`,
        ]
      : []),
  ].join(' ');
}

/** @param {BusiestPool} pool */
function explainUse({ client, maxPoolSize, inUse }) {
  const name = client === undefined ? 'The pool' : `The pool of ${client}`;
  const most =
    maxPoolSize > inUse ? `at most ${inUse} of its ${countConnections(maxPoolSize)}` : `at times all ${inUse}`;
  return `${name} used ${maxPoolSize === 0 ? `at most ${countConnections(inUse)}` : most} at once.`;
}

/**
 * The same of what a page knows.
 * @param {Diagnosis} diagnosis of the last minute
 * @param {boolean} isQueued whether requests wait now, so that it can't be said that none does
 * @returns {string} empty where there is nothing to say
 */
export function explainLastMinute(diagnosis, isQueued) {
  const { verdict, settings } = diagnosis;
  const dangers = settings.filter(isDanger).map(describeFinding);
  if (verdict.cause === 'tooLittleData' || (isQueued && !verdict.isProblem)) return dangers.join(' ');
  const said = [explainVerdict(diagnosis), explainBusiest(diagnosis), ...dangers].filter(Boolean).join(' ');
  return `${isQueued ? 'So far' : 'The last minute'}: ${said}`;
}

/** @param {Diagnosis['totals']} totals */
function explainOpenWaits({ stillWaiting, stillWaitedMs }) {
  if (stillWaiting === 0) return '';
  const mean = formatQuantity(stillWaitedMs / stillWaiting, 'ms');
  return `, and ${stillWaiting} more still waited at the end, for ${mean} on average`;
}

/** @param {Diagnosis['verdict']} verdict @param {Diagnosis['totals']} totals */
function explainWaits({ waitingShare, meanWaitMs, refusedShare }, { requests, waiting, waitedMs, stillWaitedMs }) {
  const share =
    requests < MIN_FOR_SHARE ? `${waiting} of ${requests} requests` : `${formatShare(waitingShare)} of the requests`;
  const who = waitingShare >= NEARLY_ALL ? 'Requests wait' : `${share} wait`;
  const least = stillWaitedMs > OPEN_SHARE * waitedMs ? 'at least ' : '';
  const wait = `${who} ${least}${formatQuantity(meanWaitMs, 'ms')} on average`;
  return refusedShare > 0 ? `${wait}, and ${formatShare(refusedShare)} of the checkouts get no connection` : wait;
}

/** @param {Diagnosis['verdict']} verdict @param {Diagnosis['totals']} totals */
function explainNoWaits({ slow }, { waitedMs, requests }) {
  const mean = formatQuantity(waitedMs / (requests || 1), 'ms');
  return slow
    ? `It is not the pool: requests wait ${mean} for a connection, on average. ${explainSlow(slow)}`
    : `All is well: requests wait ${mean} for a connection, on average.`;
}

/** @param {NonNullable<Diagnosis['verdict']['slow']>} slow */
function explainSlow({ route, durationMs, useMs, outsideMs, repeated }) {
  if (repeated)
    return (
      `${nameRoute(route)} sends ${countInTurn(repeated)} which take ${formatQuantity(repeated.ms, 'ms')} of ` +
      `its ${formatQuantity(durationMs, 'ms')}.${explainSaving(repeated)}`
    );
  return `${nameRoute(route)} takes ${formatQuantity(durationMs, 'ms')}, ${explainPart({ useMs, outsideMs })}.`;
}

/** Where most of the time of requests is. @param {{ useMs: number, outsideMs: number }} means */
function explainPart({ useMs, outsideMs }) {
  return outsideMs > useMs
    ? `${formatQuantity(outsideMs, 'ms')} of them outside of MongoDB`
    : `${formatQuantity(useMs, 'ms')} of them in its queries`;
}

/** @param {Cause} cause @param {CauseFacts} facts @returns {string} what comes after "because" */
function explainCause(cause, facts) {
  const {
    client,
    maxPoolSize = 0,
    holders,
    opening,
    clears,
    parked,
    atOnce,
    server,
    loop,
    limit,
    routes,
    failed,
    transactions,
  } = facts;
  const pool = client === undefined ? 'the pool' : `the pool of ${client}`;
  const { count = 0, medianMs = 0, maxConnecting, maxIdleTimeMS } = opening ?? {};
  const each = `opening one takes ${formatQuantity(medianMs, 'ms')}`;
  const [size, opened, most] = [maxPoolSize, count, atOnce ?? 0].map(countConnections);
  const again = `${countOf(count, 'was', 'were')} opened anew, and ${each}`;
  const all = maxPoolSize === 1 ? 'the only connection' : `all ${size}`;
  const parkedBy = `change streams or tailable cursors (${parked?.operation})`;
  const delay = formatQuantity(loop?.maxMs ?? 0, 'ms');
  const limited = nameRoute(routes[0]?.route ?? null);
  const isNeverIdle = (loop?.busy ?? 0) >= NEARLY_ALL;
  /** @type {Partial<Record<Cause, string>>} */
  const words = {
    fullPool: `${explainHolders(holders)} ${all}${client === undefined ? '' : ` of ${client}`}`,
    transactions: transactions ? explainTransactions(transactions) : '',
    coldStart: `${pool} had to open ${opened} first, and ${each}`,
    slowHandshake: `${pool} had to open ${opened}, and ${each}`,
    maxConnecting: `${pool} opens only ${maxConnecting ?? 2} connections at a time, and ${each}`,
    idleConnections: `their connections do not last: maxIdleTimeMS ${maxIdleTimeMS ?? ''} closes them, ${again}`,
    lostConnections: `the server, a balancer or the network ends their connections: ${again}`,
    poolCleared: `${pool} was cleared ${countOf(clears?.count ?? 0, 'time', 'times')} (${clears?.reason})`,
    parkedConnections: `${parkedBy} hold ${parked?.connections} of ${size}`,
    severalAtOnce: `${explainAsking(holders)} for up to ${most} at once, and ${pool} has ${maxPoolSize}`,
    fullServer: explainServer(server),
    lateEventLoop: isNeverIdle
      ? "the app's event loop has no time left"
      : `something blocks the app's event loop, for ${delay} in an average second`,
    failedOperations: failed ? explainFailed(failed) : '',
    concurrencyLimit: `the app runs at most ${limit} of ${limited} at once`,
  };
  return String(words[cause]);
}

/** @param {CauseFacts['server']} server */
function explainServer(server = { growth: 0, isLocal: false, isFull: false, isQueueing: false }) {
  const { cores, busyShare, otherCores, isLocal, isFull, isQueueing } = server;
  if (isQueueing) return 'the server is full: queries wait inside it';
  if (busyShare === undefined || cores === undefined)
    return 'the server is full: the more queries it has, the longer each takes';
  const what = isFull ? 'the server is busy' : 'the more queries the server has, the longer each takes';
  const others = otherCores
    ? ` and other programs ${formatNumber(otherCores, 1)}`
    : isLocal
      ? ', which it shares with the app'
      : '';
  return `${what}: it uses ${formatNumber(busyShare * cores, 1)} of its ${cores} cores${others}`;
}

/** @param {CauseFacts['holders']} holders */
function explainHolders(holders) {
  if (holders.length === 0) return 'others hold';
  const [first, second] = holders;
  if (first.share >= MAIN_SHARE || !second) return `${nameHolder(first)} holds`;
  return `${nameHolder(first)} and ${nameHolder(second)} hold`;
}

/** @param {CauseFacts['holders']} holders */
function explainAsking(holders) {
  if (holders.length === 0) return 'requests ask';
  const name = nameRoute(holders[0].route);
  if (name === OUTSIDE) return `work outside of requests (${holders[0].operation}) asks`;
  // A job or an event has a name, and a request has a path.
  return name.includes('/') ? `requests of ${name} ask` : `${name} asks`;
}

/**
 * A checkout that proves a cause, in one line.
 *
 * @param {Proof} proof
 * @param {(atMs: number) => string} [formatTime] default: in s from the first checkout
 */
export function describeProof(
  { atMs, route, operation, waitMs, openingMs, connection, reason, behind },
  formatTime = (ms) => `${formatNumber(ms / 1000, 1)} s`,
) {
  const opening = `, ${formatQuantity(openingMs, 'ms')} of it opening connection ${connection}`;
  const why =
    openingMs > waitMs / 2
      ? opening
      : behind.length > 0
        ? ` behind ${describeHolders(behind)}`
        : reason === null
          ? ''
          : `: ${reason}`;
  const what = operation === null ? nameRoute(route) : `${nameRoute(route)} ${operation}`;
  return `${formatTime(atMs)}: ${what}, ${formatQuantity(waitMs, 'ms')}${why}`;
}

/** @param {string} text */
function capitalise(text) {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
