import { COMMON } from '../assumptions/common-assumptions.js';
import { PREDICTION } from '../assumptions/prediction-assumptions.js';
import { mean, sum } from '../base/sample-statistics.js';
import { widenBand } from '../runs/run-figures.js';
import { shareUsed } from '../trace/trace.js';
import { findImpatience, judgeFailures } from './known-failures.js';
import { isMuchLonger } from './size-comparison.js';

/** @import { Load } from '../load/load.js' */
/** @import { TraceLoad } from '../load/trace-load.js' */
/** @import { PredictedFigures } from '../runs/run-figures.js' */
/** @import { ServerFit, Trace } from '../trace/trace.js' */
/** @import { CodedFinding } from '../base/finding.js' */
/** @import { TraceCheck } from './check-trace.js' */

/**
 * How far the predictions from a recording can be trusted. One rule hides figures: a band that is too wide says more
 * than a figure in it, so it is shown instead. A band holds what a resampled recording could have been, all readings of
 * who waits for answers, see joinReadings, and an error that grows with the distance from the recorded size.
 *
 * @typedef {object} Trust
 * @property {number} recordedSize NaN where the pool had no limit, or the recording does not say
 * @property {TraceCheck | null} check
 * @property {CodedFinding | null} refusal why no size gets figures
 * @property {(figure: { poolSize: number, ms: number, lowMs?: number, highMs?: number }) => CodedFinding | null}
 *   reasonToHide why a figure of requests is not shown
 * @property {ReturnType<typeof judgeFailures>} whyUnknownFailures why it is unknown how many requests fail at a size
 * @property {(poolSize: number) => number} marginAt by which share of it a time may be longer than in all simulated
 *   runs: those of callers who wait are much alike, and where they share a server, its model errs by more
 * @property {(poolSize: number) => number} wideningAt see createWidening
 * @property {(figures: PredictedFigures, poolSize: number) => PredictedFigures} widen makes the band of a size as wide
 *   as its distance from the recorded size needs it
 */

/**
 * @param {object} input
 * @param {Trace} input.trace
 * @param {Load & Partial<Pick<TraceLoad, 'callers'>>} input.load
 * @param {Trace[]} [input.others] recordings at other sizes
 * @param {number | 'none'} [input.serverCores] given by the user
 * @param {TraceCheck | null} check whether another recording is predicted
 * @returns {Trust}
 */
export function judgeTrust({ trace, load, others = [], serverCores }, check) {
  const { sharing, header, conflicts, unservedShare = 0 } = trace;
  const recordedSize = Number(header.maxPoolSize) || NaN;
  const impatience = findImpatience(trace);
  const findRefusal = () => {
    if (trace.clients) return found('manyClients', trace.clients);
    if (impatience?.isMuch) return found('clientsGiveUp', impatience);
    // Without their waits, there would be fewer conflicts: see corpus/loads/transactions-on-few-documents.
    if (conflicts && conflicts.waitedShare >= COMMON.problemShare) return found('transactions', conflicts);
    if (unservedShare > PREDICTION.unservedShare) return found('unserved');
    if (check?.status === 'fails') return found('otherRecording', check);
    const isAlone = others.length === 0 && serverCores === undefined;
    return isAlone && isSilent(trace) && isFull(trace) ? found('unknownServer') : null;
  };
  const refusal = findRefusal();
  // Another recording narrows bands only by what it shows at its own size.
  const shown = check?.status === 'holds' ? [trace, ...others] : [trace];
  const sizes = shown.map((each) => Number(each.header.maxPoolSize));
  const smallest = Math.min(...sizes.map((size) => size || Infinity));
  const wideningAt = createWidening(trace, sizes);
  const isOfCallers = Number(load.callers?.callersShare) > 0.5;
  return {
    recordedSize,
    check,
    refusal,
    reasonToHide: ({ poolSize, ms, lowMs = ms, highMs = ms }) => {
      // Those of the recorded size were recorded.
      if (refusal || poolSize === recordedSize) return refusal;
      if (impatience && ms > impatience.afterMs) return found('clientsGiveUp', impatience);
      if (conflicts && poolSize < smallest) return found('transactions', conflicts);
      const isWide = isMuchLonger(highMs, ms) || isMuchLonger(ms, lowMs);
      return isWide ? found('wideBand', { fewest: load.callers?.fewest ?? null }) : null;
    },
    whyUnknownFailures: judgeFailures(trace),
    wideningAt,
    marginAt: (size) => (isOfCallers && sharing ? wideningAt(size) : 0),
    widen: (figures, size) => widenBand(figures, wideningAt(size)),
  };
}

/**
 * By which share a band is widened at a size: more for each doubling or halving of the next recorded size. On a busy
 * server, the time of a query changes 1 / (1 - share) times as much as its work (M/M/1,
 * https://en.wikipedia.org/wiki/M/M/1_queue#Response_time).
 *
 * @param {Trace} trace
 * @param {number[]} sizes that were recorded; none are known of a pool without a limit
 * @returns {(poolSize: number) => number}
 */
export function createWidening(trace, sizes) {
  const known = sizes.filter((size) => size > 0);
  const step = PREDICTION.widenPerDoubling / (1 - (trace.sharing ? busyShareOf(trace, trace.sharing) : 0));
  return (poolSize) =>
    known.length === 0 ? 0 : step * Math.min(...known.map((size) => Math.abs(Math.log2(poolSize / size))));
}

/** Whether nothing shows how queries slow each other down on the server. @param {Trace} trace */
function isSilent({ server, sharing }) {
  return sharing ? sharing.source === 'guessed' : !server;
}

/** Whether most checkouts found all connections in use. @param {Trace} trace */
function isFull({ isBehind }) {
  return isBehind !== undefined && mean(Array.from(isBehind)) >= PREDICTION.fullPoolShare;
}

/** @param {CodedFinding['code']} code @param {object} [figures] @returns {CodedFinding} */
function found(code, figures = {}) {
  return { code, figures };
}

/**
 * The share of its free cores that a server used: what it said, or what its queries needed.
 *
 * @param {Trace} trace
 * @param {Pick<ServerFit, 'cores' | 'workShares' | 'aloneMs'>} sharing
 */
function busyShareOf({ server, routes, routeOf, checkOutStartedMs, waitMs, useMs }, { cores, workShares, aloneMs }) {
  const endsMs = Array.from(useMs, (ms, row) => checkOutStartedMs[row] + waitMs[row] + ms);
  const worksMs = Array.from(aloneMs, (ms, row) => ms * workShares[routes[routeOf[row]]]);
  const share = server ? shareUsed(server) : sum(worksMs) / (cores * endsMs.reduce((a, b) => Math.max(a, b), 0));
  return Math.min(share, PREDICTION.busyShare);
}
