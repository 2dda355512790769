import { explainClients } from './client-words.js';
import { nameRoute } from './holder-words.js';
import { countConnections, countOf, describeBand, formatNumber, formatQuantity, formatShare } from './quantity.js';

/** @import { CodedFinding, DiagnosisFinding, FailedOperations, RepeatedQueries } from 'mongodb-pool-predictor' */
/** @import { SettingFinding, TraceCheck, TransactionCosts } from 'mongodb-pool-predictor' */

/**
 * Why figures are hidden, as what follows "because". The only place where it is said: the terminal, the page, the
 * playground and reports show these words. `brief` is for the page, which has less room; `more` follows on a terminal.
 *
 * @typedef {string | ((figures: any) => string)} Words
 * @type {Record<CodedFinding['code'], { words: Words, brief?: Words, more?: Words }>}
 */
export const REASONS = {
  unknownSize: { words: 'the recording does not say how large its pool was' },
  unlimitedPool: { words: 'the pool has no limit' },
  fewRequests: { words: 'there are fewer than 20 requests' },
  unserved: { words: 'many requests got no connection, and nothing shows what they would have done with one' },
  otherRecording: { words: 'it does not predict the other recording', more: describeDifference },
  manyClients: {
    words: 'the app has many clients, each with a pool of its own, so the size of one decides little',
    more: explainClients,
  },
  wideBand: {
    words: 'the measured one could be twice as large, or half',
    more: ({ fewest }) =>
      fewest === null
        ? ''
        : `As few as ${countOf(fewest, 'caller', 'callers')}, each waiting for its answers, could have sent the ` +
          'recorded requests: --callers N says how many did, and 0 that nobody waits.',
  },
  clientsGiveUp: {
    words: ({ afterMs, count }) =>
      `${countOf(count, 'client', 'clients')} left after ${formatQuantity(afterMs, 'ms')} without an answer, and may ` +
      'have tried again, so that another pool would have had another load',
  },
  transactions: {
    words: ({ conflicts, transactions }) =>
      `${conflicts} of ${transactions} transactions failed because of each other, and the longer they wait for a ` +
      'connection, the longer they hold their locks',
    brief: 'transactions failed because of each other, and do so more often the longer they wait for a connection',
  },
  unknownServer: {
    words:
      "most queries found all connections in use, so the recording can't tell whether they slow each other down on " +
      'the server',
    brief: 'nothing shows whether queries slow each other down on the server',
    more: 'A second --trace, from a pool of another size, can. Or set --server-cores.',
  },
  ownRuns: {
    words: ({ route, figure, poolSize, recordedMs, lowMs, highMs }) =>
      `with the recorded ${countConnections(poolSize)}, ${figure} of ${route} was ` +
      `${formatQuantity(recordedMs, 'ms')}, but the simulation gives ${describeBand(lowMs, highMs)}`,
    more: 'It may misread who waits for answers: --callers N says how many callers sent the requests.',
  },
  unknownFailures: {
    words: ({ longestMs }) =>
      `clients waited at most ${formatQuantity(longestMs, 'ms')} in the recording, and may not wait longer`,
    brief: ({ longestMs }) => `clients waited at most ${formatQuantity(longestMs, 'ms')}, and may not wait longer`,
  },
};

/** @param {CodedFinding} reason @param {{ isBrief?: boolean }} [options] @returns {string} what follows "because" */
export function explainReason({ code, figures }, { isBrief = false } = {}) {
  const { words, brief = words } = REASONS[code];
  return sayOf(isBrief ? brief : words, figures);
}

/** What would show more, or is the cause. @param {CodedFinding} reason @returns {string} may be empty */
export function explainMore({ code, figures }) {
  return sayOf(REASONS[code].more ?? '', figures);
}

/** @param {Words} words @param {any} figures */
function sayOf(words, figures) {
  return typeof words === 'function' ? words(figures) : words;
}

