import { COMMON } from '../assumptions/common-assumptions.js';
import { PREDICTION } from '../assumptions/prediction-assumptions.js';
import { median, quantile } from '../base/sample-statistics.js';
import { isSame } from './what-if-sizes.js';

/** @import { CodedFinding } from '../base/finding.js' */
/** @import { PredictedFigures } from '../runs/run-figures.js' */
/** @import { Trace } from '../trace/trace.js' */

/**
 * Whether clients of a recording have a time limit: they leave, all after about the same time. People who close a page
 * leave after any time.
 *
 * @param {Pick<Trace, 'patience'>} trace
 * @returns {{ afterMs: number, count: number, isMuch: boolean } | null} isMuch: so many that another pool has another
 *   load. Null if none leave, or hardly any
 */
export function findImpatience({ patience }) {
  if (!patience) return null;
  const { leftMs, requests } = patience;
  if (leftMs.length === 0 || leftMs.length < COMMON.rareShare * requests) return null;
  if (!isSame(quantile(leftMs, 0.25), quantile(leftMs, 0.75))) return null;
  return { afterMs: median(leftMs), count: leftMs.length, isMuch: leftMs.length > COMMON.smallShare * requests };
}

/**
 * Requests fail in the simulation where the settings of the app, or a lost server, end them. That clients leave is not
 * in it, so the number of failures is known only where no request takes much longer than clients waited in the
 * recording, or longer than their time limit.
 *
 * @param {Pick<Trace, 'patience' | 'header'>} trace
 * @returns {(poolSize: number, figures: PredictedFigures) => CodedFinding | null} why it is unknown how many requests
 *   fail at that size
 */
export function judgeFailures({ patience, header }) {
  if (!patience) return () => null;
  const { longestMs, leftMs } = patience;
  const knownMs = Math.min(PREDICTION.bandFactor * longestMs, findImpatience({ patience })?.afterMs ?? Infinity);
  return (poolSize, { maxMs }) => {
    // What failed at the recorded size was recorded, but for what clients did who left.
    const isKnown = leftMs.length === 0 && poolSize === header.maxPoolSize;
    if (isKnown || !(maxMs > knownMs)) return null;
    return { code: 'unknownFailures', figures: { longestMs } };
  };
}