const FIGURES = { meanWait: 'Mean wait', p95: 'p95' };
/** More would be a wall of figures. */
const MAX_FIGURES = 3;
/** A load that changes less looks the same. */
const CHANGE = 1.25;

/** Recorded figures beside simulated ones. @param {Pick<TraceCheck, 'figures'>} check */
export function describeFigures({ figures }) {
  const shown = figures.slice(0, MAX_FIGURES).map(({ kind, route, recordedMs, lowMs, highMs }) => {
    const name = `${FIGURES[kind]}${route === null ? '' : ` of ${route}`}`;
    return `${name}: ${formatQuantity(recordedMs, 'ms')} recorded, ${describeBand(lowMs, highMs)} simulated`;
  });
  return `${shown.join('; ')}.`;
}

/** How the simulation differs from a recording, and why it may. @param {TraceCheck} check */
function describeDifference({ figures, rateRatio, useRatios }) {
  const off = figures.filter(({ isInBand }) => !isInBand);
  const isChanged = (/** @type {number} */ ratio) => ratio > CHANGE || ratio < 1 / CHANGE;
  const changes = [
    ...(isChanged(rateRatio) ? [`it has ${formatNumber(rateRatio, 1)} times as many requests per second`] : []),
    ...Object.entries(useRatios)
      .filter(([, ratio]) => isChanged(ratio))
      .map(([route, ratio]) => `${route} uses its connection ${formatNumber(ratio, 1)} times as long`),
  ];
  const cause =
    changes.length > 0
      ? `The load of the other recording is not the same: ${changes.join(', ')}. A prediction assumes that it stays ` +
        'as it was.'
      : 'The simulation lacks something: a limit other than the pool, or queries that slow each other down.';
  const count = `${off.length} of ${countOf(figures.length, 'figure', 'figures')}`;
  return `${count} ${off.length === 1 ? 'is' : 'are'} off. ${describeFigures({ figures: off })} ${cause}`;
}

/** The advice in the notes of the driver's release 7.8.0. */
const INSTEAD_OF_TIMEOUT =
  'Limit each stage instead: serverSelectionTimeoutMS, waitQueueTimeoutMS for the wait for a connection, ' +
  "socketTimeoutMS for an answer, and a query's maxTimeMS.";

/**
 * What the doctor finds beside the cause of waits, by its kind.
 * @type {Record<(DiagnosisFinding | SettingFinding)['kind'], (finding: any) => string>}
 */
const DOCTOR_FINDINGS = {
  repeatedQueries: (finding) =>
    `${nameRoute(finding.route)} sends ${countInTurn(finding)} which take ${formatQuantity(finding.ms, 'ms')} of its ` +
    `${formatQuantity(finding.durationMs, 'ms')}.${explainSaving(finding)}`,
  farServer: ({ client, operation, rttMs, openingMs, share }) =>
    `${client}: the server is about ${formatQuantity(rttMs, 'ms')} away. ${operation} takes at least as long, and so ` +
    `does opening a connection (${formatQuantity(openingMs, 'ms')} or more). The way there and back is ` +
    `${formatShare(share)} of the time in which connections are in use.`,
  blockedLoop: ({ maxMs }) =>
    `Something blocks the app's event loop, for ${formatQuantity(maxMs, 'ms')} in an average second.`,
  failedOperations: (finding) =>
    `${explainFailed(finding)}. They held connections for ${formatShare(finding.share)} of the time in use.`,
  transactions: (finding) => `${explainTransactions(finding)}.`,
  bufferedQueries: ({ route, count, ms }) =>
    `${nameRoute(route)}: ${countOf(count, 'request', 'requests')} ended after ${formatQuantity(ms, 'ms')} without ` +
    'asking for a connection. While mongoose is not connected, it keeps queries for that long (bufferTimeoutMS).',
  busyMachine: ({ cores, otherCores }) =>
    `The machine was busy: programs other than MongoDB used ${formatNumber(otherCores, 1)} of its ${cores} cores. ` +
    'Everything takes longer than on a quiet one.',
  manyClients: ({ clients }) => explainClients(clients),
  overridden: ({ client, option, value, other }) =>
    `${client}: the code sets ${option} to ${value}, so ${other} in the URI has no effect.`,
  unusedMinimum: ({ client, value, used }) =>
    `${client}: minPoolSize keeps ${countConnections(value)} open, but at most ${used} were in use.`,
  neverFull: ({ client, value, used, by }) =>
    `${client}: at most ${used} of ${countConnections(value)} were in use: ` +
    `${by === 'limit' ? 'a concurrency limit' : 'the event loop'} lets through no more.`,
  tooManyConnections: ({ value, other }) =>
    `All instances together may open ${countConnections(value)}, but the server accepts ${other}.`,
  strayTimeout: ({ client, option, value }) =>
    `${client}: ${countOf(value, 'wait', 'waits')} timed out, though ${option} is 0: a signal of the app did it, ` +
    'such as AbortSignal.timeout().',
  unsafeTimeout: ({ client, value, driver }) =>
    `${client}: remove timeoutMS (${formatQuantity(value, 'ms')}). With driver ${driver}, an operation that follows ` +
    "a time-out can get the answer of the one that timed out, so a user can see another's data. Drivers 6.22 and 7.8 " +
    `ignore the option. ${INSTEAD_OF_TIMEOUT}`,
  ignoredTimeout: ({ client, driver }) =>
    `${client}: timeoutMS has no effect in driver ${driver}, so it ends no operation. ${INSTEAD_OF_TIMEOUT}`,
};

/** What else costs time, fails, or does not do what it seems to. @param {DiagnosisFinding | SettingFinding} finding */
export function describeFinding(finding) {
  return DOCTOR_FINDINGS[finding.kind](finding);
}

/** Whether it matters more than any wait. @param {Pick<SettingFinding, 'kind'>} finding */
export function isDanger({ kind }) {
  return kind === 'unsafeTimeout';
}

/** @param {RepeatedQueries} repeated */
export function countInTurn({ queries, operations }) {
  const which = operations.length > 0 ? ` (${operations.join(', ')})` : '';
  return `${formatNumber(queries)} queries a request${which}, one after another,`;
}

/** @param {RepeatedQueries} repeated @returns {string} empty where nothing is known to replace them */
export function explainSaving({ operations, savedMs }) {
  if (savedMs === 0) return '';
  const isRead = operations.every((name) => /^(find|aggregate|count|distinct)\b/.test(name));
  const instead = isRead ? 'One query with $in, or a join,' : 'One bulk operation, or one query with $in,';
  return ` ${instead} saves up to ${formatQuantity(savedMs, 'ms')}.`;
}

/** @param {FailedOperations} failed */
export function explainFailed({ route, operation, count, of, ms, option }) {
  const how = option ? `: ${option} ends them` : '';
  const which = `operations of ${nameRoute(route)}${operation === null ? '' : ` (${operation})`}`;
  const many = count === of ? `All ${of}` : `${count} of ${of}`;
  return `${many} ${which} failed after ${formatQuantity(ms, 'ms')} with a connection${how}`;
}

/** Of the transactions, a share below this is not worth a word. */
const FEW_TRANSACTIONS = 0.05;

/** @param {TransactionCosts} costs */
export function explainTransactions({ route, count, conflicts, lostShare, waiting, waitMs, atOnce }) {
  const which = `of ${count} transactions of ${nameRoute(route)}`;
  const parts = [
    {
      count: waiting,
      text:
        `${waiting} ${which} waited for a connection while they held locks, for ${formatQuantity(waitMs, 'ms')} on ` +
        `average: up to ${atOnce} were open at once`,
    },
    {
      count: conflicts,
      text:
        `${conflicts} ${which} failed because another one had changed the same document, and were begun again: ` +
        `${formatShare(lostShare)} of the time of their requests was lost`,
    },
  ];
  return parts.flatMap((part) => (part.count >= FEW_TRANSACTIONS * count ? part.text : [])).join('. ');
}
